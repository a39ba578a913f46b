// The terminal as commands see it, so that tests can be one.
import { createInterface, type Interface } from 'node:readline';
import { Output } from './output.js';

export interface Io {
  /** A line of results, to standard output. */
  out(line: string): void;
  /** A line for people, to standard error. */
  err(line: string): void;
  /** Somebody types; false where input comes from a file or a program. */
  readonly isTyped: boolean;
  /** True once nobody gets what is still written to standard output. */
  isClosed(): boolean;
  /** Waits until all results were written. False when some were lost, other than to a reader that went away. */
  written(): Promise<boolean>;
  /** The next line of input, after a prompt where somebody types; undefined at its end. */
  ask(prompt: string): Promise<string | undefined>;
  /** Calls back at SIGINT and SIGTERM; the returned function stops that. */
  onSignal(handler: () => void): () => void;
  /** Ends the process without waiting for anything. */
  exit(code: number): void;
  /** Frees the input. */
  close(): void;
}

export function terminalIo(): Io {
  let input: { reader: Interface; lines: AsyncIterator<string> } | undefined;
  const errors = new Output(process.stderr);
  const results = new Output(process.stdout, (why) => errors.write(`The output could not be written (${why}).\n`));
  return {
    out: (line) => results.write(`${line}\n`),
    err: (line) => errors.write(`${line}\n`),
    isTyped: process.stdin.isTTY,
    isClosed: () => results.closed,
    async written() {
      await results.flush();
      return !results.lost;
    },
    async ask(prompt) {
      if (input === undefined) {
        const reader = createInterface({ input: process.stdin, terminal: false });
        input = { reader, lines: reader[Symbol.asyncIterator]() };
      }
      if (process.stdin.isTTY) results.write(prompt);
      const { value, done } = await input.lines.next();
      return done === true ? undefined : value;
    },
    onSignal(handler) {
      process.on('SIGINT', handler).on('SIGTERM', handler);
      return () => void process.off('SIGINT', handler).off('SIGTERM', handler);
    },
    exit: (code) => process.exit(code),
    close: () => input?.reader.close(),
  };
}
