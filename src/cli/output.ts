// One stream that results are written to, and whether they arrived: a full disk is a failure, a reader that wanted no
// more is none. Never throws, and an error of the stream ends nothing.
import type { Writable } from 'node:stream';

export class Output {
  private failedWith: NodeJS.ErrnoException | undefined;

  /** @param failed is told the first error that is no closed pipe. */
  constructor(
    private readonly stream: Writable,
    private readonly failed: (why: string) => void = () => undefined,
  ) {
    stream.on('error', (error) => this.fail(error));
  }

  /** Nobody gets what is written from here on. */
  get closed(): boolean {
    return this.failedWith !== undefined;
  }

  /** What was written got lost, and not because its reader went away. */
  get lost(): boolean {
    return this.failedWith !== undefined && this.failedWith.code !== 'EPIPE';
  }

  write(text: string): void {
    if (!this.closed) this.stream.write(text);
  }

  /** Resolves once everything was written, or can't be. */
  async flush(): Promise<void> {
    if (this.closed) return;
    const error = await new Promise<Error | null | undefined>((resolve) => this.stream.write('', resolve));
    if (error) this.fail(error);
  }

  private fail(error: NodeJS.ErrnoException): void {
    if (this.closed) return;
    this.failedWith = error;
    if (this.lost) this.failed(error.code ?? error.message);
  }
}
