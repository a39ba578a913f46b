// The schedule and the tries as one port, on which what SQLite can't do is AppError `storage-failed`.
import type { PushTable } from './push-rows.js';
import type { PushSchedule } from './push-schedule.js';
import type { PushTries } from './push-tries.js';
import { storing } from './sqlite-code.js';

export function pushTable(
  schedule: PushSchedule,
  tries: PushTries,
  inTransaction: (work: () => void) => void,
): PushTable {
  return {
    nextLane: (after) => storing(() => schedule.nextLane(after)),
    due: (lane, now, limit) => storing(() => schedule.due(lane, now, limit)),
    nextAfter: (now) => storing(() => schedule.nextAfter(now)),
    find: (taskId, configId) => storing(() => schedule.find(taskId, configId)),
    postpone: (push) => storing(() => schedule.postpone(push)),
    bringForward: (times) => storing(() => schedule.bringForward(times)),
    list: (query) => storing(() => schedule.list(query)),
    deadSince: (since, limit) => storing(() => schedule.deadSince(since, limit)),
    addTries: (added) => storing(() => inTransaction(() => tries.add(added))),
    tries: (taskId, configId, limit) => storing(() => tries.of(taskId, configId, limit)),
  };
}
