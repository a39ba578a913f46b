// SendStreamingMessage with fifty chunks: whole streams per second, every delta committed on our side.
import { alternate, compare, median, type BenchOptions, type Figure, type Group } from '../figure.js';
import { load } from '../load.js';
import { stream } from '../requests.js';
import { ownServer, sdkServer, type BenchServer } from '../servers.js';

const EVENTS = 53;
/** Streams before anything is measured. */
const WARM_UP = 500;

async function run(options: BenchOptions): Promise<Figure[]> {
  const servers: BenchServer[] = [];
  try {
    servers.push(await ownServer('process'), await sdkServer('memory'));
    for (const { target } of servers) await load(target, stream, { requests: WARM_UP });
    const events: number[] = [];
    const [ours, theirs] = await alternate(options.rounds, servers, async ({ target }) => {
      const result = await load(target, stream, { seconds: options.seconds, warmupSeconds: 0.5 });
      if (result.events < EVENTS) throw new Error(`${target.name} streams ${result.events} events, not ${EVENTS}`);
      if (target.key !== undefined) events.push(result.events);
      options.say(`${target.name}: ${result.perSecond.toFixed(0)} streams/s of ${result.events} events`);
      return result.perSecond;
    });
    const note = `streams per second (ours of ${median(events)} events, theirs of ${EVENTS})`;
    return [compare('stream-53', median(ours ?? []), median(theirs ?? []), 'more', 8, note)];
  } finally {
    for (const server of servers) await server.close();
  }
}

export const streamGroup: Group = { name: 'stream', figures: ['stream-53'], byDefault: true, run };
