// Heap growth per completed task over 200,000 tasks, after a warm-up. Minutes long: only on request.
import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type BenchOptions, type Figure, type Group } from '../figure.js';
import { load } from '../load.js';
import { probeFlags, readMemory } from '../memory.js';
import { send } from '../requests.js';
import { ownServer } from '../servers.js';

const WARM_UP = 20_000;
const TASKS = 200_000;
/** By design a finished task stays replayable for a minute; what remains after that is growth. */
const REPLAY_SECONDS = 60;

async function run(options: BenchOptions): Promise<Figure[]> {
  // Idle sessions leave after a few seconds here instead of half an hour; nothing else differs from a usual server.
  const server = await ownServer('process', { nodeFlags: probeFlags(), settings: { sessionIdle: '5s' } });
  try {
    const settled = async (): Promise<number> => {
      await sleep((REPLAY_SECONDS + 10) * 1000);
      return (await readMemory(server.child)).heap;
    };
    await load(server.target, send, { requests: WARM_UP });
    const before = await settled();
    options.say(`after ${WARM_UP} tasks: ${(before / 1e6).toFixed(1)} MB of heap`);
    for (let done = 0; done < TASKS; done += 50_000) {
      await load(server.target, send, { requests: 50_000 });
      const { heap, rss } = await readMemory(server.child);
      options.say(
        `${done + 50_000} tasks more: ${(heap / 1e6).toFixed(1)} MB of heap, ${(rss / 1e6).toFixed(0)} MB RSS`,
      );
    }
    const after = await settled();
    options.say(`at rest: ${(after / 1e6).toFixed(1)} MB of heap`);
    return [atMost('soak-heap', (after - before) / TASKS, 64, 'bytes a task')];
  } finally {
    await server.close();
  }
}

export const soakGroup: Group = { name: 'soak', figures: ['soak-heap'], byDefault: false, run };
