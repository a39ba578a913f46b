// A ledger on an in-memory disk and a real mirror, with a clock and a bus of its own; `restart` is what a new process
// would do on the same files.
import { Bus } from '../../src/bus/bus.js';
import type { InputRequest, PromptProgress, PromptResponse, TaskUpdated } from '../../src/bus/topics.js';
import { LEDGER_DECLARATION } from '../../src/ledger/bus-events.js';
import { Housekeeping, type TaskLimits } from '../../src/ledger/housekeeping.js';
import { FileLedger } from '../../src/ledger/ledger.js';
import type { NewTask } from '../../src/ledger/ledger-port.js';
import { Leftovers } from '../../src/ledger/leftovers.js';
import type { TranscriptLine } from '../../src/ledger/records.js';
import { recover, type RecoveryReport } from '../../src/ledger/recovery.js';
import { ScopeStores } from '../../src/ledger/scope-stores.js';
import { silentLogger } from '../../src/log.js';
import type { Mirror } from '../../src/mirror/rows.js';
import { saveSessionLines, transcriptBin, usedByTranscripts } from '../../src/session-files.js';
import { BlobFiles } from '../../src/workspace/blob-files.js';
import { FileProblems } from '../../src/workspace/file-problems.js';
import { Transcripts } from '../../src/workspace/transcript.js';
import type { Clock } from '../../src/clock.js';
import type { Durability } from '../../src/disk.js';
import { FakeClock } from './fake-clock.js';
import { RecordingDisk } from './recording-disk.js';
import { sealPayload } from './sealed-payloads.js';

export const DAY = 86_400_000;
export const ALICE = { id: 'demo/alice', scope: 'demo' };

/** A task of alice's, ready to be created. */
export const newTask = (taskId: string, changes: Partial<NewTask> = {}): NewTask => ({
  taskId,
  requestId: `request-${taskId}`,
  contextId: 'ctx',
  caller: ALICE,
  agent: 'demo',
  executor: 'session-runner',
  message: { messageId: `message-${taskId}`, role: 'ROLE_USER', parts: [{ text: 'hello' }] },
  surface: 'a2a',
  chain: [],
  start: true,
  ...changes,
});

/** What the host publishes about a turn. */
export type Event =
  | readonly ['agent.prompt.progress', PromptProgress]
  | readonly ['agent.prompt.response', PromptResponse]
  | readonly ['agent.prompt.input.request', InputRequest];

export class TestLedger {
  readonly clock = new FakeClock();
  readonly log = silentLogger();
  readonly lines: TranscriptLine[] = [];
  readonly updates: TaskUpdated[] = [];
  /** Scopes whose folder the owner took away. */
  readonly gone = new Set<string>();
  /** Contexts whose session is open. */
  readonly open = new Set<string>();
  limits: TaskLimits | undefined = { questionMs: 7 * DAY, keepMs: 90 * DAY };
  ledger!: FileLedger;
  housekeeping!: Housekeeping;
  transcripts!: Transcripts;
  blobs!: BlobFiles;
  stores!: ScopeStores;
  bus!: Bus;
  report!: RecoveryReport;
  mirror!: Mirror;
  private problems!: FileProblems;
  private tell!: ReturnType<TestLedger['join']>;

  constructor(
    readonly openMirror: (clock: Clock) => Mirror,
    readonly disk = new RecordingDisk(),
    readonly durability: Durability = 'process',
  ) {}

  /** A new process on the same files, with a mirror that must be filled from them. */
  rebuild(): Promise<this> {
    return this.restart(true);
  }

  /** A new process on the same files. */
  async restart(rebuild = false, mirror = this.openMirror(this.clock)): Promise<this> {
    const { clock, log, disk, durability } = this;
    const bus = new Bus({ clock, log, boot: 'boot', inspect: sealPayload });
    const folderOf = (scope: string): string => `/home/${scope}`;
    this.problems = new FileProblems(log);
    const workspaces = { path: folderOf, has: (name: string) => !this.gone.has(name), names: () => ['demo'] };
    this.transcripts = new Transcripts({ disk, workspaces, durability });
    this.blobs = new BlobFiles({ disk, clock, folderOf, durability });
    const { transcripts, blobs } = this;
    const saveSession = saveSessionLines(transcripts, this.problems);
    this.stores = new ScopeStores({
      disk,
      clock,
      log,
      durability,
      folderOf,
      isGone: (scope) => this.gone.has(scope),
      saveLines: (record, lines) => {
        this.lines.push(...lines);
        saveSession(record, lines);
      },
      syncLines: () => Promise.all([transcripts.sync(), blobs.sync()]),
    });
    const leftovers = new Leftovers({ mirror, blobs, transcripts: transcriptBin(transcripts) });
    const scopes = ['operator', 'demo'];
    const deps = {
      stores: this.stores,
      mirror,
      log,
      scopes,
      leftovers,
      usedByTranscripts: () => usedByTranscripts(transcripts, workspaces, (scope) => blobs.any(scope)),
    };
    this.report = await recover(deps, rebuild);
    this.ledger = new FileLedger({
      bus: bus.join(LEDGER_DECLARATION),
      clock,
      log,
      mirror,
      stores: this.stores,
      boot: 'boot',
      leftovers,
      isOpen: ({ contextId }) => this.open.has(contextId),
    });
    this.housekeeping = new Housekeeping({
      ledger: this.ledger,
      mirror,
      clock,
      log,
      scopes: () => scopes,
      limitsOf: () => this.limits,
    });
    this.mirror = mirror;
    this.bus = bus;
    this.mirror = mirror;
    this.tell = this.join(bus);
    this.tell.subscribe('task.updated', (update) => void this.updates.push(update));
    return this;
  }

  /** A clean stop, before a restart. */
  async stop(): Promise<void> {
    if (!this.mirror) return;
    await this.ledger.close();
    this.mirror.close();
  }

  /** Publishes as the host would, and waits until everything is committed and shown. */
  async say(...events: Event[]): Promise<void> {
    for (const [kind, payload] of events) this.tell.publish(kind, payload);
    await this.settle();
  }

  async settle(): Promise<void> {
    await this.bus.drain();
    await this.stores.flush();
    await this.bus.drain();
  }

  /** Lets the checkpoints be written. */
  async save(): Promise<void> {
    await this.ledger.flush();
  }

  /** One round of the housekeeping, from its first step to its last; returns how many steps those were. */
  async tidy(): Promise<number> {
    let steps = 0;
    for await (const _step of this.housekeeping.round()) steps++;
    await this.settle();
    return steps;
  }

  private join(bus: Bus) {
    return bus.join({
      name: 'test',
      consumes: [],
      observes: ['task.updated'],
      produces: ['agent.prompt.progress', 'agent.prompt.response', 'agent.prompt.input.request', 'agent.prompt.cancel'],
    });
  }
}
