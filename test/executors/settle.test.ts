import { jest } from '@jest/globals';
import type { TaskState } from '../../src/a2a-model.js';
import type { Follower, Ledger } from '../../src/ledger/ledger-port.js';
import type { TaskRecord, Update } from '../../src/ledger/records.js';
import { settle } from '../../src/executors/settle.js';
import { FakeClock } from '../support/fake-clock.js';

const recordIn = (state: TaskState): TaskRecord =>
  ({ task: { id: 't', status: { state, timestamp: '' } }, envelope: {} }) as unknown as TaskRecord;

/** A ledger with one task whose followers are fed by the test. */
class OneTask {
  state: TaskState = 'TASK_STATE_WORKING';
  lagged = false;
  follows = 0;
  followedAfter: number | undefined;
  closed = 0;
  private waiting: ((update: Update | undefined) => void) | undefined;

  readonly ledger = {
    get: () => recordIn(this.state),
    follow: (_taskId: string, afterSeq?: number): Follower => {
      this.follows++;
      this.followedAfter = afterSeq;
      return {
        snapshot: recordIn(this.state),
        next: () => new Promise((resolve) => (this.waiting = resolve)),
        lagged: this.lagged,
        failure: undefined,
        close: () => {
          this.closed++;
          this.feed(undefined);
        },
      };
    },
  } as unknown as Ledger;

  become(state: TaskState): void {
    this.state = state;
    this.feed({ seq: 2, state, turn: 1 });
  }

  feed(update: Update | undefined): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.(update);
  }
}

const begin = (one: OneTask, seconds = 30) => {
  const clock = new FakeClock();
  const hangUp = new AbortController();
  const settled = jest.fn();
  const result = settle('t', { ledger: one.ledger, limit: { clock, seconds }, signal: hangUp.signal });
  void result.then(settled);
  return { clock, hangUp, settled, result };
};
const stateOf = async (result: Promise<TaskRecord>): Promise<TaskState> => (await result).task.status.state;

describe('settle', () => {
  it.each([
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_AUTH_REQUIRED',
  ] as const)('returns once the task is %s, not before', async (state) => {
    const one = new OneTask();
    const { result, settled, clock } = begin(one);
    one.feed({ seq: 1, state: 'TASK_STATE_WORKING', turn: 1 });
    await Promise.resolve();
    expect(settled).not.toHaveBeenCalled();
    one.become(state);
    expect(await stateOf(result)).toBe(state);
    expect(clock.pending).toBe(0);
  });

  it('returns at once for a settled task and closes its follower', async () => {
    const one = new OneTask();
    one.state = 'TASK_STATE_COMPLETED';
    expect(await stateOf(begin(one).result)).toBe('TASK_STATE_COMPLETED');
    expect(one.closed).toBe(1);
  });

  it('returns the state of that moment when the time is over', async () => {
    const one = new OneTask();
    const { clock, result } = begin(one, 5);
    clock.advance(5000);
    expect(await stateOf(result)).toBe('TASK_STATE_WORKING');
  });

  it('misses nothing that is committed while the time runs out', async () => {
    const one = new OneTask();
    const { clock, result } = begin(one, 5);
    clock.advance(5000);
    one.state = 'TASK_STATE_COMPLETED';
    expect(await stateOf(result)).toBe('TASK_STATE_COMPLETED');
  });

  it('does not wait when told to wait 0 seconds', async () => {
    const { clock, result } = begin(new OneTask(), 0);
    expect(await stateOf(result)).toBe('TASK_STATE_WORKING');
    expect(clock.pending).toBe(0);
  });

  it('stops waiting when the client hangs up', async () => {
    const one = new OneTask();
    const { hangUp, result, clock } = begin(one);
    hangUp.abort();
    expect(await stateOf(result)).toBe('TASK_STATE_WORKING');
    expect(clock.pending).toBe(0);
  });

  it('follows anew when it fell behind', async () => {
    const one = new OneTask();
    one.lagged = true;
    const { result } = begin(one);
    one.state = 'TASK_STATE_COMPLETED';
    one.feed(undefined);
    expect(await stateOf(result)).toBe('TASK_STATE_COMPLETED');
    expect(one.follows).toBe(2);
  });

  it('waits without a limit where none is given', async () => {
    const one = new OneTask();
    const result = settle('t', { ledger: one.ledger, signal: new AbortController().signal });
    one.become('TASK_STATE_COMPLETED');
    expect(await stateOf(result)).toBe('TASK_STATE_COMPLETED');
    expect(one.closed).toBe(1);
  });

  it('sees that the task settled between the given position and now, though it runs again', async () => {
    const one = new OneTask();
    const result = settle('t', { ledger: one.ledger, signal: new AbortController().signal, afterSeq: 7 });
    expect(one.followedAfter).toBe(7);
    one.feed({ seq: 8, state: 'TASK_STATE_INPUT_REQUIRED', turn: 1 });
    expect(await stateOf(result)).toBe('TASK_STATE_WORKING');
  });
});
