// How many webhooks are called at once: so many in all, and so many of one caller, so that a caller whose receivers hang
// holds up nobody else.

export class Slots {
  private taken = 0;
  private readonly perCaller = new Map<string, number>();
  private waiting: { caller: string; start: () => void }[] = [];

  constructor(
    private readonly most: number,
    private readonly mostPerCaller: number,
  ) {}

  /** Runs `work` when there is room, first come first served within what each caller may take. */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    if (!this.free(caller)) await new Promise<void>((start) => this.waiting.push({ caller, start }));
    else this.take(caller, 1);
    try {
      return await work();
    } finally {
      this.take(caller, -1);
      this.startNext();
    }
  }

  private startNext(): void {
    const next = this.waiting.find(({ caller }) => this.free(caller));
    if (!next) return;
    this.waiting = this.waiting.filter((waiter) => waiter !== next);
    // Taken here and not when the work begins, or somebody could come in between.
    this.take(next.caller, 1);
    next.start();
  }

  private free(caller: string): boolean {
    return this.taken < this.most && (this.perCaller.get(caller) ?? 0) < this.mostPerCaller;
  }

  private take(caller: string, change: 1 | -1): void {
    this.taken += change;
    const count = (this.perCaller.get(caller) ?? 0) + change;
    if (count > 0) this.perCaller.set(caller, count);
    else this.perCaller.delete(caller);
  }
}
