// Notices when refusals come in a storm: one warning when it begins, one line with the first refusal after it is over.
const WINDOW_MS = 60_000;
/** Refusals within a window that make a storm. */
const STORM = 100;

export class StormWatch {
  private windowStart = 0;
  private count = 0;
  private stormy = false;

  /** Counts one refusal; says what just changed, if anything. The count never skips a refusal, warned or not. */
  record(now: number): 'begins' | 'ends' | undefined {
    const passed = now - this.windowStart;
    // A clock that was set back must not make the window longer.
    const isOver = passed >= WINDOW_MS || passed < 0;
    const wasCalm = this.count < STORM || passed >= 2 * WINDOW_MS;
    const ends = isOver && wasCalm && this.stormy;
    if (isOver) {
      this.windowStart = now;
      this.count = 0;
    }
    if (ends) this.stormy = false;
    this.count++;
    if (this.count < STORM || this.stormy) return ends ? 'ends' : undefined;
    this.stormy = true;
    return 'begins';
  }
}
