// Notices when refusals come in a storm: one warning when it begins, one line when it is over.
const WINDOW_MS = 60_000;
/** Refusals within a window that make a storm. */
const STORM = 100;

export class StormWatch {
  private windowStart = 0;
  private count = 0;
  private stormy = false;

  /** Counts one refusal; says what just changed, if anything. The count never skips a refusal, warned or not. */
  record(now: number): 'begins' | 'ends' | undefined {
    let change: 'ends' | undefined;
    if (now - this.windowStart >= WINDOW_MS) {
      if (this.stormy && this.count < STORM) {
        this.stormy = false;
        change = 'ends';
      }
      this.windowStart = now;
      this.count = 0;
    }
    this.count++;
    if (this.count >= STORM && !this.stormy) {
      this.stormy = true;
      return 'begins';
    }
    return change;
  }
}
