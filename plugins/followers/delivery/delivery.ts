// Tells conversations what became of what they asked other agents for, when that outlived the turn that asked: as a prompt
// of its own to the same conversation. What is owed follows from the task that was asked for, so no crash loses it.
import { isSettled } from '../../../src/a2a-model.js';
import type { ReplyPorts } from '../../../src/executors/reply.js';
import { definePlugin } from '../../../src/plugin.js';
import type { Inbox } from '../../../src/workspace/inbox.js';
import { Courier } from './courier.js';

export const delivery = ({ inbox }: { inbox: Pick<Inbox, 'keep'> }) =>
  definePlugin({
    name: 'delivery',
    consumes: [],
    observes: ['task.updated'],
    produces: ['watch.delivered'],
    install({ bus, core, log }) {
      const ports: ReplyPorts = { inbox, blobs: core.blobs };
      const courier = new Courier({ core, log, ports, delivered: (event) => bus.publish('watch.delivered', event) });
      bus.subscribe('task.updated', ({ taskId, event, state }) => {
        if (event && !('artifactUpdate' in event) && isSettled(state)) courier.consider(taskId);
      });
      core.calls.onLetGo((taskId) => courier.consider(taskId));
      return {
        ready() {
          for (const taskId of core.ledger.replies.open()) courier.consider(taskId);
        },
        drain: () => courier.stop(),
      };
    },
  });
