// Webhooks owed since before a start, to many receivers of which some hang: what the healthy ones get a second, against a
// run in which all answer; and the memory of the server meanwhile.
import { startSwitchboard } from '../../support/compiled-server.js';
import { atMost, type BenchOptions, type Figure, type Group } from '../figure.js';
import { probeFlags, readMemory } from '../memory.js';
import { seedHome } from '../seed.js';
import { WebhookEndpoints } from '../webhook-endpoints.js';

const OWED = 100_000;
const ENDPOINTS = 1_000;
const HANGING = 50;
const LIMIT_MS = 300_000;

interface Run {
  perSecond: number;
  /** MB, while what can't be told is still owed. */
  heap: number;
}

async function deliver(hanging: number, { say }: BenchOptions): Promise<Run> {
  const endpoints = await new WebhookEndpoints(ENDPOINTS, hanging).start();
  try {
    const settings = { allowPrivate: ['127.0.0.0/8'] };
    const { home } = await seedHome(OWED, { settings, webhook: (n) => endpoints.url(n) });
    const server = await startSwitchboard({ home: home.path, nodeFlags: probeFlags(), timeoutMs: 120_000 });
    try {
      const { count, ms } = await endpoints.answered(OWED * (1 - hanging / ENDPOINTS), LIMIT_MS);
      const heap = (await readMemory(server)).heap / 1e6;
      const perSecond = count / (ms / 1_000);
      say(
        `${hanging} of ${ENDPOINTS} hang: ${count} told, ${perSecond.toFixed(0)} a second, ${heap.toFixed(0)} MB of heap`,
      );
      return { perSecond, heap };
    } finally {
      await server.stop();
    }
  } finally {
    endpoints.stop();
  }
}

async function run(options: BenchOptions): Promise<Figure[]> {
  options.say(`${OWED} webhooks are owed to ${ENDPOINTS} receivers`);
  const calm = await deliver(0, options);
  const hanging = await deliver(HANGING, options);
  const ratio = hanging.perSecond / calm.perSecond;
  return [
    {
      name: 'push-hanging',
      ours: hanging.perSecond,
      theirs: calm.perSecond,
      ratio,
      goal: '>= 0.9x',
      ok: ratio >= 0.9,
      note: `told a second with ${HANGING} of ${ENDPOINTS} receivers hanging, and with none`,
    },
    atMost('push-heap', hanging.heap, 100, 'MB'),
  ];
}

export const pushGroup: Group = { name: 'push', figures: ['push-hanging', 'push-heap'], byDefault: true, run };
