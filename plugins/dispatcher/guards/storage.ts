// Guard 5: how many tasks a workspace keeps, and how many bytes. Before the quota, since a refusal for that is kept as a
// task, and where nothing more fits not even a refusal does.
import { refuse, type Guard } from '../guard.js';
import { limitOf } from './limit-of.js';

export const storage: Guard = {
  name: 'storage',
  check(candidate, ports) {
    const { caller, continues } = candidate.request;
    const { census } = ports.core.ledger;
    const tasks = limitOf('tasks', caller.scope, candidate, ports);
    if (!continues && census.stored(caller.scope) >= tasks) {
      return refuse('quota', `The workspace keeps ${tasks} tasks, its limit; older ones have to go first.`);
    }
    const bytes = limitOf('taskBytes', caller.scope, candidate, ports);
    if (!census.keeps(caller.scope, bytes)) return undefined;
    return refuse('quota', `The workspace keeps ${bytes} bytes of tasks, its limit; older ones have to go first.`);
  },
};
