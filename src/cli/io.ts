// The terminal as commands see it, so that tests can be one.
import { createInterface, type Interface } from 'node:readline';

export interface Io {
  /** A line of results, to standard output. */
  out(line: string): void;
  /** A line for people, to standard error. */
  err(line: string): void;
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
  return {
    out: (line) => console.log(line),
    err: (line) => console.error(line),
    async ask(prompt) {
      if (input === undefined) {
        const reader = createInterface({ input: process.stdin, terminal: false });
        input = { reader, lines: reader[Symbol.asyncIterator]() };
      }
      if (process.stdin.isTTY) process.stdout.write(prompt);
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
