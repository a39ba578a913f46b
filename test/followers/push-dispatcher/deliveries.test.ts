// Deliveries over a real ledger and a net that answers when the test says so.
import { Deliveries } from '../../../plugins/followers/push-dispatcher/deliveries.js';
import type { PushConfig } from '../../../src/a2a-model.js';
import type { PushAttempt, PushFailed } from '../../../src/bus/topics.js';
import { FetchError } from '../../../src/net/fetch-error.js';
import type { GuardedAnswer, GuardedRequest } from '../../../src/net/guarded-fetch.js';
import { tempMirrors } from '../../mirror/temp-mirror.js';
import { newTask, TestLedger, type Event } from '../../support/test-ledger.js';

const mirrors = tempMirrors();

interface Post {
  url: string;
  state: string;
  id: string;
  answer(result: number | FetchError): void;
}

/** A network on which each request waits for the test. */
class ManualNet {
  readonly posts: Post[] = [];

  request = (_policy: unknown, url: string, request: GuardedRequest = {}): Promise<GuardedAnswer> =>
    new Promise((resolve, reject) => {
      const { status } = (JSON.parse(String(request.body)) as { task: { status: { state: string } } }).task;
      request.signal?.addEventListener('abort', () => reject(new FetchError('aborted')));
      this.posts.push({
        url,
        state: status.state.slice('TASK_STATE_'.length),
        id: request.headers?.['webhook-id'] ?? '',
        answer: (result) => {
          if (typeof result !== 'number') return reject(result);
          resolve({ status: result, headers: {}, bytes: async () => Buffer.alloc(0), discard: async () => undefined });
        },
      });
    });

  get seen(): string[] {
    return this.posts.map(({ url, state }) => `${new URL(url).pathname.slice(1)} ${state}`);
  }
}

const hook = (id: string): PushConfig => ({ id, url: `https://hooks.example/${id}`, version: '1.0' });
const ended: Event = [
  'agent.prompt.response',
  { cid: 't1', turn: 1, state: 'TASK_STATE_COMPLETED', parts: [{ text: 'x' }] },
];

class Desk {
  readonly net = new ManualNet();
  readonly delivered: PushAttempt[] = [];
  readonly failed: PushFailed[] = [];
  readonly secrets: string[] = [];
  deliveries!: Deliveries;

  constructor(readonly home: TestLedger) {
    this.restart();
  }

  /** What a new process begins with: the same tasks, and no memory. */
  restart(): void {
    const { home, net } = this;
    this.deliveries = new Deliveries({
      core: {
        ledger: home.ledger,
        clock: home.clock,
        blobs: { read: () => undefined },
        net,
        secrets: { addPassing: (secret) => void this.secrets.push(secret) },
      },
      log: home.log,
      delivered: (attempt) => void this.delivered.push(attempt),
      failed: (attempt) => void this.failed.push(attempt),
    });
  }

  async answer(index: number, result: number | FetchError): Promise<void> {
    this.net.posts[index]?.answer(result);
    await this.settle();
  }

  /** Wakes the task and lets everything happen that waits for nobody outside. */
  async wake(): Promise<void> {
    this.deliveries.wake('t1');
    await this.settle();
  }

  async settle(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      await this.home.settle();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  owedAfter(id: string): number | undefined {
    return this.home.ledger.get('t1')?.envelope.pushConfigs?.find((config) => config.id === id)?.acknowledged;
  }
}

async function desk(...configs: PushConfig[]): Promise<Desk> {
  const home = await new TestLedger((clock) => mirrors.open({ clock })).restart();
  const [first, ...rest] = configs;
  await home.ledger.create(newTask('t1', first ? { pushConfig: first } : {}));
  for (const config of rest) await home.ledger.pushConfigs.set('t1', config);
  return new Desk(home);
}

describe('deliveries', () => {
  it('tell a webhook of each change once and in order, and acknowledge what was taken', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    expect(at.net.seen).toEqual(['a WORKING']);
    await at.home.say(ended);
    await at.wake();
    expect(at.net.seen).toEqual(['a WORKING']);
    await at.answer(0, 200);
    expect(at.net.seen).toEqual(['a WORKING', 'a COMPLETED']);
    expect(at.owedAfter('a')).toBe(2);
    await at.answer(1, 204);
    const { transitions } = at.home.ledger.get('t1')?.envelope ?? { transitions: [] };
    expect(at.owedAfter('a')).toBe(transitions.at(-1)?.seq);
    await at.wake();
    expect(at.net.posts.length).toBe(2);
    expect(at.delivered.map(({ seq, state, status, attempt }) => [seq, state, status, attempt])).toEqual([
      [2, 'TASK_STATE_WORKING', 200, 1],
      [transitions.at(-1)?.seq, 'TASK_STATE_COMPLETED', 204, 1],
    ]);
    expect(at.net.posts.map(({ id }) => id)).toEqual(['t1_a_2', `t1_a_${transitions.at(-1)?.seq}`]);
  });

  it('let no webhook wait for another', async () => {
    const at = await desk(hook('hangs'), hook('b'));
    await at.wake();
    await at.home.say(ended);
    await at.wake();
    expect(at.net.seen).toEqual(['hangs WORKING', 'b COMPLETED']);
    await at.answer(1, 200);
    expect(at.delivered.map(({ configId }) => configId)).toEqual(['b']);
  });

  it('try a change once, go on with the next, and leave what failed owed to the next process', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    await at.answer(0, 500);
    await at.home.say(ended);
    await at.wake();
    await at.answer(1, 200);
    expect(at.net.seen).toEqual(['a WORKING', 'a COMPLETED']);
    expect(at.failed).toMatchObject([{ seq: 2, status: 500, reason: 'status', attempt: 1, caller: 'demo/alice' }]);
    expect(at.owedAfter('a')).toBe(1);
    at.restart();
    await at.wake();
    await at.answer(2, 200);
    await at.answer(3, 200);
    expect(at.net.seen.slice(2)).toEqual(['a WORKING', 'a COMPLETED']);
    expect(at.net.posts.slice(2).map(({ id }) => id)).toEqual(at.net.posts.slice(0, 2).map(({ id }) => id));
    at.restart();
    await at.wake();
    expect(at.net.posts.length).toBe(4);
  });

  it.each([
    [new FetchError('timeout'), 'timeout', undefined],
    [new FetchError('not-allowed'), 'not-allowed', undefined],
    [new FetchError('redirect', 302), 'redirect', 302],
  ])('say why nothing was delivered (%s)', async (error, reason, status) => {
    const at = await desk(hook('a'));
    await at.wake();
    await at.answer(0, error);
    expect(at.failed.map((attempt) => [attempt.reason, attempt.status])).toEqual([[reason, status]]);
  });

  it('send nothing more to a webhook that was deleted', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    await at.home.ledger.pushConfigs.delete('t1', 'a');
    await at.answer(0, 200);
    await at.home.say(ended);
    await at.wake();
    expect(at.net.seen).toEqual(['a WORKING']);
    expect(at.home.ledger.get('t1')?.envelope.pushConfigs).toBeUndefined();
  });

  it('tell the one in its place what a replaced webhook is owed', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    await at.home.say(ended);
    await at.home.ledger.pushConfigs.set('t1', { ...hook('a'), url: 'https://hooks.example/new' });
    await at.answer(0, 200);
    expect(at.net.seen).toEqual(['a WORKING', 'new COMPLETED']);
  });

  it('have nothing to do with a task that has no webhook, or that does not exist', async () => {
    const at = await desk();
    await at.wake();
    at.deliveries.wake('unknown');
    await at.settle();
    expect(at.net.posts).toEqual([]);
  });

  it('break off what hangs when the server stops, and leave it owed', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    let late = (): void => undefined;
    const stopped = at.deliveries.stop(new Promise((resolve) => (late = resolve)));
    await at.wake();
    late();
    await stopped;
    expect([at.net.posts.length, at.owedAfter('a'), at.failed]).toEqual([1, 1, []]);
  });

  it('make known secrets before they use them', async () => {
    const at = await desk({ ...hook('a'), token: 'token-1', authentication: { scheme: 'Bearer', credentials: 'c-1' } });
    await at.wake();
    expect(at.secrets).toEqual(['token-1', 'c-1']);
  });
});
