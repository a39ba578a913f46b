import { LiveTask } from '../../src/ledger/live-task.js';
import type { TaskRecord } from '../../src/ledger/records.js';
import { TaskMemory } from '../../src/ledger/task-memory.js';
import { FakeClock } from '../support/fake-clock.js';

const record = (taskId: string): TaskRecord => ({ task: { id: taskId }, envelope: { seq: 1 } }) as TaskRecord;

/** A task read from its file; unsaved: something was committed since. */
function task(taskId: string, unsaved = false): LiveTask {
  const live = new LiveTask(taskId, record(taskId));
  if (unsaved) live.checkpointed = 0;
  return live;
}

describe('the tasks in memory', () => {
  it('include one that was just read, however many wait for their files', () => {
    const memory = new TaskMemory(new FakeClock());
    const put = (live: LiveTask): LiveTask => {
      memory.add(live);
      memory.saved(live);
      return live;
    };
    for (let i = 0; i < 1_500; i++) put(task(`unsaved-${i}`, true));
    const read = put(task('read'));
    expect(memory.get('read')).toBe(read);
  });

  it('leave in the end when many come that may', () => {
    const memory = new TaskMemory(new FakeClock());
    for (let i = 0; i < 5_000; i++) {
      const live = task(`t${i}`);
      memory.add(live);
      memory.saved(live);
    }
    expect([...memory.all()].length).toBeLessThanOrEqual(1_001);
  });
});
