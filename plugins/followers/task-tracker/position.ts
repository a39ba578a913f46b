// Where one watch is on the ladder: its rung, and how far it has come there.
import { firstRung, lastingRung, pollMs, questionsIn, reopenMs, withoutPush, type Means, type Rung } from './ladder.js';

export class Position {
  private current: Rung | undefined;
  private polls = 0;
  private cuts = 0;

  get rung(): Rung | undefined {
    return this.current;
  }

  /** Somebody is expected to wait for what comes. */
  get isClose(): boolean {
    return this.current?.startsWith('close-') ?? false;
  }

  /** Takes the rung for a watch of this age, followed closely for `closeMs`. True when that is another one. */
  choose(means: Means, ageMs: number, closeMs: number): boolean {
    const before = this.current;
    if (before === undefined) this.current = firstRung(means, ageMs, closeMs);
    else if (this.isClose && ageMs >= closeMs) this.current = lastingRung(means);
    if (this.current === before) return false;
    // One that the last process asked about is not asked about like a new one.
    this.polls = before === undefined ? questionsIn(ageMs - closeMs) : 0;
    return true;
  }

  /** Until the next question; `random` in [0, 1). */
  nextPollMs(random: number): number {
    return pollMs(this.isClose ? 'close-poll' : 'poll', this.polls++, random);
  }

  streamWorks(): void {
    this.cuts = 0;
  }

  /** Until a cut stream is opened again; undefined, and questions take its place, when it is not. */
  streamCut(): number | undefined {
    const wait = reopenMs(++this.cuts);
    if (wait === undefined) this.current = 'poll';
    return wait;
  }

  /** The peer has none for this task. */
  noStreams(): void {
    this.cuts = Infinity;
  }

  noCallbacks(means: Pick<Means, 'streaming'>): void {
    this.current = withoutPush(means);
  }
}
