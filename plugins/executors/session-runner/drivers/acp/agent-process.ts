// An agent's process: started in a process group of its own, its standard error drained and kept in part, and ended
// with everything it has started. It always ends in `ended`, and never throws after it has started.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../../../../src/clock.js';
import { errorText, systemCode } from '../../../../../src/errors.js';
import { RunFailure } from '../../../../../src/executors/contract.js';
import type { Logger } from '../../../../../src/log.js';
import { settlesInTime } from './settles-in-time.js';
import { killMarked, MARK_VARIABLE } from './marked-processes.js';

interface AgentCommand {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Unique to this process; what it starts inherits it. */
  mark: string;
}

/** How long an agent has after the end of its input, and then after SIGTERM. */
const LEAVE_MS = 1_000;
const TERM_MS = 1_500;
/** What is already in the pipe when the process ends is still read, but not for longer than this. */
const DRAIN_MS = 500;
/** Characters of standard error: kept for the log of a bad end, and logged at most per process. */
const KEPT_ERRORS = 4_000;
const LOGGED_ERRORS = 64_000;

export class AgentProcess {
  /** How it ended, e.g. `exit code 1`; resolved once nothing more comes out of it. */
  readonly ended: Promise<string>;
  private isOver = false;
  private closing: Promise<void> | undefined;
  private errors = '';
  private logged = 0;

  private constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    private readonly mark: string,
    private readonly deps: { clock: Clock; log: Logger },
  ) {
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.complain(text));
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    const drained = new Promise<void>((resolve) => void child.stdout.once('close', resolve));
    const exited = new Promise<string>((resolve) =>
      child.once('exit', (code, signal) => {
        // What it leaves behind may hold its pipes open, and need not carry the mark: some clear the environment.
        killGroup(child.pid);
        killMarked(mark);
        resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
      }),
    );
    this.ended = exited.then(async (how) => {
      this.isOver = true;
      await this.within(DRAIN_MS, drained);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      return how;
    });
  }

  /** Throws a RunFailure in plain words when the program can't be started. */
  static start(command: AgentCommand, deps: { clock: Clock; log: Logger }): Promise<AgentProcess> {
    const { args, cwd, mark } = command;
    const env = { ...command.env, [MARK_VARIABLE]: mark };
    return new Promise((resolve, reject) => {
      const failed = (error: unknown): void => reject(startFailure(command, error));
      try {
        const child = spawn(command.command, [...args], { cwd, env, detached: true, stdio: 'pipe' });
        child.once('error', failed);
        child.once('spawn', () => {
          child.off('error', failed).on('error', (error) => deps.log.warn({ err: error }, 'an agent’s process'));
          resolve(new AgentProcess(child, mark, deps));
        });
      } catch (error) {
        failed(error);
      }
    });
  }

  get input(): Writable {
    return this.child.stdin;
  }

  get output(): Readable {
    return this.child.stdout;
  }

  get over(): boolean {
    return this.isOver;
  }

  /** The last it said on standard error, not redacted. */
  get lastErrors(): string {
    return this.errors;
  }

  /** Lets it leave, then makes it. Resolves when it and all it has started are gone, or can't be helped. */
  close(): Promise<void> {
    return (this.closing ??= this.shutDown());
  }

  /** Ends it and all it has started at once. */
  kill(): void {
    this.signal('SIGKILL');
    killMarked(this.mark);
  }

  private async shutDown(): Promise<void> {
    this.child.stdin.end();
    if (await this.within(LEAVE_MS, this.ended)) return;
    this.signal('SIGTERM');
    if (await this.within(TERM_MS, this.ended)) return;
    this.kill();
    await this.within(TERM_MS, this.ended);
  }

  /** To the whole group, and only while its leader has not been reaped: the number can't be another's. */
  private signal(name: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      process.kill(-pid, name);
    } catch {
      this.child.kill(name);
    }
  }

  private complain(text: string): void {
    this.errors = (this.errors + text).slice(-KEPT_ERRORS);
    const left = LOGGED_ERRORS - this.logged;
    if (left <= 0) return;
    this.logged += text.length;
    this.deps.log.debug({ agent: text.slice(0, left).trimEnd() }, 'the agent’s standard error');
  }

  private within(ms: number, promise: Promise<unknown>): Promise<boolean> {
    return settlesInTime(promise, { clock: this.deps.clock, ms });
  }
}

/** Of a leader that has just ended: nobody else gets its number while anybody of the group is left. */
function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nobody is left.
  }
}

function startFailure({ command, cwd }: AgentCommand, error: unknown): RunFailure {
  const code = systemCode(error);
  // A missing folder and a missing program are the same error.
  const noFolder = code === 'ENOENT' && statSync(cwd, { throwIfNoEntry: false }) === undefined;
  if (noFolder) return new RunFailure('The workspace’s folder is gone.', 'agent-start');
  const why: Record<string, string> = { ENOENT: 'was not found', EACCES: 'may not be run' };
  const reason = why[code ?? ''] ?? `could not be started (${code ?? errorText(error)})`;
  return new RunFailure(`The agent's program "${command}" ${reason}.`, 'agent-start');
}
