// The sender of push notifications: watches what is committed and wakes the deliveries of tasks whose state changed. It
// never makes a run or the bus wait.
import { TASK_STATES, isTerminal } from '../../../src/a2a-model.js';
import type { Ledger } from '../../../src/ledger/ledger-port.js';
import { definePlugin, type Core } from '../../../src/plugin.js';
import { Deliveries } from './deliveries.js';

/** Webhooks on their way get this long at the stop; the rest stays owed. */
const STOP_MS = 2_000;
/** After a start, tasks that ended this recently are looked at for what they still owe, and at most so many of them. */
const RECENT_MS = 24 * 3_600_000;
const MOST_RECENT = 1_000;
const PAGE = 100;

export const pushDispatcher = definePlugin({
  name: 'push-dispatcher',
  consumes: [],
  observes: ['task.updated'],
  produces: ['push.delivered', 'push.failed'],
  install({ bus, core, log }) {
    core.capabilities.provide('push-notifications');
    const deliveries = new Deliveries({
      core,
      log,
      delivered: (attempt) => bus.publish('push.delivered', attempt),
      failed: (attempt) => bus.publish('push.failed', attempt),
    });
    let stopped = false;
    bus.subscribe('task.updated', ({ taskId, event }) => {
      // Most updates are pieces of artifacts; they change no state.
      if (event && !('artifactUpdate' in event)) deliveries.wake(taskId);
    });
    const catchUp = async (): Promise<void> => {
      for await (const taskId of perhapsOwing(core)) {
        if (stopped) return;
        deliveries.wake(taskId);
      }
    };
    return {
      ready() {
        // In the background: the door need not wait for it.
        catchUp().catch((error: unknown) => log.error({ err: error }, 'looking for owed webhooks failed'));
      },
      async stop() {
        stopped = true;
        await deliveries.stop(new Promise((resolve) => core.clock.after(STOP_MS, resolve)));
      },
    };
  },
});

/** Tasks that may owe something since before this start: all that are live, and the latest that have ended. */
async function* perhapsOwing({ ledger, clock }: Pick<Core, 'ledger' | 'clock'>): AsyncGenerator<string> {
  for (const state of TASK_STATES) if (!isTerminal(state)) yield* pages(ledger, { state });
  let left = MOST_RECENT;
  for await (const taskId of pages(ledger, { statusSince: clock.now() - RECENT_MS })) {
    if (left-- === 0) return;
    yield taskId;
  }
}

async function* pages(ledger: Ledger, query: Partial<Parameters<Ledger['list']>[0]>): AsyncGenerator<string> {
  let after: { statusAt: number; taskId: string } | undefined;
  do {
    const page = ledger.list({ ...query, pageSize: PAGE, ...(after && { after }) });
    for (const { record } of page.tasks) yield record.taskId;
    after = page.next;
    // Each task may have to be read from its file: requests come in between.
    await new Promise((resolve) => setImmediate(resolve));
  } while (after);
}
