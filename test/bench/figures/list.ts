// ListTasks over 100,000 tasks compared with the same over 1,000: the first page, by state, and by context.
import { alternate, median, within, type BenchOptions, type Figure, type Group } from '../figure.js';
import { load } from '../load.js';
import { list } from '../requests.js';
import { seedHome, type SeededHome } from '../seed.js';
import { onHome, type OwnServer } from '../servers.js';

const SIZES = [100_000, 1_000];
/** Short windows, so that more of them fit: what is compared is close together. */
const ROUNDS_PER_ROUND = 3;

const QUERIES = {
  'list-first-page': (seeded: SeededHome) => list({ pageSize: 50 }, seeded.tasks),
  'list-by-state': (seeded: SeededHome) => list({ pageSize: 50, status: 'TASK_STATE_COMPLETED' }, seeded.completed),
  'list-by-context': (seeded: SeededHome) => list({ pageSize: 50, contextId: seeded.contextId }, seeded.inContext),
};

async function run(options: BenchOptions): Promise<Figure[]> {
  const subjects: { server: OwnServer; seeded: SeededHome }[] = [];
  try {
    for (const size of SIZES) {
      options.say(`seeding a home with ${size} tasks`);
      const seeded = await seedHome(size);
      subjects.push({ seeded, server: await onHome(seeded.home, `${size} tasks`) });
    }
    const figures: Figure[] = [];
    for (const [name, query] of Object.entries(QUERIES)) {
      const once = async ({ server, seeded }: (typeof subjects)[number], seconds: number): Promise<number> =>
        (await load(server.target, query(seeded), { seconds, warmupSeconds: 0.3, connections: 1 })).p50;
      for (const subject of subjects) await once(subject, 1);
      const [many, few] = await alternate(options.rounds * ROUNDS_PER_ROUND, subjects, async (subject) => {
        const time = await once(subject, options.seconds / 4);
        options.say(`${name}, ${subject.seeded.tasks} tasks: ${time.toFixed(2)} ms`);
        return time;
      });
      figures.push(within(name, median(many ?? []), median(few ?? []), 1.2, 'ms with 100,000 tasks, and with 1,000'));
    }
    return figures;
  } finally {
    for (const { server } of subjects) await server.close();
  }
}

export const listGroup: Group = { name: 'list', figures: Object.keys(QUERIES), byDefault: true, run };
