// How often owners' files are looked at. Within one turn of the event loop a second look can't find anything that a
// request of that turn was sent after: whatever came in is only read in the next turn.

export class Freshness {
  private stamp = 0;
  private armed = false;

  /** `perTurn`: one look a turn of the event loop is enough; otherwise every question is a new look. */
  constructor(private readonly perTurn: boolean) {}

  /** While this returns the same number, what was seen need not be looked at again. */
  now(): number {
    if (!this.perTurn) return ++this.stamp;
    if (!this.armed) {
      this.armed = true;
      setImmediate(() => {
        this.armed = false;
        this.stamp++;
      });
    }
    return this.stamp;
  }

  /** Something was written: look again. */
  touch(): void {
    this.stamp++;
  }
}
