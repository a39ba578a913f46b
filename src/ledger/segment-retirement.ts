// Closed segments on their way out, oldest first. Invariant: a segment goes only when each of its entries is in a
// checkpoint that is at least as durable as the segment was.
import { errorText } from '../errors.js';
import { removeSegment, type JournalFolder } from './journal-folder.js';
import type { Segment } from './segment.js';

const POINTS = { before: 'segment.before-unlink', after: 'segment.after-unlink' } as const;

export class SegmentRetirement {
  private readonly closed: Segment[] = [];
  private leaving: Segment | undefined;
  private running: Promise<void> | undefined;

  constructor(private readonly folder: JournalFolder) {}

  add(segment: Segment): void {
    this.closed.push(segment);
    this.start();
  }

  checkpointed(taskId: string, seq: number): void {
    for (const segment of this.closed) segment.checkpointed(taskId, seq);
    this.start();
  }

  /** True when the task's history begins in a segment that is here and stays for now. */
  begins(taskId: string): boolean {
    return this.closed.some((segment) => segment !== this.leaving && segment.begins(taskId));
  }

  /** Resolves when all that could go now is gone. */
  async finished(): Promise<void> {
    this.start();
    await this.running;
  }

  private start(): void {
    if (this.running || !this.closed[0]?.settled) return;
    this.running = this.run().finally(() => (this.running = undefined));
  }

  private async run(): Promise<void> {
    try {
      for (let segment = this.closed[0]; segment?.settled; segment = this.closed[0]) {
        // From here on `begins` says no, so a newer checkpoint of these tasks is synced before it replaces the one
        // that is about to become their only copy.
        this.leaving = segment;
        await this.folder.checkpoints.sync();
        await removeSegment(this.folder, segment.name, POINTS);
        this.closed.shift();
      }
    } catch (error) {
      // Nothing is lost by keeping it; the next checkpoint tries again.
      this.folder.log.warn({ reason: errorText(error) }, 'a journal segment could not be removed yet');
    }
  }
}
