// The real dispatcher, host, prompt port and ledger on one bus; only the executor and the owners' files are the test's.
import { dispatcher } from '../../plugins/dispatcher/dispatcher.js';
import type { AgentInfo, Executor, Prompt, RunHandle, RunOutcome } from '../../src/executors/contract.js';
import { ExecutorHost, HOST_DECLARATION } from '../../src/executors/host.js';
import type { NewPrompt } from '../../src/executors/prompt-port.js';
import { Prompts, PROMPTS_DECLARATION } from '../../src/executors/prompts.js';
import { ExecutorRegistry } from '../../src/executors/registry.js';
import { directReply } from '../../src/ledger/direct-reply.js';
import { Extensions } from '../../src/extensions.js';
import { insideContext } from '../../src/installation/inside-context.js';
import { Hops } from '../../src/hops.js';
import type { TaskRecord } from '../../src/ledger/records.js';
import type { Core, Installed } from '../../src/plugin.js';
import { tempMirrors } from '../mirror/temp-mirror.js';
import { ALICE, TestLedger } from '../support/test-ledger.js';

const mirrors = tempMirrors();
type Run = (prompt: Prompt, handle: RunHandle) => Promise<RunOutcome>;
const done: RunOutcome = { kind: 'completed', parts: [{ text: 'done' }] };

interface DeskOptions {
  /** Who serves the agent. */
  executor?: string;
  run?: Run;
  find?: Executor['find'];
  queue?: number;
  concurrentTurns?: number;
  /** Throws where a folder can't be looked at. */
  hasWorkspace?: () => boolean;
  cooldown?: Record<string, number>;
}

class Desk {
  readonly prompts: Prompts;
  readonly ran: string[] = [];
  private readonly finish = new Map<string, () => void>();
  plugin!: Installed;

  private constructor(
    readonly home: TestLedger,
    private readonly options: DeskOptions,
  ) {
    const { bus, ledger, clock, log } = home;
    let ids = 0;
    const newId = (): string => `id-${Math.random().toString(36).slice(2, 10)}-${++ids}`;
    const registry = new ExecutorRegistry(log);
    const agent = { name: 'demo', kind: 'workspace' as const, exposed: true, skills: [] };
    registry.register({
      name: options.executor ?? 'fake',
      find: options.find ?? ((name) => (name === 'demo' ? agent : undefined)),
      list: () => [agent],
      run: (prompt, handle) => {
        this.ran.push(prompt.opening.messageId);
        return (
          options.run?.(prompt, handle) ??
          new Promise((resolve) => this.finish.set(prompt.opening.messageId, () => resolve(done)))
        );
      },
    });
    new ExecutorHost({
      bus: bus.join(HOST_DECLARATION),
      registry,
      ledger,
      clock,
      newId,
      log,
      redact: (text) => text,
      turnDeadlineMs: 60_000,
    });
    this.prompts = new Prompts({ bus: bus.join(PROMPTS_DECLARATION), ledger, newId });
    const quota = {
      liveTasksPerCaller: 100,
      liveTasks: 100,
      concurrentTurns: options.concurrentTurns ?? 10,
      tasks: 1e9,
      taskBytes: 1e9,
    };
    const core = {
      config: { idempotentSend: true, maxHops: 1, quota, cooldown: options.cooldown ?? {}, pluginSettings: {} },
      extensions: new Extensions(),
      log,
      newId,
      hops: new Hops('here'),
      clock,
      ledger,
      prompts: this.prompts,
      registry,
      callers: { find: () => ({ ...ALICE, agents: ['demo'] }) },
      workspaces: {
        has: options.hasWorkspace ?? (() => true),
        settings: () => ({ queue: options.queue ?? 0, quota: {} }),
      },
    } as unknown as Core;
    this.plugin = dispatcher.install(insideContext(dispatcher, { bus, core, mount: () => undefined })) as Installed;
  }

  static async open(options: DeskOptions = {}, home?: TestLedger): Promise<Desk> {
    let open: ReturnType<typeof mirrors.open> | undefined;
    const fresh = new TestLedger((clock) => {
      open?.close();
      return (open = mirrors.open({ clock }));
    });
    const desk = new Desk(await (home ?? fresh).restart(), options);
    await desk.home.ledger.reconcile();
    await desk.plugin.ready?.();
    return desk;
  }

  /** A new process on the same files. */
  restart(options = this.options): Promise<Desk> {
    return Desk.open(options, this.home);
  }

  send(messageId: string, changes: Partial<NewPrompt> = {}) {
    const message = { messageId, role: 'ROLE_USER' as const, parts: [{ text: messageId }] };
    return this.prompts.submit({
      agent: 'demo',
      contextId: 'c1',
      caller: ALICE,
      message,
      chain: [],
      surface: 'a2a',
      ...changes,
    });
  }

  /** The running turn of this message comes to its end. */
  async end(messageId: string): Promise<void> {
    this.finish.get(messageId)?.();
    await this.settle();
  }

  async settle(): Promise<void> {
    for (let i = 0; i < 4; i++) await this.home.settle();
  }

  async states(): Promise<Record<string, string>> {
    await this.settle();
    const { tasks } = this.home.ledger.list({ pageSize: 100 });
    const entries = tasks.map(({ task }) => {
      const opening = this.home.ledger.get(task.id)?.task.history[0]?.messageId ?? '?';
      return [opening, task.status.state.slice('TASK_STATE_'.length)] as const;
    });
    return Object.fromEntries(entries);
  }
}

describe('the dispatcher', () => {
  it('answers a resend that arrives while the first is being stored with the same task', async () => {
    const desk = await Desk.open({ run: async () => done });
    const sent = await Promise.all(Array.from({ length: 5 }, () => desk.send('m1', { contextId: undefined })));
    expect(new Set(sent.map(({ taskId }) => taskId)).size).toBe(1);
    expect(sent.map(({ kind }) => kind).sort()).toEqual([
      'admitted',
      'duplicate',
      'duplicate',
      'duplicate',
      'duplicate',
    ]);
    expect(desk.home.ledger.get(sent[0]?.taskId ?? '')).toBeDefined();
  });

  it('takes a resend for the first message when storing that one failed', async () => {
    const desk = await Desk.open({ run: async () => done });
    desk.home.disk.room = 0;
    const first = desk.send('m1').catch((error: unknown) => error);
    const second = desk.send('m1', { contextId: 'c2' }).catch((error: unknown) => error);
    expect(await first).toMatchObject({ code: 'storage-failed' });
    desk.home.disk.room = Infinity;
    expect([await second, await desk.send('m1')]).toContainEqual(expect.objectContaining({ kind: 'admitted' }));
  });

  it('never runs a turn that was canceled while its start was being stored', async () => {
    const desk = await Desk.open();
    const sending = desk.send('m1');
    let taskId = '';
    while (taskId === '') {
      await Promise.resolve();
      taskId = [...desk.home.ledger.queued(), desk.home.ledger.findMessage(ALICE, 'm1')?.taskId].find(Boolean) ?? '';
    }
    const canceling = desk.home.ledger.cancel(taskId, 'test');
    await Promise.all([sending, canceling]);
    await desk.settle();
    expect([desk.ran, await desk.states()]).toEqual([[], { m1: 'CANCELED' }]);
    await desk.send('m2');
    expect(await desk.states()).toMatchObject({ m2: 'WORKING' });
  });

  it('answers even when an executor throws while it is asked for its agents', async () => {
    const desk = await Desk.open({
      find: () => {
        throw new Error('broken');
      },
    });
    await expect(desk.send('m1')).rejects.toMatchObject({ code: 'agent-not-found' });
  });

  it('runs waiting messages one after the other, in order', async () => {
    const desk = await Desk.open({ queue: 2 });
    for (const id of ['m1', 'm2', 'm3']) await desk.send(id);
    await expect(desk.send('m4')).rejects.toMatchObject({ code: 'busy' });
    expect(await desk.states()).toEqual({ m1: 'WORKING', m2: 'SUBMITTED', m3: 'SUBMITTED' });
    await desk.end('m1');
    expect(await desk.states()).toEqual({ m1: 'COMPLETED', m2: 'WORKING', m3: 'SUBMITTED' });
    await desk.end('m2');
    await desk.end('m3');
    expect(desk.ran).toEqual(['m1', 'm2', 'm3']);
  });

  it('leaves out a waiting message that was canceled', async () => {
    const desk = await Desk.open({ queue: 2 });
    for (const id of ['m1', 'm2', 'm3']) await desk.send(id);
    await desk.prompts.cancel(desk.home.ledger.findMessage(ALICE, 'm2')?.taskId ?? '', 'test');
    await desk.end('m1');
    expect(await desk.states()).toEqual({ m1: 'COMPLETED', m2: 'CANCELED', m3: 'WORKING' });
  });

  it('tries again to start a waiting message when the disk was full', async () => {
    const desk = await Desk.open({ queue: 1 });
    for (const id of ['m1', 'm2']) await desk.send(id);
    const room = (bytes: number): void => void (desk.home.disk.room = bytes);
    room(0);
    await desk.end('m1');
    room(Infinity);
    desk.home.clock.advance(1_000);
    await desk.settle();
    desk.home.clock.advance(1_000);
    expect(await desk.states()).toEqual({ m1: 'FAILED', m2: 'WORKING' });
  });

  it('starts nothing that waits once the server stops, and everything after the restart', async () => {
    const desk = await Desk.open({ queue: 1 });
    for (const id of ['m1', 'm2']) await desk.send(id);
    desk.plugin.drain?.();
    await desk.end('m1');
    expect(await desk.states()).toEqual({ m1: 'COMPLETED', m2: 'SUBMITTED' });
    const again = await desk.restart();
    expect(await again.states()).toEqual({ m1: 'COMPLETED', m2: 'WORKING' });
  });

  it('ends waiting tasks whose agent is gone after a restart', async () => {
    const desk = await Desk.open({ queue: 1 });
    for (const id of ['m1', 'm2']) await desk.send(id);
    const again = await desk.restart({ find: () => undefined });
    expect(await again.states()).toEqual({ m1: 'FAILED', m2: 'FAILED' });
  });

  it('lets no more turns of an agent run after a restart than before', async () => {
    const desk = await Desk.open({ queue: 5 });
    for (const context of ['a', 'b', 'c']) {
      await desk.send(`${context}1`, { contextId: context });
      await desk.send(`${context}2`, { contextId: context });
    }
    const again = await desk.restart({ queue: 5, concurrentTurns: 2 });
    await again.settle();
    expect(again.ran).toHaveLength(2);
    await again.end(again.ran[0] ?? '');
    again.home.clock.advance(1_000);
    await again.settle();
    expect(again.ran).toHaveLength(3);
  });

  it('ends what waits for an agent whose name another kind of agent has after a restart', async () => {
    const desk = await Desk.open({ queue: 5 });
    await desk.send('m1');
    await desk.send('m2');
    const again = await desk.restart({ queue: 5, executor: 'another' });
    expect(await again.states()).toMatchObject({ m2: 'FAILED' });
    expect(again.ran).toEqual([]);
  });

  it("starts a turn that waits once its workspace's folder can be looked at again", async () => {
    let broken = false;
    const hasWorkspace = (): boolean => {
      if (broken) throw new Error('EIO: i/o error, lstat');
      return true;
    };
    const desk = await Desk.open({ queue: 5, hasWorkspace });
    await desk.send('m1');
    await desk.send('m2');
    broken = true;
    await desk.end('m1');
    desk.home.clock.advance(1_000);
    await desk.settle();
    expect(desk.ran).toEqual(['m1']);
    broken = false;
    desk.home.clock.advance(1_000);
    await desk.settle();
    expect(desk.ran).toEqual(['m1', 'm2']);
  });

  it('keeps a refusal for a loop as a rejected task, which no restart ever runs', async () => {
    const desk = await Desk.open();
    const hop = { switchboard: 's', agent: 'a' };
    await desk.send('m1', { chain: [hop, hop] });
    expect(await desk.states()).toEqual({ m1: 'REJECTED' });
    expect(desk.home.disk.readText('/home/demo/journal/0000000001.jsonl')?.trim().split('\n')).toHaveLength(2);
    expect((await desk.restart()).ran).toEqual([]);
  });

  it("knows the operator's answer to somebody else's question by the operator's message id", async () => {
    const desk = await Desk.open({
      run: async (prompt) => (prompt.turn === 1 ? { kind: 'question', question: '?', from: 'caller' } : done),
    });
    const { taskId } = await desk.send('m1');
    await desk.settle();
    const operator = { id: 'operator', scope: 'operator' };
    await desk.send('answer', { taskId, caller: operator });
    await desk.settle();
    expect(await desk.send('answer', { taskId, caller: operator })).toEqual({ kind: 'duplicate', taskId });
    expect(desk.home.ledger.findMessage(ALICE, 'answer')).toBeUndefined();
  });

  describe('an agent that replies with a message', () => {
    const find = (): AgentInfo => ({ name: 'demo', kind: 'plugin', exposed: true, skills: [], replies: 'message' });
    const answered = async (run: Run) => {
      const desk = await Desk.open({ find, run });
      const { taskId } = await desk.send('m1', { pushConfig: { id: 'p', url: 'https://a.example', version: '1.0' } });
      await desk.settle();
      const record = desk.home.ledger.get(taskId) as TaskRecord;
      return { desk, taskId, record, reply: directReply(record) };
    };

    it('answers with one message of no task, which shows nothing of the way there', async () => {
      const { record, reply } = await answered(async (_prompt, handle) => {
        handle.status('working on it');
        handle.delta('half');
        handle.artifact({ artifactId: 'a', parts: [{ text: 'a file' }] });
        return done;
      });
      expect(record.envelope).toMatchObject({ direct: true });
      expect(record.envelope.pushConfigs).toBeUndefined();
      expect(record.task.artifacts).toHaveLength(1);
      expect(reply).toMatchObject({ failed: false, message: { parts: [{ text: 'done' }], contextId: 'c1' } });
      expect(reply?.message).not.toHaveProperty('taskId');
    });

    it.each<[string, Run]>([
      ['asks', async () => ({ kind: 'question', question: '?', from: 'caller' })],
      ['only streams', async (_prompt, handle) => (handle.delta('x'), { kind: 'completed' })],
    ])('fails when it %s', async (_what, run) => {
      const { reply } = await answered(run);
      expect(reply).toMatchObject({ failed: true, message: { parts: [{ text: expect.any(String) }] } });
    });

    it('has no task that its caller could go on with', async () => {
      const { desk, taskId } = await answered(async () => done);
      await expect(desk.send('m2', { taskId })).rejects.toMatchObject({ code: 'task-not-found' });
    });
  });

  describe('work that cools down', () => {
    it('is refused without a task, told on the bus, and let in again when the time is over', async () => {
      const desk = await Desk.open({ run: async () => done, cooldown: { demo: 10 } });
      await desk.send('m1');
      await desk.settle();
      await expect(desk.send('m2')).rejects.toMatchObject({ code: 'cooldown', details: { retryAfter: 10 } });
      expect(await desk.states()).toEqual({ m1: 'COMPLETED' });
      desk.home.clock.advance(10_000);
      await desk.send('m2');
      expect(await desk.states()).toEqual({ m1: 'COMPLETED', m2: 'COMPLETED' });
    });

    it('still cools down after a restart', async () => {
      const desk = await Desk.open({ run: async () => done, cooldown: { demo: 10 } });
      await desk.send('m1', { subject: 'ticket 7' });
      await desk.settle();
      const again = await desk.restart();
      const other = { contextId: 'c2', subject: 'ticket 7' };
      await expect(again.send('m2', other)).rejects.toMatchObject({ code: 'cooldown' });
      await again.send('m3', { contextId: 'c2', subject: 'ticket 8' });
    });
  });

  describe('a prompt that needs approval', () => {
    const agent: AgentInfo = { name: 'demo', kind: 'workspace', exposed: true, skills: [], approval: ['*'] };
    const operator = { id: 'operator', scope: 'operator' };
    const asked: DeskOptions = { find: () => agent, run: async (prompt) => (seen.push(prompt), done) };
    let seen: Prompt[] = [];
    beforeEach(() => (seen = []));

    it('waits for the operator, across a restart, and runs when approved', async () => {
      const desk = await Desk.open(asked);
      const { taskId } = await desk.send('m1');
      expect(await desk.states()).toEqual({ m1: 'AUTH_REQUIRED' });
      const again = await desk.restart();
      expect(await again.states()).toEqual({ m1: 'AUTH_REQUIRED' });
      expect(seen).toEqual([]);
      await again.send('yes', { taskId, caller: operator, decision: 'approve' });
      expect(await again.states()).toEqual({ m1: 'COMPLETED' });
      expect(seen).toEqual([expect.objectContaining({ turn: 1, answers: [] })]);
    });

    it('is not let in by what its caller adds, and runs as it was approved', async () => {
      const desk = await Desk.open(asked);
      const { taskId } = await desk.send('m1');
      await desk.send('approve', { taskId });
      expect(await desk.states()).toEqual({ m1: 'AUTH_REQUIRED' });
      await desk.send('yes', { taskId, caller: operator, decision: 'approve' });
      await desk.settle();
      expect(seen.map(({ message }) => message.messageId)).toEqual(['m1']);
      expect(desk.home.ledger.get(taskId)?.task.history).toHaveLength(4);
    });

    it('ends as rejected when declined, and frees its conversation', async () => {
      const desk = await Desk.open(asked);
      const { taskId } = await desk.send('m1');
      await desk.send('no', { taskId, caller: operator, decision: 'decline' });
      expect(await desk.states()).toEqual({ m1: 'REJECTED' });
      await desk.send('m2', { caller: operator });
      expect(await desk.states()).toEqual({ m1: 'REJECTED', m2: 'COMPLETED' });
      await expect(desk.send('late', { taskId, caller: operator, decision: 'approve' })).rejects.toMatchObject({
        code: 'unsupported-operation',
      });
      expect(seen).toHaveLength(1);
    });
  });
});
