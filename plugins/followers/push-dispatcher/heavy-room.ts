// How many notifications with large files are on their way at once, overall and of one caller: each is in memory until it
// is answered, so memory holds, and no caller whose receivers hang takes all the places.

/** Notifications with more bytes of files than this count. */
const HEAVY_BYTES = 256 * 1024;
const AT_ONCE = 12;
const AT_ONCE_OF_CALLER = 4;

export class HeavyRoom {
  private taken = 0;
  private readonly perCaller = new Map<string, number>();

  /** `bytes`: of the files. What gives the place back, or undefined when there is none now. */
  enter(caller: string, bytes: number): (() => void) | undefined {
    if (bytes <= HEAVY_BYTES) return () => undefined;
    if (this.taken >= AT_ONCE || (this.perCaller.get(caller) ?? 0) >= AT_ONCE_OF_CALLER) return undefined;
    this.count(caller, 1);
    return () => this.count(caller, -1);
  }

  private count(caller: string, change: 1 | -1): void {
    this.taken += change;
    const left = (this.perCaller.get(caller) ?? 0) + change;
    if (left > 0) this.perCaller.set(caller, left);
    else this.perCaller.delete(caller);
  }
}
