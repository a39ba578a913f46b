// Kills the switchboard in the middle while work goes on at an agent elsewhere: at each failpoint around that work, then at
// random. Its callers must see exactly one end for each task, the agent must not begin anything twice, and nothing may stay
// watched.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { REMOTE_FAILPOINTS } from '../../src/failpoints.js';
import { IDEMPOTENT_SEND } from '../../src/extension-uris.js';
import type { TasksAnswer, TaskView, WatchesAnswer } from '../../src/operator-wire.js';
import type { TaskRecord } from '../../src/ledger/records.js';
import { A2aClient, Disconnected, textMessage, type WireTask } from '../support/a2a-client.js';
import { startSwitchboard } from '../support/compiled-server.js';
import { MisbehavingPeer } from '../support/peers/misbehaving-peer.js';
import { seededRandom, type Random } from '../support/random.js';
import { NeverListened, type ServerChild } from '../support/server-child.js';
import { makeTestHome, OPERATOR_KEY, type TestHome } from '../support/test-home.js';

export interface RemoteCrashResult {
  rounds: number;
  failpoints: number;
  tasks: number;
  /** Ended, with what the agent answered, or because it is unknown whether it began. */
  completed: number;
  unknown: number;
  /** Ended before anything was sent. */
  unsent: number;
  /** Conversations that were told later what became of a call. */
  told: number;
}

interface Options {
  rounds: number;
  seed: number;
  say(text: string): void;
}

/** Tasks of a round that callers begin, and calls from a session. */
const TASKS = 6;
const CALLS = 2;
const SETTLE_MS = 40_000;
const TERMINAL = /COMPLETED|FAILED|CANCELED|REJECTED/;

export async function remoteCrashRun({ rounds, seed, say }: Options) {
  const random = seededRandom(seed);
  const problems: string[] = [];
  const result: RemoteCrashResult = {
    rounds: 0,
    failpoints: 0,
    tasks: 0,
    completed: 0,
    unknown: 0,
    unsent: 0,
    told: 0,
  };
  for (const point of REMOTE_FAILPOINTS) {
    let reached = false;
    for (let n = random.between(1, 2); n >= 1 && !reached; n--) {
      reached = await new Round(random, result, problems, `${point}:${n}`).run(random.next() < 0.5);
    }
    say(`${point} ${reached ? 'reached' : 'not reached'}, ${problems.length} problems`);
    if (reached) result.failpoints += 1;
    else problems.push(`the failpoint ${point} was never reached`);
  }
  for (let round = 0; round < rounds; round++) {
    await new Round(random, result, problems, undefined).run(round % 2 === 0);
    result.rounds += 1;
    say(`round ${round + 1}: ${result.tasks} tasks, ${problems.length} problems`);
  }
  return { result, problems };
}

class Round {
  private readonly begun = new Map<string, string>();
  private readonly contexts = new Set<string>();
  private readonly name: string;

  constructor(
    private readonly random: Random,
    private readonly result: RemoteCrashResult,
    private readonly problems: string[],
    private readonly failpoint: string | undefined,
  ) {
    this.name = `r${process.pid}-${random.between(1, 1_000_000_000)}`;
  }

  /** True when the server died at the failpoint, or was killed. */
  async run(idempotent: boolean): Promise<boolean> {
    const peer = await new MisbehavingPeer().start();
    peer.idempotent = idempotent;
    const extensions = idempotent ? [{ uri: IDEMPOTENT_SEND }] : [];
    peer.card = { capabilities: { streaming: this.random.next() < 0.5, pushNotifications: false, extensions } };
    const working = setInterval(() => this.work(peer), 20);
    const home = makeTestHome({
      agents: ['demo', 'far'],
      settings: { agents: [{ name: 'far', url: peer.url }], followSeconds: 0.3, chatWaitSeconds: 20 },
    });
    try {
      const died = await this.crash(home);
      const server = await startSwitchboard({ home: home.path });
      try {
        await this.load(server, home);
        await this.settled(server, home, peer, idempotent);
      } finally {
        await server.stop();
      }
      this.checkFiles(home);
      return died;
    } finally {
      clearInterval(working);
      await peer.stop();
      home.remove();
    }
  }

  /** Everything the agent is asked for is done a moment later. */
  private work(peer: MisbehavingPeer): void {
    for (const { id, status } of peer.tasks.values()) {
      if (status.state !== 'TASK_STATE_WORKING' || this.random.next() > 0.08) continue;
      peer.chunk(id, 'result', [{ text: `done ${id}` }], false, true);
      peer.show(id, 'TASK_STATE_COMPLETED');
    }
  }

  private async crash(home: TestHome): Promise<boolean> {
    const env: Record<string, string> = this.failpoint === undefined ? {} : { SWITCHBOARD_FAILPOINT: this.failpoint };
    let server: ServerChild;
    try {
      server = await startSwitchboard({ home: home.path, env });
    } catch (error) {
      if (error instanceof NeverListened && error.exit.signal === 'SIGKILL') return true;
      throw error;
    }
    const load = this.load(server, home);
    const wait = this.failpoint === undefined ? this.random.between(20, 1_500) : 8_000;
    const died = await Promise.race([server.exited.then(() => true), sleep(wait).then(() => false)]);
    if (!died) await server.kill();
    await load;
    return died || this.failpoint === undefined;
  }

  /** Sends every message that has no task yet; again under the same id when the connection broke. */
  private async load(server: ServerChild, home: TestHome): Promise<void> {
    const client = new A2aClient(server.url, home.keys['ann'] as string, '/agents/far/a2a');
    const operator = new A2aClient(server.url, OPERATOR_KEY);
    const visits = Array.from({ length: TASKS }, (_, n) => async () => {
      const messageId = `${this.name}-${n}`;
      if (this.begun.has(messageId)) return;
      await sleep(n * 30);
      const message = textMessage(messageId, `work ${n}`);
      const request = { message, configuration: { returnImmediately: true } };
      const { task } = await client.rpc<{ task: WireTask }>('SendMessage', request);
      this.begun.set(messageId, task.id);
    });
    const calls = Array.from({ length: CALLS }, (_, n) => async () => {
      const contextId = `${this.name}-c${n}`;
      if (this.contexts.has(contextId)) return;
      const body = { agent: 'demo', message: `call far ${contextId}`, contextId };
      await operator.rest<TaskView>('POST', '/api/a2a/chat', body);
      this.contexts.add(contextId);
    });
    const outcomes = await Promise.allSettled([...visits, ...calls].map((visit) => visit()));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected' && !(outcome.reason instanceof Disconnected)) {
        this.problems.push(`a visit failed: ${String(outcome.reason)}`);
      }
    }
  }

  private async settled(server: ServerChild, home: TestHome, peer: MisbehavingPeer, idempotent: boolean) {
    const client = new A2aClient(server.url, home.keys['ann'] as string, '/agents/far/a2a');
    const operator = new A2aClient(server.url, OPERATOR_KEY);
    for (const [messageId, id] of this.begun) {
      this.result.tasks += 1;
      const task = await this.ended(client, id);
      const { state, message } = task.status;
      const worked = [...peer.tasks.values()].filter(({ history }) =>
        history.some((one) => one['messageId'] === `${id}-1`),
      );
      if (!TERMINAL.test(state)) this.problems.push(`task ${id} of ${messageId} is still ${state}`);
      else if (state === 'TASK_STATE_COMPLETED') {
        this.result.completed += 1;
        if (!JSON.stringify(task.artifacts).includes('done remote-')) this.problems.push(`task ${id} lost its answer`);
      } else if (!idempotent && JSON.stringify(message).includes('unknown whether')) this.result.unknown += 1;
      else if (worked.length === 0 && JSON.stringify(message).includes('server restarted')) this.result.unsent += 1;
      else this.problems.push(`task ${id} of ${messageId} is ${state}: ${JSON.stringify(message)}`);
      if (worked.length > 1) this.problems.push(`the agent worked ${worked.length} times on ${messageId}`);
    }
    const left = async (): Promise<number> =>
      (await operator.rest<WatchesAnswer>('GET', '/api/a2a/watches')).total +
      (await operator.rest<TasksAnswer>('GET', '/api/a2a/tasks?state=working')).total +
      (await operator.rest<TasksAnswer>('GET', '/api/a2a/tasks?state=submitted')).total;
    const until = Date.now() + SETTLE_MS;
    while ((await left()) > 0 && Date.now() < until) await sleep(50);
    // What is told later comes as a task that begins when the other one has ended.
    await sleep(300);
    while ((await left()) > 0 && Date.now() < until) await sleep(50);
    if ((await left()) > 0) this.problems.push('something is still watched or running');
  }

  private async ended(client: A2aClient, id: string): Promise<WireTask> {
    const until = Date.now() + SETTLE_MS;
    for (;;) {
      const task = await client.rpc<WireTask>('GetTask', { id });
      if (TERMINAL.test(task.status.state) || Date.now() > until) return task;
      await sleep(50);
    }
  }

  /** One end for each task, and each reply told once, by what the files say. */
  private checkFiles(home: TestHome): void {
    const records = ['data/operator', `workspaces/${home.workspace}/.a2a`].flatMap((folder) =>
      recordsIn(join(home.path, folder, 'tasks')),
    );
    for (const { task, envelope } of records) {
      const ends = envelope.transitions.filter(({ state }) => TERMINAL.test(state));
      if (ends.length !== 1) this.problems.push(`task ${task.id} has ${ends.length} ends`);
      if (envelope.watch) this.problems.push(`task ${task.id} still has a watch`);
      const { replyTo } = envelope;
      if (!replyTo) continue;
      if ((envelope.transitions.at(-1)?.seq ?? 0) > replyTo.acknowledged) this.problems.push(`${task.id} owes a reply`);
      const told = records.filter(({ task: other }) =>
        other.history.some(({ messageId }) => messageId.startsWith(`reply-${task.id}-`)),
      );
      if (told.length > 1) this.problems.push(`what became of ${task.id} was told ${told.length} times`);
      this.result.told += told.length;
    }
  }
}

function recordsIn(folder: string): TaskRecord[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as TaskRecord);
}
