import { taskLimits } from '../src/task-limits.js';

const DAY = 86_400_000;
const home = { expireQuestionsSeconds: 3600, retention: { days: 90, maxTasks: 7 } };

describe('how long a scope keeps what', () => {
  it('is what the home says where the workspace says nothing', () => {
    expect(taskLimits(home)).toEqual({ questionMs: 3_600_000, keepMs: 90 * DAY, maxTasks: 7 });
    expect(taskLimits(home, { retention: {} })).toEqual(taskLimits(home));
  });

  it('is what the workspace says, member by member', () => {
    const own = { retention: { days: 0.5 }, expireQuestions: '2d' };
    expect(taskLimits(home, own)).toEqual({ questionMs: 2 * DAY, keepMs: DAY / 2, maxTasks: 7 });
    expect(taskLimits(home, { retention: { maxTasks: 0 } })?.maxTasks).toBe(0);
  });

  it('is nothing at all while the owner’s wishes can’t be read', () => {
    expect(taskLimits(home, { retention: {}, unknown: true })).toBeUndefined();
  });
});
