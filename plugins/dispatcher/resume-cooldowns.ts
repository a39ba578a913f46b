// After a restart the cooldowns are what the tasks of the last while say: nothing of them is stored by itself.
import type { Ledger } from '../../src/ledger/ledger-port.js';
import type { Cooldowns } from './cooldowns.js';

export function resumeCooldowns(cooldowns: Cooldowns, ledger: Pick<Ledger, 'list' | 'get'>, now: number): void {
  for (const [agent, longest] of cooldowns.agents) {
    // A task changed its state when it was created, or later.
    const query = { agent, statusSince: now - longest, pageSize: 100 };
    for (let after: ReturnType<Ledger['list']>['next'], more = true; more; more = after !== undefined) {
      const page = ledger.list({ ...query, ...(after && { after }) });
      for (const { record } of page.tasks) takeUp(cooldowns, ledger.get(record.taskId));
      after = page.next;
    }
  }
}

function takeUp(cooldowns: Cooldowns, record: ReturnType<Ledger['get']>): void {
  if (!record) return;
  const { envelope, task } = record;
  const refused = envelope.error?.code === 'loop' || envelope.error?.code === 'quota';
  if (refused || envelope.surface === 'delivery') return;
  cooldowns.start({ ...envelope, contextId: task.contextId }, envelope.createdAt);
}
