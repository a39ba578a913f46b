// The sender of push notifications: watches what is committed and wakes the deliveries of tasks whose state changed. It
// never makes a run or the bus wait.
import { definePlugin } from '../../../src/plugin.js';
import { Deliveries } from './deliveries.js';

/** Webhooks on their way get this long at the stop; the rest stays owed. */
const STOP_MS = 2_000;

export const pushDispatcher = definePlugin({
  name: 'push-dispatcher',
  consumes: [],
  observes: ['task.updated'],
  produces: ['push.delivered', 'push.failed', 'push.dead', 'push.disabled'],
  install({ bus, core, log }) {
    core.capabilities.provide('push-notifications');
    const deliveries = new Deliveries({
      core,
      log,
      random: Math.random,
      tell: {
        delivered: (attempt) => bus.publish('push.delivered', attempt),
        failed: (attempt) => bus.publish('push.failed', attempt),
        dead: (letter) => bus.publish('push.dead', letter),
        disabled: (webhook) => bus.publish('push.disabled', webhook),
      },
    });
    bus.subscribe('task.updated', ({ taskId, event }) => {
      // Most updates are pieces of artifacts; they change no state.
      if (event && !('artifactUpdate' in event)) deliveries.wake(taskId);
    });
    core.ledger.pushConfigs.onOwed((taskId) => deliveries.wake(taskId));
    return {
      // In the background: the door need not wait for it.
      ready: () => deliveries.start(),
      stop: () => deliveries.stop(new Promise((resolve) => core.clock.after(STOP_MS, resolve))),
    };
  },
});
