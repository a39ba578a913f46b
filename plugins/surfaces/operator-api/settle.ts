// Waiting for a task without a gap: following begins before the state is looked at, and the answer is read afterwards
// from the committed record, so that nothing falls between waiting and polling.
import { isSettled } from '../../../src/a2a-model.js';
import type { Clock } from '../../../src/clock.js';
import type { Ledger } from '../../../src/ledger/ledger-port.js';
import type { TaskRecord } from '../../../src/ledger/records.js';

/**
 * The task once it settles (terminal, or waiting for somebody), or as it is when `seconds` have passed or `signal`
 * aborted. Throws `task-not-found`.
 */
export async function settle(
  taskId: string,
  options: { ledger: Ledger; clock: Clock; seconds: number; signal: AbortSignal },
): Promise<TaskRecord> {
  const { ledger, signal } = options;
  let follower = ledger.follow(taskId);
  let over = signal.aborted || options.seconds <= 0;
  const stop = (): void => {
    over = true;
    follower.close();
  };
  const cancelTimer = over ? () => undefined : options.clock.after(options.seconds * 1000, stop);
  signal.addEventListener('abort', stop, { once: true });
  try {
    let state = follower.snapshot.task.status.state;
    while (!over && !isSettled(state)) {
      const update = await follower.next();
      if (update !== undefined) state = update.state;
      else if (follower.lagged) {
        follower.close();
        follower = ledger.follow(taskId);
        state = follower.snapshot.task.status.state;
      } else break;
    }
    return ledger.get(taskId) ?? follower.snapshot;
  } finally {
    cancelTimer();
    signal.removeEventListener('abort', stop);
    follower.close();
  }
}
