// Waiting for a task without a gap: following begins before the state is looked at, and the answer is read afterwards
// from the committed record, so that nothing falls between waiting and reading.
import { isSettled } from '../a2a-model.js';
import type { Clock } from '../clock.js';
import type { Ledger } from '../ledger/ledger-port.js';
import type { TaskRecord } from '../ledger/records.js';

interface SettleOptions {
  ledger: Pick<Ledger, 'follow' | 'get'>;
  /** Ends the wait, e.g. because whoever waits has gone. */
  signal: AbortSignal;
  /** Absent: without a limit. */
  limit?: { clock: Clock; seconds: number };
  /** Count what came after this position too, as far as it is still known; from now on when absent. */
  afterSeq?: number;
}

/**
 * The task once it settles (terminal, or waiting for somebody), or as it is when the time is up or `signal` aborted. A
 * wait that falls too far behind starts again from where the task is. Throws `task-not-found`, and `storage-failed` when
 * the task can't be stored any more.
 */
export async function settle(taskId: string, { ledger, signal, limit, afterSeq }: SettleOptions): Promise<TaskRecord> {
  let follower = ledger.follow(taskId, afterSeq);
  let over = signal.aborted || (limit !== undefined && limit.seconds <= 0);
  const stop = (): void => {
    over = true;
    follower.close();
  };
  const cancelTimer = over ? undefined : limit?.clock.after(limit.seconds * 1000, stop);
  signal.addEventListener('abort', stop, { once: true });
  try {
    let settled = isSettled(follower.snapshot.task.status.state);
    while (!over && !settled) {
      const update = await follower.next();
      if (update !== undefined) settled = isSettled(update.state);
      else if (follower.lagged) {
        follower.close();
        follower = ledger.follow(taskId);
        settled = isSettled(follower.snapshot.task.status.state);
      } else break;
    }
    return ledger.get(taskId) ?? follower.snapshot;
  } finally {
    cancelTimer?.();
    signal.removeEventListener('abort', stop);
    follower.close();
  }
}
