// The executor of remote agents and the task tracker on a real ledger and host, with a peer without a wire and a clock
// that only the test moves. `restart` is a new process on the same files.
import type { Router } from 'express';
import { createServer } from 'node:http';
import express from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ExecutorHost, HOST_DECLARATION } from '../../../src/executors/host.js';
import { Prompts, PROMPTS_DECLARATION } from '../../../src/executors/prompts.js';
import { ExecutorRegistry } from '../../../src/executors/registry.js';
import { Failpoints } from '../../../src/failpoints.js';
import type { Doors } from '../../../src/http/door.js';
import { Hops } from '../../../src/hops.js';
import { silentLogger } from '../../../src/log.js';
import { Secrets } from '../../../src/secrets/secrets.js';
import type { Core, Installed, Plugin } from '../../../src/plugin.js';
import type { Envelope } from '../../../src/bus/envelope.js';
import { TOPIC_KINDS } from '../../../src/bus/topics.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import { DEFAULTS } from '../../../src/config.js';
import { insideContext } from '../../../src/installation/inside-context.js';
import { a2aExecutor } from '../../../plugins/executors/a2a-executor/a2a-executor.js';
import { taskTracker } from '../../../plugins/followers/task-tracker/task-tracker.js';
import { tempMirrors } from '../../mirror/temp-mirror.js';
import { FakePeer, FakeRemotes } from '../../support/peers/fake-peer.js';
import { ALICE, newTask, TestLedger } from '../../support/test-ledger.js';

export const tempTracker = (): { start(): Promise<TrackerWorld> } => {
  const mirrors = tempMirrors();
  return { start: () => new TrackerWorld(new TestLedger((clock) => mirrors.open({ clock }))).restart() };
};

const OPEN: Pick<Doors, 'open'> = { open: () => (_req, _res, next) => next() };

export class TrackerWorld {
  readonly peer = new FakePeer();
  readonly remotes = new FakeRemotes(this.peer);
  readonly events: Envelope[] = [];
  publicUrl: string | undefined;
  followSeconds = DEFAULTS.followSeconds;
  prompts!: Prompts;
  private ids = 0;
  private installed: Installed[] = [];
  private routes: { path: string; router: Router }[] = [];
  private turns!: ExecutorHost;
  private publish!: (cid: string, turn: number) => void;

  constructor(readonly ledger: TestLedger) {}

  async restart(): Promise<this> {
    for (const part of this.installed.splice(0)) await part.stop?.();
    await this.ledger.stop();
    await this.ledger.restart();
    const { bus, ledger, clock } = this.ledger;
    const log = silentLogger();
    const newId = (): string => `id${++this.ids}`;
    const registry = new ExecutorRegistry(log);
    const redact = (text: string): string => text;
    const turnDeadlineMs = 3_600_000;
    const hostBus = bus.join(HOST_DECLARATION);
    const turns = new ExecutorHost({ bus: hostBus, registry, ledger, clock, newId, log, redact, turnDeadlineMs });
    this.turns = turns;
    this.prompts = new Prompts({ bus: bus.join(PROMPTS_DECLARATION), ledger, newId });
    const blobs = { put: () => ({ blob: 'b', size: 1 }), read: () => undefined };
    const { followSeconds } = this;
    const config = {
      ...DEFAULTS,
      followSeconds,
      home: '/home',
      ...(this.publicUrl !== undefined && { publicUrl: this.publicUrl }),
    };
    const secrets = new Secrets();
    const core = {
      config,
      clock,
      newId,
      log,
      secrets,
      ledger,
      blobs,
      registry,
      turns,
      hops: new Hops('here'),
      doors: OPEN,
      failpoints: new Failpoints(),
      workspaces: { names: () => [] },
    };
    this.routes = [];
    for (const plugin of [a2aExecutor, taskTracker] as readonly Plugin[]) {
      const mount = (path: string, router: Router): void => void this.routes.push({ path, router });
      const ports = { ...core, remotes: this.remotes } as unknown as Core;
      const part = await plugin.install(insideContext(plugin, { bus, core: ports, mount }));
      if (part) this.installed.push(part);
    }
    const test = bus.join({
      name: 'test-lead',
      consumes: [],
      observes: TOPIC_KINDS,
      produces: ['agent.prompt.assigned'],
    });
    test.tap('>', (envelope) => void this.events.push(envelope));
    this.publish = (cid, turn) =>
      test.publish('agent.prompt.assigned', {
        cid,
        turn,
        executor: 'a2a-executor',
        agent: 'far',
        reason: 'named',
        contextId: 'ctx',
        caller: ALICE,
        chain: [],
      });
    await ledger.reconcile();
    for (const part of this.installed) await part.ready?.();
    await this.settle();
    return this;
  }

  /** A new task for the remote agent, its first turn assigned. */
  async begin(taskId = 't1'): Promise<void> {
    await this.create(taskId);
    this.publish(taskId, 1);
    await this.settle();
  }

  /** So many at once. */
  async beginMany(count: number): Promise<void> {
    const ids = Array.from({ length: count }, (_, n) => `t${n + 1}`);
    await Promise.all(ids.map((id) => this.create(id)));
    for (const id of ids) this.publish(id, 1);
    await this.settle();
  }

  create(taskId = 't1'): Promise<TaskRecord> {
    return this.ledger.ledger.create(newTask(taskId, { agent: 'far', executor: 'a2a-executor' }));
  }

  /** The caller's next message, which starts a turn. */
  async answer(text: string): Promise<void> {
    const message = { messageId: `m-${text}`, role: 'ROLE_USER' as const, parts: [{ text }] };
    const { envelope } = await this.ledger.ledger.resume({
      taskId: 't1',
      requestId: `r-${text}`,
      step: { message, start: true },
    });
    this.publish('t1', envelope.turn);
    await this.settle();
  }

  /** The caller's words while the remote agent waits for an authorization. */
  async say(text: string): Promise<void> {
    const message = { messageId: `m-${text}`, role: 'ROLE_USER' as const, parts: [{ text }] };
    await this.ledger.ledger.resume({ taskId: 't1', requestId: `r-${text}`, step: { message, start: false } });
    await this.settle();
  }

  /** As whoever asks how a task is. */
  async look(taskId: string): Promise<void> {
    void this.turns.look(taskId, new AbortController().signal);
    await this.settle();
  }

  async pass(ms: number): Promise<void> {
    this.ledger.clock.advance(ms);
    await this.settle();
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let i = 0; i < 8; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.ledger.settle();
    }
  }

  get record(): TaskRecord {
    return this.ledger.ledger.get('t1') as TaskRecord;
  }

  get state(): string {
    return this.record.task.status.state.slice('TASK_STATE_'.length);
  }

  /** How watches ended, in order. */
  get ends(): unknown[] {
    return this.events
      .filter(({ kind }) => kind === 'watch.settled')
      .map(({ payload }) => (payload as { end: string }).end);
  }

  /** Ends of turns that the host published. */
  get turnEnds(): number {
    return this.events.filter(
      ({ kind, payload }) =>
        (kind === 'agent.prompt.response' && (payload as { turn: number }).turn > 0) ||
        kind === 'agent.prompt.input.request',
    ).length;
  }

  /** Calls back as a peer would. Returns the HTTP status. */
  async callBack(watchId: string, token: string): Promise<number> {
    const app = express();
    for (const { path, router } of this.routes) app.use(path, router);
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/api/a2a/callback/${watchId}`, {
      method: 'POST',
      headers: { 'X-A2A-Notification-Token': token, 'content-type': 'application/json' },
      body: '{"task":{"status":{"state":"TASK_STATE_COMPLETED"}}}',
    });
    await answer.body?.cancel();
    server.closeAllConnections();
    server.close();
    await this.settle();
    return answer.status;
  }
}
