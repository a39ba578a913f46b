// Callers take turns at the event loop: of each, a number of requests begin in a turn of it, and what else it sent at the
// same moment waits for the next ones. So whoever sends a hundred requests at once delays mostly those.

/**
 * Requests of one caller that begin in a turn. Many, since what is done once a turn is then done for all of them: with four,
 * a caller with twenty connections got a quarter less done.
 */
const PER_TURN = 32;

export class FairTurns {
  /** How many requests of each caller began in this turn; empty when none did. */
  private readonly begun = new Map<string, number>();
  /** What waits, oldest first, of every caller who has something waiting. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /** `nextTurn` calls back when the event loop has handled what is due now. */
  constructor(
    private readonly nextTurn: (call: () => void) => void = setImmediate,
    private readonly perTurn = PER_TURN,
  ) {}

  /** Calls `begin` at once, or when it is this caller's turn again. It must not throw. */
  take(callerId: string, begin: () => void): void {
    const queue = this.waiting.get(callerId);
    if (queue) queue.push(begin);
    else if (this.begun.get(callerId) === this.perTurn) this.waiting.set(callerId, [begin]);
    else this.begin(callerId, [begin]);
  }

  private begin(callerId: string, requests: readonly (() => void)[]): void {
    if (this.begun.size === 0) this.nextTurn(() => this.startTurn());
    this.begun.set(callerId, (this.begun.get(callerId) ?? 0) + requests.length);
    for (const begin of requests) begin();
  }

  private startTurn(): void {
    this.begun.clear();
    for (const [callerId, queue] of this.waiting) {
      const due = queue.splice(0, this.perTurn);
      if (queue.length === 0) this.waiting.delete(callerId);
      this.begin(callerId, due);
    }
  }
}
