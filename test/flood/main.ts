// `npm run flood`: calm, flood, calm again, on loopback and with the default limits. Exits with 0 when no request of the
// other callers failed, the p99 of those who were connected stayed within three times that of the calm, and the server's
// memory came back. What newcomers wait is printed beside it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { constants, getPriority, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { probeFlags, readMemory } from '../bench/memory.js';
import { freshFolder, removeFolders } from '../bench/fresh-folder.js';
import { DEFAULTS } from '../../src/config.js';
import { ensureBuilt, PROJECT, startSwitchboard } from '../support/compiled-server.js';
import { makeTestHome, OPERATOR_KEY } from '../support/test-home.js';
import { sendPrompts, warmUp, type Waited } from './bystanders.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    connections: { type: 'string', default: '5000' },
    streams: { type: 'string', default: '1000' },
  },
});
const seconds = Number(values.seconds);
const EVERY_MS = 25;
/** A new connection waits behind those that the attacker opens, since Node accepts one in a turn of its event loop. */
const NEWCOMER_EVERY_MS = 250;
const WARM_UP_ROUNDS = 500;
/** What a p99 of a millisecond or two may swing by without anybody's fault. */
const NOISE_MS = 10;
/** Held back by the collector, by tables that do not shrink, and by the tasks that the streams left. */
const KEPT_BYTES = 32 * 1024 * 1024;

const round = (seconds: number): number => Math.round(seconds * 100) / 100;

ensureBuilt();
/** Callers of the warm-up, so that it spends nobody else's rate. */
const warmers = Array.from({ length: 8 }, (_, i) => `warm-${i}`);
const bystanders = Array.from({ length: 8 }, (_, i) => `calm-${i}`);
const strangers = Array.from({ length: 2 }, (_, i) => `new-${i}`);
const { rate, streams, lockout, overloadMs, connections } = DEFAULTS;
const settings = { rate, streams, lockout, overloadMs, connections };
const home = makeTestHome({
  below: freshFolder().path,
  callers: [...warmers, ...bystanders, ...strangers, 'greedy', 'streaming'],
  settings,
});
const keysOf = (names: readonly string[]): string[] => names.map((name) => home.keys[name] as string);
/** One connection for each, taken in turn so that none is idle for long enough to be closed. */
const kept = new Agent({ keepAlive: true, maxSockets: bystanders.length, scheduling: 'fifo' });

/** What those wait who are connected already, as callers are who call often, and those who connect for each request. */
async function measure(): Promise<{ connected: Waited; newcomers: Waited }> {
  const load = (everyMs: number): { requests: number; everyMs: number } => ({
    requests: (seconds * 1_000) / everyMs,
    everyMs,
  });
  const [connected, newcomers] = await Promise.all([
    sendPrompts(server.url, keysOf(bystanders), { ...load(EVERY_MS), agent: kept }),
    sendPrompts(server.url, keysOf(strangers), { ...load(NEWCOMER_EVERY_MS), agent: new Agent({ keepAlive: false }) }),
  ]);
  return { connected, newcomers };
}

/** Processor time that the server has spent, seconds: what a flood costs, however busy the machine is otherwise. */
const cpuSeconds = async (): Promise<number> => {
  const headers = { 'X-API-Key': OPERATOR_KEY };
  const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
  return Number(/^process_cpu_seconds_total (.*)$/m.exec(text)?.[1]);
};
const server = await startSwitchboard({ home: home.path, nodeFlags: probeFlags() });
try {
  await warmUp(server.url, keysOf(warmers), WARM_UP_ROUNDS);
  await sendPrompts(server.url, keysOf(bystanders), { requests: bystanders.length, everyMs: 0, agent: kept });
  const cpu = [await cpuSeconds()];
  const calm = await measure();
  cpu.push(await cpuSeconds());
  const before = await readMemory(server);

  const own = [home.keys['greedy'] as string, home.keys['streaming'] as string];
  const script = ['--import', 'tsx', 'test/flood/attack.ts', server.url, ...own];
  const numbers = [String(seconds + 2), values.connections, values.streams];
  const attack = spawn(process.execPath, [...script, ...numbers], {
    cwd: PROJECT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // An attacker computes elsewhere: what it takes of this machine's processors must not count as the server's slowness.
  setPriority(attack.pid as number, Math.min(getPriority() + 15, constants.priority.PRIORITY_LOW));
  let got = '';
  attack.stdout.setEncoding('utf8').on('data', (text: string) => (got += text));
  const over = once(attack, 'close');
  await sleep(1_000);
  const flood = await measure();
  const during = await readMemory(server);
  await over;
  await sleep(2_000);
  const after = await readMemory(server);
  cpu.push(await cpuSeconds());
  const healthy = (await fetch(`${server.url}/readyz`)).status === 200;

  const mib = ({ rss, heap }: typeof before): object => ({
    rss: Math.round(rss / 2 ** 20),
    heap: Math.round(heap / 2 ** 20),
  });
  const problems = [
    ...([calm, flood].some((phase) => Object.values(phase).some(({ failed }) => Object.keys(failed).length > 0))
      ? ['requests of bystanders failed']
      : []),
    ...(flood.connected.p99 > Math.max(3 * calm.connected.p99, calm.connected.p99 + NOISE_MS)
      ? ['p99 is more than three times that of the calm']
      : []),
    ...(after.heap - before.heap > KEPT_BYTES ? ['memory did not come back'] : []),
    ...(server.alive && healthy ? [] : ['the server is not well']),
  ];
  const memory = { before: mib(before), during: mib(during), after: mib(after) };
  const [begin = NaN, middle = NaN, end = NaN] = cpu;
  const spent = { calm: round(middle - begin), flood: round(end - middle) };
  console.log(
    JSON.stringify(
      { calm, flood, cpuSeconds: spent, attack: JSON.parse(got || '{}'), memoryMiB: memory, problems },
      null,
      2,
    ),
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  kept.destroy();
  await server.stop();
  removeFolders();
}
