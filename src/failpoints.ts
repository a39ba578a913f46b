// Named places around every write that becomes durable, at which a crash test can kill the process. Unarmed, passing
// one costs a single check.
import { AppError } from './errors.js';

/** Around work at a remote agent; passed only where a task has some. */
export const REMOTE_FAILPOINTS = [
  'watch.before-begin',
  'watch.before-send',
  'watch.after-send',
  'watch.after-follow',
  'watch.before-end',
  'reply.before-prompt',
  'reply.after-prompt',
] as const;

export const FAILPOINTS = [
  'journal.before-write',
  'journal.torn-write', // dies with half of the group on disk
  'journal.after-write',
  'journal.after-sync', // only passed with durability `power`
  'segment.created',
  'segment.before-unlink',
  'segment.after-unlink',
  'checkpoint.before-write',
  'checkpoint.after-temp',
  'checkpoint.after-rename',
  'recovery.after-truncate', // only passed when the last line was torn
  'recovery.before-unlink',
  'recovery.after-unlink',
  'blob.before-write',
  'blob.after-temp',
  'blob.after-rename',
  'callers.before-rename',
  'callers.after-rename',
  'transcript.before-append',
  'transcript.after-append',
  'purge.committed',
  'purge.after-row',
  'purge.after-checkpoint',
  'purge.after-transcript',
  'purge.after-blob',
  'push.before-call',
  'push.after-answer',
  'push.after-acknowledgement',
  ...REMOTE_FAILPOINTS,
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

/** Ends the process as a crash would: no handler runs, nothing is flushed, and not one more statement is executed. */
function killOwnProcess(): never {
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error('unreachable');
}

export class Failpoints {
  private readonly armed: Failpoint | undefined;
  private remaining = 0;

  /**
   * @param spec `name` or `name:n` for the n-th pass (from 1); absent arms nothing. Throws AppError `config` otherwise.
   * @param die replaced by tests that want to live.
   */
  constructor(
    spec?: string,
    readonly die: () => never = killOwnProcess,
  ) {
    if (spec === undefined) return;
    const [name, count = '1', ...rest] = spec.split(':');
    const known = FAILPOINTS.find((point) => point === name);
    if (known === undefined || !/^[1-9]\d{0,8}$/.test(count) || rest.length > 0) {
      throw new AppError(
        'config',
        `Unknown failpoint "${spec}"; use NAME or NAME:n with one of ${FAILPOINTS.join(', ')}.`,
      );
    }
    this.armed = known;
    this.remaining = Number(count);
  }

  /** Dies here if this pass is the armed one. */
  hit(point: Failpoint): void {
    if (this.armed !== undefined && this.reached(point)) this.die();
  }

  /** Counts a pass and says whether it is the armed one, for places that do something before they call `die`. */
  reached(point: Failpoint): boolean {
    return this.armed === point && --this.remaining === 0;
  }
}
