// Runs one command of an assistant whose owner allows that: limited time and output, no secrets in its environment, and
// nothing of its process group left behind. It is not confined: what it runs may do whatever the server's user may.
import { spawn } from 'node:child_process';
import type { Environment } from '../../../../src/environment.js';
import type { Clock } from '../../../../src/clock.js';
import type { ToolResult } from '../../../../src/authoring/driver.js';
import { countOr, isText, refused, text, whole, type FileTool } from './file-tool.js';

interface ShellDeps {
  environment: Pick<Environment, 'forChild'>;
  clock: Clock;
}

const SECONDS = 60;
const MAX_SECONDS = 600;
/** Characters that the model is told: the beginning and the end. */
const MAX_SHOWN = 30_000;
/** What was written is read for so long after the end. */
const PIPES_MS = 1_000;
/** Bytes after which a command is stopped: it would go on for ever. */
const MAX_OUTPUT = 8 * 1024 * 1024;

export const shellTool = (deps: ShellDeps): FileTool => ({
  name: 'shell',
  description: `Run a command with sh in the workspace's folder. It gets ${SECONDS} seconds unless you give more.`,
  parameters: {
    type: 'object',
    properties: { command: text('The command.'), seconds: whole(`Time limit; ${MAX_SECONDS} at most.`) },
    required: ['command'],
  },
  call({ command, seconds }, { directory, signal }) {
    if (!isText(command) || command.includes('\0')) return refused('"command" must be a text.');
    const limit = Math.min(countOr(seconds, SECONDS), MAX_SECONDS);
    return run(command, directory, limit, signal, deps);
  },
});

function run(
  command: string,
  directory: string,
  seconds: number,
  signal: AbortSignal,
  { environment, clock }: ShellDeps,
): Promise<ToolResult> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(refused('Not run: the turn is over.'));
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: directory,
      env: { ...environment.forChild(), HOME: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, so that all of it can be ended.
      detached: true,
    });
    const output = new Output();
    let stopped: string | undefined;
    const kill = (): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Nobody of the group is left.
      }
    };
    const stop = (why: string): void => {
      stopped ??= why;
      kill();
    };
    const cancelTimer = clock.after(seconds * 1000, () => stop(`it took longer than ${seconds} seconds`));
    const aborted = (): void => stop('the turn is over');
    signal.addEventListener('abort', aborted, { once: true });
    let cancelWait = (): void => undefined;
    const settle = (result: ToolResult): void => {
      cancelTimer();
      cancelWait();
      signal.removeEventListener('abort', aborted);
      resolve(result);
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        if (output.add(chunk) > MAX_OUTPUT) stop('it wrote too much');
      });
    }
    child.on('error', () => settle(refused('The command could not be started.')));
    child.on('exit', () => {
      // What it left in the background would run on and hold the pipes open. Who left the group still may hold them.
      kill();
      cancelWait = clock.after(PIPES_MS, () => {
        child.stdout.destroy();
        child.stderr.destroy();
      });
    });
    child.on('close', (code, killedBy) => {
      const how = stopped ? `[stopped: ${stopped}]` : `[exit ${code ?? killedBy}]`;
      settle({ ok: code === 0 && !stopped, text: `${output.shown()}${how}` });
    });
  });
}

/** The beginning and the end of what was written. */
class Output {
  private head = Buffer.alloc(0);
  private tail = Buffer.alloc(0);
  private size = 0;

  /** Returns how many bytes there were so far. */
  add(chunk: Buffer): number {
    this.size += chunk.length;
    const room = MAX_SHOWN / 2 - this.head.length;
    if (room > 0) this.head = Buffer.concat([this.head, chunk.subarray(0, room)]);
    const rest = chunk.subarray(Math.max(room, 0));
    if (rest.length > 0) this.tail = Buffer.concat([this.tail, rest]).subarray(-MAX_SHOWN / 2);
    return this.size;
  }

  shown(): string {
    const left = this.size - this.head.length - this.tail.length;
    const text =
      left > 0 ? `${this.head}\n[${left} bytes left out]\n${this.tail}` : `${Buffer.concat([this.head, this.tail])}`;
    return text === '' || text.endsWith('\n') ? text : `${text}\n`;
  }
}
