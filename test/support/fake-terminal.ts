// A terminal for commands under test: lines in, lines out, and signals at the test's word.
import type { Io } from '../../src/cli/io.js';
import { run } from '../../src/cli/program.js';

export class FakeTerminal implements Io {
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  readonly exits: number[] = [];
  private readonly handlers = new Set<() => void>();
  private readonly watchers: { pattern: RegExp; found: (line: string) => void }[] = [];

  constructor(
    private readonly input: string[] = [],
    readonly isTyped = true,
  ) {}

  out = (line: string): void => {
    this.stdout.push(line);
    for (const { pattern, found } of this.watchers) if (pattern.test(line)) found(line);
  };
  err = (line: string): void => void this.stderr.push(line);
  ask = (): Promise<string | undefined> => Promise.resolve(this.input.shift());
  onSignal = (handler: () => void): (() => void) => {
    this.handlers.add(handler);
    return () => void this.handlers.delete(handler);
  };
  exit = (code: number): void => void this.exits.push(code);
  isClosed = (): boolean => false;
  written = (): Promise<boolean> => Promise.resolve(true);
  close = (): void => undefined;

  signal(): void {
    for (const handler of this.handlers) handler();
  }

  /** The first line of output that fits, now or later. */
  line(pattern: RegExp): Promise<string> {
    const there = this.stdout.find((line) => pattern.test(line));
    if (there !== undefined) return Promise.resolve(there);
    return new Promise((found) => this.watchers.push({ pattern, found }));
  }

  get text(): string {
    return this.stdout.join('\n');
  }
}

export interface Ran {
  code: number;
  out: string;
  err: string;
  /** Standard output as JSON. */
  json<T>(): T;
}

/** One command on a home, as if typed. */
export async function type(
  home: string,
  argv: string[],
  options: { input?: string[]; piped?: boolean; env?: Record<string, string> } = {},
): Promise<Ran> {
  const io = new FakeTerminal(options.input, options.piped !== true);
  const code = await run(argv, io, { SWITCHBOARD_HOME: home, SWITCHBOARD_LOG_LEVEL: 'silent', ...options.env });
  return { code, out: io.text, err: io.stderr.join('\n'), json: <T>() => JSON.parse(io.text) as T };
}
