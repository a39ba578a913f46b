// A runner on fakes: time moves by hand, workspaces are temporary folders with a real inbox, blobs and
// transcripts are maps.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Driver } from '../../../src/authoring/driver.js';
import { DRIVERS } from '../../../plugins/executors/session-runner/drivers/driver-list.js';
import { Runner, type RunnerCore } from '../../../plugins/executors/session-runner/runner.js';
import type { Artifact, Part } from '../../../src/a2a-model.js';
import type { Config } from '../../../src/config.js';
import type { Clock } from '../../../src/clock.js';
import type { Prompt, RunHandle, RunOutcome } from '../../../src/executors/contract.js';
import type { Answer } from '../../../src/ledger/records.js';
import { createEnvironment } from '../../../src/environment.js';
import { silentLogger } from '../../../src/log.js';
import { Secrets } from '../../../src/secrets/secrets.js';
import { createGuardedFetch, type GuardedFetch } from '../../../src/net/guarded-fetch.js';
import type { BlobRef, BlobStore } from '../../../src/workspace/blob-store.js';
import { Inbox } from '../../../src/workspace/inbox.js';
import type { CardSource, WorkspaceSettings } from '../../../src/workspace/settings.js';
import type { TranscriptLine } from '../../../src/workspace/transcript.js';

export class HandClock implements Clock {
  private time = Date.UTC(2026, 5, 4, 12, 5);
  private readonly timers = new Set<{ at: number; fn: () => void }>();

  now(): number {
    return this.time;
  }

  after(ms: number, fn: () => void): () => void {
    const timer = { at: this.time + ms, fn };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  get pending(): number {
    return this.timers.size;
  }

  /** Moves time on, firing what comes due in order. */
  advance(ms: number): void {
    const until = this.time + ms;
    for (;;) {
      const due = [...this.timers].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.timers.delete(due);
      this.time = Math.max(this.time, due.at);
      due.fn();
    }
    this.time = until;
  }
}

export class FakeBlobs implements BlobStore {
  private readonly stored = new Map<string, Buffer>();

  put(scope: string, bytes: Uint8Array): BlobRef {
    const blob = createHash('sha256').update(bytes).digest('hex');
    this.stored.set(`${scope}/${blob}`, Buffer.from(bytes));
    return { blob, size: bytes.length };
  }

  tentatively<T>(scope: string, submit: (put: (bytes: Uint8Array) => BlobRef) => Promise<T>): Promise<T> {
    return submit((bytes) => this.put(scope, bytes));
  }

  read(scope: string, blob: string): Buffer | undefined {
    return this.stored.get(`${scope}/${blob}`);
  }
}

/** Nobody else is there to be called. */
const NO_OTHERS = {} as Pick<RunnerCore, 'calls' | 'registry' | 'remotes'>;

const CARD: CardSource = { name: 'Helper', description: 'Helps.', version: '1', skills: [] };

/** What a run showed, in order, as short lines; artifacts in full. */
export class Recorder implements RunHandle {
  readonly controller = new AbortController();
  readonly shown: string[] = [];
  readonly artifacts: Artifact[] = [];

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  delta(text: string): void {
    this.shown.push(text);
  }

  endMessage(): void {
    this.shown.push('/');
  }

  status(text: string): void {
    this.shown.push(`status ${text}`);
  }

  toolStarted(tool: string): void {
    this.shown.push(`+${tool}`);
  }

  toolFinished(tool: string, ok: boolean): void {
    this.shown.push(`-${tool} ${ok}`);
  }

  artifact(artifact: Artifact): void {
    this.shown.push(`artifact ${artifact.name}`);
    this.artifacts.push(artifact);
  }

  percent(value: number): void {
    this.shown.push(`${value}%`);
  }
}

export interface Ask {
  text?: string;
  parts?: Part[];
  /** Words of the message that opened the task; `text` when this is turn 1. */
  opening?: string;
  turn?: number;
  answers?: Pick<Answer, 'question' | 'answer' | 'from'>[];
  caller?: string;
  agent?: string;
  contextId?: string;
  cid?: string;
  synthetic?: boolean;
}

export function promptFor(ask: Ask): Prompt {
  const { text = '', turn = 1, caller = 'helper/ann', agent = 'helper', contextId = 'c1', cid = 'task-1' } = ask;
  const message = (words: string, parts?: Part[]): Prompt['message'] => ({
    messageId: `m-${turn}`,
    role: 'ROLE_USER',
    parts: parts ?? [{ text: words }],
  });
  return {
    cid,
    taskId: cid,
    contextId,
    turn,
    agent,
    caller: { id: caller, scope: caller.includes('/') ? (caller.split('/')[0] as string) : caller },
    opening: message(ask.opening ?? text, ask.opening === undefined ? ask.parts : undefined),
    message: message(text, ask.parts),
    answers: (ask.answers ?? []).map((answer, index) => ({ requestId: `q-${index}`, ...answer })),
    chain: [],
    ...(ask.synthetic && { synthetic: true }),
  };
}

export interface Ran {
  outcome: RunOutcome;
  shown: string[];
  artifacts: Artifact[];
}

export class FakeHome {
  readonly clock = new HandClock();
  readonly blobs = new FakeBlobs();
  readonly root = mkdtempSync(join(tmpdir(), 'session-runner-'));
  readonly files = new Map<string, string>();
  readonly transcripts = new Map<string, TranscriptLine[]>();
  /** Sessions whose lines were asked to be saved, before the transcript was read. */
  readonly savedSessions: string[] = [];
  readonly transcriptReads: string[] = [];
  readonly notices: string[] = [];
  readonly variables: Record<string, string> = {};
  /** Somebody passes on what is for the owner. */
  forOwner = true;
  /** Nothing is reachable unless a test says so. */
  net: GuardedFetch = createGuardedFetch({ allowPrivate: [], clock: this.clock });
  /** The drivers' way out. */
  outbound: typeof fetch = () => Promise.reject(new Error('nothing is reachable'));
  card: CardSource = CARD;
  settings: WorkspaceSettings = {
    driver: { name: 'scripted' },
    exposed: true,
    publicCard: true,
    extendedCard: true,
    timeZone: 'Europe/Berlin',
    approval: { skills: [] },
    queue: 0,
    retention: { days: 90 },
    expireQuestions: '7d',
    quota: {},
    tools: { shell: false, writeStanding: false },
    callAgents: [],
  };

  constructor() {
    mkdirSync(join(this.root, 'helper', '.a2a'), { recursive: true });
  }

  get directory(): string {
    return join(this.root, 'helper');
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.directory, file), text);
  }

  /** A new runner over the same files, as after a restart. */
  runner(drivers: readonly Driver[] = DRIVERS, maxIdleSessions = 1000): Runner {
    return new Runner({
      core: {
        // The runner reads these settings only.
        config: { sessionIdleSeconds: 1800, maxPartBytes: 1000, maxIdleSessions } as Config,
        clock: this.clock,
        log: silentLogger(),
        ledger: {
          saveSession: ({ caller, agent, contextId }) =>
            void this.savedSessions.push([caller, agent, contextId].join(' ')),
          get: () => undefined,
        },
        ...NO_OTHERS,
        blobs: this.blobs,
        net: {
          ...this.net,
          request: (...args) => this.net.request(...args),
          fetch: () => this.outbound,
        },
        environment: createEnvironment(this.variables, new Secrets()),
        secrets: new Secrets(),
        capabilities: { provide: () => () => undefined, has: () => this.forOwner },
        workspaces: {
          names: () => ['helper'],
          has: (name) => name === 'helper',
          path: (name) => join(this.root, name),
          settings: () => this.settings,
          card: () => this.card,
          driverFile: (_name, file) => this.files.get(file),
          problems: () => [],
          create: () => undefined,
        },
      },
      files: {
        transcripts: {
          read: (workspace, file) => {
            this.transcriptReads.push(`${workspace} ${file}`);
            return this.transcripts.get(file) ?? [];
          },
        },
        inbox: new Inbox({ workspaces: { path: (name) => join(this.root, name) } }),
      },
      drivers,
      notify: (prompt, text) => void this.notices.push(`${prompt.agent} ${text}`),
    });
  }

  async run(ask: Ask, runner: Runner = this.runner()): Promise<Ran> {
    const handle = new Recorder();
    const outcome = await runner.run(promptFor(ask), handle);
    return { outcome, shown: handle.shown, artifacts: handle.artifacts };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
