// A server as a child process: started, known by its printed address, stopped by its pid, and never left behind.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ServerChild {
  readonly pid: number;
  /** `http://127.0.0.1:<port>` as the server printed it. */
  readonly url: string;
  readonly port: number;
  /** Milliseconds from the start of the process to the line that says it listens. */
  readonly startedInMs: number;
  /** Resolves when the process is gone. */
  readonly exited: Promise<Exit>;
  readonly alive: boolean;
  /** What it wrote to standard error so far (the last 64 KiB). */
  stderr(): string;
  /** Sends a signal to this very process. */
  signal(name: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL when it has not left after `graceMs`. */
  stop(graceMs?: number): Promise<Exit>;
  /** SIGKILL, now. */
  kill(): Promise<Exit>;
}

const LISTENING = /listening on (http:\/\/[^\s"\\]+)/;
const KEPT_STDERR = 65_536;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The process ended before it listened. */
export class NeverListened extends Error {
  override readonly name = 'NeverListened';
  constructor(
    readonly exit: Exit,
    readonly stderr: string,
  ) {
    super(`the server ended before it listened (code ${exit.code}, signal ${exit.signal}): ${stderr.slice(-2_000)}`);
  }
}

/**
 * Runs `node <args>` and resolves when it prints `listening on <url>`. Throws NeverListened when it ends before that,
 * and an Error (with the process killed) when it takes longer than `timeoutMs`.
 */
export async function startServerChild(
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string; timeoutMs?: number } = {},
): Promise<ServerChild> {
  const begun = performance.now();
  const env = { ...cleanEnvironment(), ...options.env };
  const child = spawn(process.execPath, args, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let output = '';
  let errors = '';
  let gone: Exit | undefined;
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve((gone = { code, signal }));
    });
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-KEPT_STDERR)));
  await once(child, 'spawn');
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      const text = `the server did not listen within ${options.timeoutMs ?? 60_000} ms: ${errors.slice(-2_000)}`;
      void exited.then(() => reject(new Error(text)));
    }, options.timeoutMs ?? 60_000);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT_STDERR);
      const found = LISTENING.exec(output)?.[1];
      if (found === undefined) return;
      clearTimeout(late);
      resolve(found);
    });
    void exited.then((exit) => {
      clearTimeout(late);
      if (!child.killed) reject(new NeverListened(exit, errors));
    });
  });
  const startedInMs = performance.now() - begun;
  return {
    pid: child.pid as number,
    url,
    port: Number(new URL(url).port),
    startedInMs,
    exited,
    get alive() {
      return gone === undefined;
    },
    stderr: () => errors,
    signal: (name) => void child.kill(name),
    async stop(graceMs = 10_000) {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), graceMs);
      const exit = await exited;
      clearTimeout(late);
      return exit;
    },
    kill() {
      child.kill('SIGKILL');
      return exited;
    },
  };
}

/** The parent's environment without what would configure the server or change how Node runs it. */
function cleanEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !name.startsWith('SWITCHBOARD_') && name !== 'NODE_OPTIONS',
  );
  return Object.fromEntries(entries) as Record<string, string>;
}
