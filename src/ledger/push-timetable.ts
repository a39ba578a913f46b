// When webhooks are tried next, as the mirror has it: before it is asked, it learns what was committed.
import type { Clock } from '../clock.js';
import { errorText } from '../errors.js';
import type { Logger } from '../log.js';
import type { PushTry } from '../mirror/push-rows.js';
import type { Mirror } from '../mirror/rows.js';
import type { PushSchedule } from './ledger-port.js';

/** Tries are written together, so many or after so long. */
const TRIES_AT_ONCE = 256;
const TRIES_WAIT_MS = 500;

interface PushTimetableDeps {
  mirror: Pick<Mirror, 'pushes'>;
  clock: Pick<Clock, 'after'>;
  log: Logger;
  /** Brings everything committed into the mirror. */
  sync(): void;
}

export class PushTimetable implements PushSchedule {
  private waiting: PushTry[] = [];

  constructor(private readonly deps: PushTimetableDeps) {}

  nextLane: PushSchedule['nextLane'] = (after) => {
    // A walk over all lanes begins with what is true then.
    if (!after) this.deps.sync();
    return this.pushes.nextLane(after);
  };
  due: PushSchedule['due'] = (lane, now, limit) => this.pushes.due(lane, now, limit);
  nextAfter: PushSchedule['nextAfter'] = (now) => this.synced.nextAfter(now);
  find: PushSchedule['find'] = (taskId, configId) => this.pushes.find(taskId, configId);
  postpone: PushSchedule['postpone'] = (push) => this.synced.postpone(push);
  list: PushSchedule['list'] = (query) => this.synced.list(query);
  deadSince: PushSchedule['deadSince'] = (since, limit) => this.synced.deadSince(since, limit);

  record(attempt: PushTry): void {
    this.waiting.push(attempt);
    if (this.waiting.length === 1) this.deps.clock.after(TRIES_WAIT_MS, () => this.flush());
    else if (this.waiting.length >= TRIES_AT_ONCE) this.flush();
  }

  tries(taskId: string, configId: string, limit: number): PushTry[] {
    this.flush();
    return this.pushes.tries(taskId, configId, limit);
  }

  /** Writes the tries that wait. Those that can't be written are forgotten. */
  flush(): void {
    const { waiting } = this;
    if (waiting.length === 0) return;
    this.waiting = [];
    try {
      this.pushes.addTries(waiting);
    } catch (error) {
      this.deps.log.warn({ reason: errorText(error) }, 'the tries of webhooks could not be written down');
    }
  }

  private get pushes(): Mirror['pushes'] {
    return this.deps.mirror.pushes;
  }

  private get synced(): Mirror['pushes'] {
    this.deps.sync();
    return this.pushes;
  }
}
