// Throws hostile requests at the real server, one after the other, and looks at every answer; then looks at the home.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { TasksAnswer, TaskView } from '../../src/operator-wire.js';
import { A2aClient, textMessage, type WireTask } from '../support/a2a-client.js';
import { startSwitchboard } from '../support/compiled-server.js';
import type { ServerChild } from '../support/server-child.js';
import { makeTestHome, OPERATOR_KEY, type TestHome } from '../support/test-home.js';
import { hostileRequest } from './hostile-requests.js';
import { ask, type RawAnswer, type RawRequest } from './raw-request.js';
import { tasksIn, verdict } from './verdict.js';

export interface FuzzOptions {
  requests: number;
  seed: number;
}

export interface FuzzReport {
  requests: number;
  /** Answers by status. */
  statuses: Record<number, number>;
  /** Empty when all is well. */
  problems: string[];
}

const MAX_BODY_BYTES = 300_000;
/** A good request in between shows that the process still serves. */
const GOOD_EVERY = 100;
const MAX_PROBLEMS = 20;

export async function fuzzRun(options: FuzzOptions): Promise<FuzzReport> {
  const outer = mkdtempSync(join(tmpdir(), 'switchboard-fuzz-'));
  const home = makeTestHome({ below: outer, settings: { maxBodyBytes: MAX_BODY_BYTES, maxPartBytes: 20_000 } });
  const server = await startSwitchboard({ home: home.path });
  try {
    return await new FuzzRun(options, server, home, outer).run();
  } finally {
    await server.stop();
    rmSync(outer, { recursive: true, force: true });
  }
}

class FuzzRun {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private readonly statuses: Record<number, number> = {};
  private readonly problems: string[] = [];
  private readonly shown = new Set<string>();
  private readonly client: A2aClient;
  private readonly operator: A2aClient;
  private readonly key: string;
  private asked = 0;
  private notifications = 0;

  constructor(
    private readonly options: FuzzOptions,
    private readonly server: ServerChild,
    private readonly home: TestHome,
    private readonly outer: string,
  ) {
    this.key = home.keys['ann'] as string;
    this.client = new A2aClient(server.url, this.key);
    this.operator = new A2aClient(server.url, OPERATOR_KEY);
  }

  async run(): Promise<FuzzReport> {
    const { requests, seed } = this.options;
    const waiting = await this.good('ask which size?', 'TASK_STATE_INPUT_REQUIRED');
    const completed = await this.good('hello', 'TASK_STATE_COMPLETED');
    const arbitrary = hostileRequest({ key: this.key, waiting, completed, maxBodyBytes: MAX_BODY_BYTES });
    const property = fc.asyncProperty(arbitrary, (request) => this.try(request));
    const { errorInstance } = await fc.check(property, { numRuns: requests, seed, endOnFailure: true });
    if (errorInstance !== null) this.problems.push(`seed ${seed}: ${String(errorInstance)}`);
    if (this.server.alive) {
      await this.nothingCreated();
      this.nothingEscaped();
    }
    this.agent.destroy();
    return { requests: this.asked, statuses: this.statuses, problems: this.problems };
  }

  private async try(request: RawRequest): Promise<void> {
    this.asked += 1;
    let answer = await this.ask(request);
    // Overload is an honest answer on a busy machine, if it says when to come back and then serves.
    for (let i = 0; i < 5 && answer.status === 503 && answer.headers['retry-after'] !== undefined; i++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      answer = await this.ask(request);
    }
    this.statuses[answer.status] = (this.statuses[answer.status] ?? 0) + 1;
    for (const id of tasksIn(answer)) this.shown.add(id);
    // A JSON-RPC notification is acted on and never answered.
    if (answer.status === 204 && request.method === 'POST') this.notifications += 1;
    const wrong = verdict(request, answer);
    if (wrong !== undefined) {
      this.problems.push(`${wrong}; status ${answer.status}: ${answer.text.slice(0, 500)}\n${describe(request)}`);
      if (this.problems.length === MAX_PROBLEMS) throw new Error('too many problems; the rest was not tried');
    }
    if (this.asked % GOOD_EVERY === 0) await this.good('hello', 'TASK_STATE_COMPLETED');
  }

  private async ask(request: RawRequest): Promise<RawAnswer> {
    try {
      return await ask(this.server.port, this.agent, request);
    } catch (error) {
      if (!this.server.alive) throw new Error(`the server died of\n${describe(request)}`, { cause: error });
      // What overflows the header limit is answered before its method is known, with a body.
      if (request.method === 'HEAD' && request.path.length > 15_000) {
        return { status: 431, type: '', headers: {}, text: '', left: false };
      }
      // A kept connection may have been closed just before it was used again; on a fresh one nothing excuses a failure.
      if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return ask(this.server.port, new Agent(), request);
      throw new Error(`no proper answer (${String(error)}) to\n${describe(request)}`, { cause: error });
    }
  }

  /** A good request; returns its task's id. */
  private async good(text: string, state: string): Promise<string> {
    const message = textMessage(`good-${process.pid}-${this.asked}-${text.length}`, text);
    const { task } = await this.client.rpc<{ task: WireTask }>('SendMessage', { message });
    if (task.status.state !== state) throw new Error(`a good request ended as ${task.status.state}`);
    this.shown.add(task.id);
    return task.id;
  }

  /** There are no tasks but those that answers showed and notifications asked for. */
  private async nothingCreated(): Promise<void> {
    const listed = new Set<string>();
    let cursor = '';
    do {
      const page: TasksAnswer = await this.operator.rest('GET', `/api/a2a/tasks?pageSize=100${cursor}`);
      for (const row of page.tasks) listed.add(row.taskId);
      cursor = page.nextCursor === undefined ? '' : `&cursor=${encodeURIComponent(page.nextCursor)}`;
    } while (cursor !== '');
    const unknown = [...listed].filter((id) => !this.shown.has(id));
    for (const id of unknown.slice(this.notifications).slice(0, 5)) {
      const view: TaskView = await this.operator.rest('GET', `/api/a2a/task/${id}`);
      this.problems.push(`a task that no answer showed: ${JSON.stringify(view).slice(0, 600)}`);
    }
  }

  /** Whatever names were sent: files are only where they belong. */
  private nothingEscaped(): void {
    const expect = (folder: string, pattern: RegExp): void => {
      for (const name of readdirSync(folder)) {
        if (!pattern.test(name)) this.problems.push(`${JSON.stringify(name)} has no place in ${folder}`);
      }
    };
    expect(this.outer, /^switchboard-\w+$/);
    expect(this.home.path, /^(data|workspaces|switchboard\.json|plugins)$/);
    expect(join(this.home.path, 'workspaces'), /^demo$/);
    const workspace = join(this.home.path, 'workspaces', 'demo');
    expect(workspace, /^(\.a2a|inbox|AGENTS\.md)$/);
    expect(join(workspace, '.a2a'), /^(tasks|journal|sessions|blobs|callers\.json|workspace\.json)$/);
    expect(join(workspace, '.a2a', 'sessions'), /^[a-z0-9-]+(\.[a-z0-9-]+)?_[a-z0-9_-]+(\.[0-9a-f]{16})?\.jsonl$/);
  }
}

/** The request as somebody would write it down, cut to a readable length. */
function describe({ method, path, headers, body }: RawRequest): string {
  const text = body?.toString('utf8') ?? '';
  const shown = text.length > 1_500 ? `${text.slice(0, 1_500)}… (${text.length} characters)` : text;
  return `${method} ${path}\n${JSON.stringify(headers).slice(0, 1_000)}\n${shown}`;
}
