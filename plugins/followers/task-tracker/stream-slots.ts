// How many streams are held for long at the same time: a watch that gets none asks instead.

export class StreamSlots {
  private held = 0;

  constructor(private readonly most: number) {}

  /** Undefined when all are taken; else gives it back, once. */
  take(): (() => void) | undefined {
    if (this.held >= this.most) return undefined;
    this.held++;
    let given = false;
    return () => {
      if (!given) this.held--;
      given = true;
    };
  }
}
