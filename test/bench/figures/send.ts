// Blocking SendMessage: server CPU per request, requests per second, and p99 at the same offered load.
import { alternate, compare, median, notMeasured, type BenchOptions, type Figure, type Group } from '../figure.js';
import { load, type LoadResult } from '../load.js';
import { send } from '../requests.js';
import { ownServer, sdkServer, sqliteStoreAvailable, type BenchServer } from '../servers.js';

/** Share of the slower server's maximum that both are offered for the latency figure. */
const OFFERED = 0.6;

/** Requests before anything is measured: both servers are compiled hot by then. */
const WARM_UP = 6_000;

const of = (results: readonly LoadResult[], field: 'cpuMicros' | 'perSecond' | 'p99'): number =>
  median(results.map((result) => result[field]));

async function run(options: BenchOptions): Promise<Figure[]> {
  const servers: BenchServer[] = [];
  try {
    const ours = await ownServer('process');
    const power = await ownServer('power');
    const memory = await sdkServer('memory');
    servers.push(ours, power, memory);
    if (sqliteStoreAvailable()) servers.push(await sdkServer('sqlite'));

    for (const { target } of servers) await load(target, send, { requests: WARM_UP });
    const [own, ownPower, inMemory, inSqlite] = await alternate(options.rounds, servers, async ({ target }) => {
      const result = await load(target, send, { seconds: options.seconds, warmupSeconds: 0.5 });
      options.say(`${target.name}: ${result.perSecond.toFixed(0)} req/s, ${result.cpuMicros.toFixed(0)} µs CPU each`);
      return result;
    });
    if (!own || !ownPower || !inMemory) throw new Error('a server is missing');

    const rate = Math.floor(OFFERED * Math.min(of(own, 'perSecond'), of(inMemory, 'perSecond')));
    const latency = await alternate(options.rounds, [ours, memory], async ({ target }) => {
      const result = await load(target, send, { seconds: options.seconds, warmupSeconds: 0.5, rate });
      options.say(`${target.name} at ${rate} req/s: p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms`);
      return result;
    });

    const cpu = 'µs of server CPU per request';
    const speed = 'requests per second';
    return [
      compare('send-cpu-process', of(own, 'cpuMicros'), of(inMemory, 'cpuMicros'), 'less', 1.5, cpu),
      compare('send-cpu-power', of(ownPower, 'cpuMicros'), of(inMemory, 'cpuMicros'), 'less', 1.25, cpu),
      compare('send-rps', of(own, 'perSecond'), of(inMemory, 'perSecond'), 'more', 1.5, speed),
      inSqlite
        ? compare('send-rps-sqlite', of(own, 'perSecond'), of(inSqlite, 'perSecond'), 'more', 4, speed)
        : notMeasured(
            'send-rps-sqlite',
            of(own, 'perSecond'),
            '>= 4x',
            'the SDK’s database store needs the package kysely',
          ),
      compare(
        'send-p99',
        of(latency[0] ?? [], 'p99'),
        of(latency[1] ?? [], 'p99'),
        'less',
        1,
        `ms at ${rate} requests per second`,
      ),
    ];
  } finally {
    for (const server of servers) await server.close();
  }
}

export const sendGroup: Group = {
  name: 'send',
  figures: ['send-cpu-process', 'send-cpu-power', 'send-rps', 'send-rps-sqlite', 'send-p99'],
  byDefault: true,
  run,
};
