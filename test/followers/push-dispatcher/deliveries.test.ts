// Deliveries over a real ledger and a net that answers when the test says so.
import { join } from 'node:path';
import { Deliveries } from '../../../plugins/followers/push-dispatcher/deliveries.js';
import type { PushConfig } from '../../../src/a2a-model.js';
import { LIMITS } from '../../../plugins/followers/push-dispatcher/room.js';
import { DELAYS_MS, MAX_TRIES } from '../../../plugins/followers/push-dispatcher/retry-schedule.js';
import type { PushAttempt, PushDead, PushDisabled, PushFailed } from '../../../src/bus/topics.js';
import { Failpoints } from '../../../src/failpoints.js';
import type { PushRegistration } from '../../../src/ledger/records.js';
import { FetchError } from '../../../src/net/fetch-error.js';
import type { GuardedAnswer, GuardedRequest } from '../../../src/net/guarded-fetch.js';
import type { CallerStanding } from '../../../src/workspace/callers.js';
import { tempMirrors } from '../../mirror/temp-mirror.js';
import { newTask, TestLedger, type Event } from '../../support/test-ledger.js';

const mirrors = tempMirrors();

interface Post {
  url: string;
  state: string;
  id: string;
  answer(result: number | FetchError, headers?: Record<string, string>): void;
}

/** A network on which each request waits for the test. */
class ManualNet {
  readonly posts: Post[] = [];
  readonly signals = new Set<AbortSignal>();

  request = (_policy: unknown, url: string, request: GuardedRequest = {}): Promise<GuardedAnswer> =>
    new Promise((resolve, reject) => {
      const { status } = (JSON.parse(String(request.body)) as { task: { status: { state: string } } }).task;
      if (request.signal) this.signals.add(request.signal);
      request.signal?.addEventListener('abort', () => reject(new FetchError('aborted')));
      this.posts.push({
        url,
        state: status.state.slice('TASK_STATE_'.length),
        id: request.headers?.['webhook-id'] ?? '',
        answer: (result, headers = {}) => {
          if (typeof result !== 'number') return reject(result);
          resolve({ status: result, headers, bytes: async () => Buffer.alloc(0), discard: async () => undefined });
        },
      });
    });

  get seen(): string[] {
    return this.posts.map(({ url, state }) => `${new URL(url).pathname.slice(1)} ${state}`);
  }
}

/** As Node keeps it; its own question for it knows no signals of Jest's world. */
const maxListeners = (signal: AbortSignal): unknown => {
  const symbols = Object.getOwnPropertySymbols(signal);
  const symbol = symbols.find(({ description }) => description === 'events.maxEventTargetListeners');
  return symbol && Reflect.get(signal, symbol);
};

const hook = (id: string): PushConfig => ({ id, url: `https://hooks.example/${id}`, version: '1.0' });
const ended: Event = [
  'agent.prompt.response',
  { cid: 't1', turn: 1, state: 'TASK_STATE_COMPLETED', parts: [{ text: 'x' }] },
];

class Desk {
  readonly net = new ManualNet();
  readonly delivered: PushAttempt[] = [];
  readonly failed: PushFailed[] = [];
  readonly dead: PushDead[] = [];
  readonly disabled: PushDisabled[] = [];
  readonly secrets: string[] = [];
  standing: CallerStanding = 'known';
  deliveries!: Deliveries;

  constructor(readonly home: TestLedger) {
    this.restart();
  }

  /** Stops in good order and begins anew, perhaps on another database. */
  async newProcess(database?: string): Promise<void> {
    const { home } = this;
    await this.deliveries.stop(Promise.resolve());
    await home.ledger.close();
    home.mirror.close();
    const file = database === undefined ? {} : { file: join(mirrors.folder, database) };
    await home.restart(false, mirrors.open({ clock: home.clock, ...file }));
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
        callers: { standing: () => this.standing, webhookSecret: () => undefined },
        net,
        failpoints: new Failpoints(),
        secrets: { addPassing: (secret) => void this.secrets.push(secret) },
      },
      log: home.log,
      random: () => 0.5,
      tell: {
        delivered: (attempt) => void this.delivered.push(attempt),
        failed: (attempt) => void this.failed.push(attempt),
        dead: (letter) => void this.dead.push(letter),
        disabled: (webhook) => void this.disabled.push(webhook),
      },
    });
    const { deliveries } = this;
    home.ledger.pushConfigs.onOwed((taskId) => deliveries.wake(taskId));
  }

  async answer(index: number, result: number | FetchError, headers?: Record<string, string>): Promise<void> {
    this.net.posts[index]?.answer(result, headers);
    await this.settle();
  }

  /** Answers the latest request. */
  answerLast(result: number | FetchError, headers?: Record<string, string>): Promise<void> {
    return this.answer(this.net.posts.length - 1, result, headers);
  }

  /** Lets time pass, in steps so small that nothing is due twice in one. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 60_000) {
      this.home.clock.advance(Math.min(left, 60_000));
      await this.settle();
    }
  }

  /** Wakes the task and lets everything happen that waits for nobody outside. */
  async wake(): Promise<void> {
    this.deliveries.wake('t1');
    await this.settle();
  }

  async settle(): Promise<void> {
    for (let i = 0; i < 4; i++) {
      await this.home.settle();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  config(id: string): PushRegistration | undefined {
    return this.home.ledger.get('t1')?.envelope.pushConfigs?.find((config) => config.id === id);
  }

  owedAfter(id: string): number | undefined {
    return this.config(id)?.acknowledged;
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

  it('try again by the schedule before they go on with the next change, under the same id', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    await at.answer(0, 500);
    await at.home.say(ended);
    await at.wake();
    await at.pass(999);
    expect(at.net.seen).toEqual(['a WORKING']);
    await at.pass(1);
    await at.answer(1, new FetchError('unreachable'));
    await at.pass(4_999);
    expect(at.net.posts.length).toBe(2);
    await at.pass(1);
    await at.answer(2, 200);
    await at.answer(3, 200);
    expect(at.net.seen).toEqual(['a WORKING', 'a WORKING', 'a WORKING', 'a COMPLETED']);
    expect(new Set(at.net.posts.slice(0, 3).map(({ id }) => id))).toEqual(new Set(['t1_a_2']));
    expect(at.failed).toMatchObject([
      { seq: 2, status: 500, reason: 'status', attempt: 1, caller: 'demo/alice' },
      { seq: 2, reason: 'unreachable', attempt: 2 },
    ]);
    expect(at.delivered.map(({ seq, attempt }) => [seq, attempt])).toMatchObject([
      [2, 3],
      [expect.any(Number), 1],
    ]);
  });

  it('wait for the time that a receiver asks for', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    await at.answer(0, 429, { 'retry-after': '20' });
    await at.pass(19_999);
    expect(at.net.posts.length).toBe(1);
    await at.pass(1);
    await at.answer(1, 503, { 'retry-after': new Date(at.home.clock.now() + 40_000).toUTCString() });
    await at.pass(39_000);
    expect(at.net.posts.length).toBe(2);
    await at.pass(1_000);
    expect(at.net.posts.length).toBe(3);
  });

  it('give up after the last try, keep a dead letter in the task, and go on with the next change', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    for (const delay of [...DELAYS_MS, 0]) {
      await at.answerLast(500);
      await at.pass(delay);
    }
    expect(at.net.seen).toEqual(Array<string>(MAX_TRIES).fill('a WORKING'));
    expect(at.dead).toMatchObject([{ taskId: 't1', configId: 'a', seq: 2, attempt: MAX_TRIES, status: 500 }]);
    await at.home.say(ended);
    await at.wake();
    await at.answerLast(200);
    expect(at.net.seen.at(-1)).toBe('a COMPLETED');
    const letter = { seq: 2, attempts: MAX_TRIES, reason: 'status', status: 500 };
    expect(at.config('a')?.dead).toMatchObject([letter]);
    await at.newProcess();
    expect(at.config('a')?.dead).toMatchObject([letter]);
    at.deliveries.start();
    await at.settle();
    expect(at.net.posts.length).toBe(MAX_TRIES + 1);
    expect(await at.home.ledger.pushConfigs.redrive('t1', 'a')).toBe(1);
    await at.settle();
    await at.answerLast(200);
    expect(at.net.posts.at(-1)?.id).toBe('t1_a_2');
    expect(at.config('a')?.dead).toBeUndefined();
    expect(await at.home.ledger.pushConfigs.redrive('t1', 'a')).toBe(0);
  });

  it('disable a webhook that is gone, until it is enabled or registered anew', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    await at.answer(0, 410);
    expect(at.disabled).toEqual([{ taskId: 't1', configId: 'a', caller: 'demo/alice', by: 'gone' }]);
    await at.home.say(ended);
    await at.wake();
    await at.pass(3_600_000);
    expect(at.net.posts.length).toBe(1);
    await at.home.ledger.pushConfigs.enable('t1', 'a');
    await at.settle();
    await at.answer(1, 410);
    await at.home.ledger.pushConfigs.set('t1', { ...hook('a'), url: 'https://hooks.example/moved' });
    await at.settle();
    await at.answer(2, 200);
    await at.answer(3, 200);
    expect(at.net.seen).toEqual(['a WORKING', 'a WORKING', 'moved WORKING', 'moved COMPLETED']);
  });

  it('tell the webhook that took the place of one that failed at once, without its wait', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    await at.answer(0, 500);
    await at.pass(1_000);
    await at.answer(1, 500);
    await at.pass(5_000);
    await at.home.ledger.pushConfigs.set('t1', { ...hook('a'), url: 'https://hooks.example/new' });
    await at.answer(2, 500, { 'retry-after': '3600' });
    expect(at.net.seen).toEqual(['a WORKING', 'a WORKING', 'a WORKING', 'new WORKING']);
    await at.answer(3, 500);
    expect(at.failed.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 1]);
  });

  it('do not disable or bury the webhook that took the place of the one that failed', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    at.home.clock.advance(1);
    await at.home.ledger.pushConfigs.set('t1', { ...hook('a'), url: 'https://hooks.example/new' });
    await at.answer(0, 410);
    await at.answer(1, 200);
    expect([at.net.seen, at.disabled]).toEqual([['a WORKING', 'new WORKING'], []]);
  });

  it.each([true, false])('go on after a restart where they were (with the database: %s)', async (withDatabase) => {
    const at = await desk(hook('a'));
    await at.wake();
    await at.answer(0, 500);
    await at.home.say(ended);
    await at.newProcess(withDatabase ? undefined : 'another');
    at.deliveries.start();
    await at.settle();
    expect(at.net.seen.slice(1)).toEqual(withDatabase ? [] : ['a WORKING']);
    await at.pass(1_000);
    await at.answer(1, 200);
    await at.answer(2, 200);
    expect(at.net.seen.slice(1)).toEqual(['a WORKING', 'a COMPLETED']);
    expect(at.delivered.map(({ attempt }) => attempt)).toEqual(withDatabase ? [2, 1] : [1, 1]);
  });

  it('hear of what is owed to any number of webhooks from the schedule, and keep few of them in memory', async () => {
    const home = await new TestLedger((clock) => mirrors.open({ clock })).restart();
    const count = 700;
    const hooks = (n: number): PushConfig => ({ id: 'h', url: `https://host-${n % 300}.example/${n}`, version: '1.0' });
    for (let n = 0; n < count; n++) await home.ledger.create(newTask(`n${n}`, { pushConfig: hooks(n) }));
    const at = new Desk(home);
    at.deliveries.start();
    await at.settle();
    expect(at.net.posts.length).toBeLessThanOrEqual(LIMITS.quickPerCaller);
    for (let answered = 0; answered < at.net.posts.length; answered++) {
      at.net.posts[answered]?.answer(200);
      if (answered % 8 === 7 || answered === at.net.posts.length - 1) await at.settle();
    }
    expect(new Set(at.net.posts.map(({ id }) => id)).size).toBe(count);
    expect(at.net.posts.length).toBe(count);
    expect(home.ledger.pushSchedule.list({ pageSize: 100 }).rows).toEqual([]);
  });

  it('that hang hold up no others of the same caller', async () => {
    const home = await new TestLedger((clock) => mirrors.open({ clock })).restart();
    const hanging = 100;
    for (let n = 0; n < hanging; n++) {
      await home.ledger.create(newTask(`h${n}`, { pushConfig: { ...hook('x'), url: `https://hangs-${n}.example/x` } }));
    }
    const at = new Desk(home);
    at.deliveries.start();
    for (let i = 0; i < 5; i++) await at.pass(1_000);
    expect(at.net.posts.length).toBe(hanging);
    // They share a signal, which Node must not take for a leak.
    expect([...at.net.signals].map(maxListeners)).toEqual([0]);
    await home.ledger.create(newTask('quick', { pushConfig: hook('quick') }));
    at.deliveries.wake('quick');
    await at.settle();
    expect(at.net.seen.at(-1)).toBe('quick WORKING');
  });

  it('that hang at a host hold up no other caller there', async () => {
    const home = await new TestLedger((clock) => mirrors.open({ clock })).restart();
    const at = new Desk(home);
    const create = async (cid: string, name: string): Promise<void> => {
      const pushConfig = { ...hook('x'), url: `https://shared.example/${cid}` };
      await home.ledger.create(newTask(cid, { pushConfig, caller: { id: `demo/${name}`, scope: 'demo' } }));
      at.deliveries.wake(cid);
      await at.settle();
    };
    for (let n = 0; n < 20; n++) await create(`hangs-${n}`, 'ann');
    await at.pass(1_000);
    await create('quick', 'bob');
    expect(at.net.seen.at(-1)).toBe('quick WORKING');
  });

  it('with large files are a few at a time, fewer of one caller, so that memory holds', async () => {
    const home = await new TestLedger((clock) => mirrors.open({ clock })).restart();
    const at = new Desk(home);
    const artifact = { artifactId: 'f', parts: [{ blob: 'x', size: 5_000_000 }] };
    const createFor = async (name: string, tasks: number): Promise<void> => {
      for (let n = 0; n < tasks; n++) {
        const cid = `${name}-${n}`;
        const pushConfig = { ...hook('x'), url: `https://${cid}.example/${name}` };
        await home.ledger.create(newTask(cid, { pushConfig, caller: { id: `demo/${name}`, scope: 'demo' } }));
        const piece = { cid, turn: 1, kind: 'artifact', artifact, append: false, lastChunk: true } as const;
        await home.say(['agent.prompt.progress', piece]);
        at.deliveries.wake(cid);
      }
    };
    const postsOf = (name: string): number => at.net.seen.filter((seen) => seen.startsWith(name)).length;
    await createFor('greedy', 8);
    await at.settle();
    // Those hang, and others have their turn all the same.
    expect(postsOf('greedy')).toBe(4);
    for (const name of ['b', 'c', 'd']) await createFor(name, 3);
    await at.pass(1_000);
    expect([at.net.posts.length, postsOf('greedy')]).toEqual([12, 4]);
    for (let n = 0; n < 12; n++) await at.answer(n, 200);
    await at.pass(1_000);
    expect(at.net.posts.length).toBe(17);
  });

  it('give a host no more room for a notification that could not be sent to it yet', async () => {
    const home = await new TestLedger((clock) => mirrors.open({ clock })).restart();
    const at = new Desk(home);
    const artifact = { artifactId: 'f', parts: [{ blob: 'x', size: 5_000_000 }] };
    const create = async (cid: string, host: string, heavy: boolean): Promise<void> => {
      await home.ledger.create(newTask(cid, { pushConfig: { ...hook('x'), url: `https://${host}/${cid}` } }));
      const piece = { cid, turn: 1, kind: 'artifact', artifact, append: false, lastChunk: true } as const;
      if (heavy) await home.say(['agent.prompt.progress', piece]);
      at.deliveries.wake(cid);
      await at.settle();
    };
    for (let n = 0; n < 4; n++) await create(`heavy-${n}`, `elsewhere-${n}.example`, true);
    await create('no-room', 'unknown.example', true);
    for (let n = 0; n < 8; n++) await create(`small-${n}`, 'unknown.example', false);
    expect(at.net.seen.filter((seen) => seen.startsWith('small'))).toHaveLength(LIMITS.perDoubtfulHost);
  });

  it('call nobody again because an acknowledgement could not be stored, but store it when that works', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    const { acknowledge } = at.home.ledger.pushConfigs;
    at.home.ledger.pushConfigs.acknowledge = async () => Promise.reject(new Error('disk full'));
    await at.answer(0, 200);
    await at.pass(5_000);
    expect([at.net.posts.length, at.delivered.length, at.owedAfter('a')]).toEqual([1, 0, 1]);
    at.home.ledger.pushConfigs.acknowledge = acknowledge;
    await at.pass(1_000);
    expect([at.net.posts.length, at.delivered.length, at.owedAfter('a')]).toEqual([1, 1, 2]);
  });

  it('tell once of the try whose end could not be stored at first', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    for (const delay of DELAYS_MS) {
      await at.answerLast(500);
      await at.pass(delay);
    }
    const { giveUp } = at.home.ledger.pushConfigs;
    at.home.ledger.pushConfigs.giveUp = async () => Promise.reject(new Error('disk full'));
    await at.answerLast(500);
    await at.pass(5_000);
    at.home.ledger.pushConfigs.giveUp = giveUp;
    await at.pass(1_000);
    expect([at.net.posts.length, at.failed.length, at.dead.length]).toEqual([MAX_TRIES, MAX_TRIES, 1]);
    expect(at.home.ledger.pushSchedule.tries('t1', 'a', 100)).toHaveLength(MAX_TRIES);
  });

  it('call the webhook that took the place of one whose answer could not be stored', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    const { acknowledge } = at.home.ledger.pushConfigs;
    at.home.ledger.pushConfigs.acknowledge = async () => Promise.reject(new Error('disk full'));
    await at.answer(0, 200);
    at.home.ledger.pushConfigs.acknowledge = acknowledge;
    await at.home.ledger.pushConfigs.set('t1', { ...hook('a'), url: 'https://hooks.example/other' });
    await at.pass(1_000);
    expect(at.net.posts.map(({ url }) => new URL(url).pathname)).toEqual(['/a', '/other']);
  });

  it.each([
    ['timeout', undefined],
    ['not-allowed', undefined],
    ['redirect', 302],
  ] as const)('say why nothing was delivered (%s)', async (reason, status) => {
    const at = await desk(hook('a'));
    await at.wake();
    await at.answer(0, new FetchError(reason, status));
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

  it('tell one that was registered anew at the same place nothing twice', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    at.home.clock.advance(1);
    await at.home.ledger.pushConfigs.set('t1', hook('a'));
    await at.answer(0, 200);
    await at.pass(5_000);
    expect([at.net.seen, at.owedAfter('a')]).toEqual([['a WORKING'], 2]);
  });

  it('go on in time when the clock was set back by a day, while they ran', async () => {
    const at = await desk(hook('a'));
    at.deliveries.start();
    await at.settle();
    await at.answer(0, 500);
    at.home.clock.setBack(86_400_000);
    await at.pass(60_000);
    expect(at.net.seen).toEqual(['a WORKING', 'a WORKING']);
  });

  it.each([
    ['tried before', true],
    ['not tried yet', false],
  ])('go on in time when the clock was set back by a day before the start (%s)', async (_, tried) => {
    const at = await desk(hook('a'));
    if (tried) {
      await at.wake();
      await at.answer(0, 500);
    }
    const before = at.net.posts.length;
    await at.newProcess();
    at.home.clock.setBack(86_400_000);
    at.deliveries.start();
    await at.settle();
    expect(at.net.posts.length - before).toBe(1);
  });

  it('wait no less because the clock was set back a little', async () => {
    const at = await desk(hook('a'));
    at.deliveries.start();
    await at.settle();
    await at.answer(0, 429, { 'retry-after': '3600' });
    at.home.clock.setBack(60_000);
    await at.pass(3_500_000);
    expect(at.net.posts.length).toBe(1);
    await at.pass(300_000);
    expect(at.net.posts.length).toBe(2);
  });

  it('tell the one in its place what a replaced webhook is owed, what that one was just being told included', async () => {
    const at = await desk(hook('a'));
    await at.wake();
    await at.home.say(ended);
    await at.home.ledger.pushConfigs.set('t1', { ...hook('a'), url: 'https://hooks.example/new' });
    await at.answer(0, 200);
    await at.answer(1, 200);
    expect(at.net.seen).toEqual(['a WORKING', 'new WORKING', 'new COMPLETED']);
  });

  it('have nothing to do with a task that has no webhook, or that does not exist', async () => {
    const at = await desk();
    await at.wake();
    at.deliveries.wake('unknown');
    await at.settle();
    expect(at.net.posts).toEqual([]);
  });

  it('ask once a minute, not all the time, for a task that is due and can not be read', async () => {
    const at = await desk(hook('a'));
    const { ledger } = at.home;
    let asked = 0;
    const get = ledger.get.bind(ledger);
    ledger.get = () => void asked++;
    at.deliveries.start();
    for (let i = 0; i < 20; i++) await at.settle();
    expect(asked).toBe(1);
    await at.pass(60_000);
    expect(asked).toBe(2);
    ledger.get = get;
    await at.pass(60_000);
    expect(at.net.seen).toEqual(['a WORKING']);
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

  it('wait while the file of its callers can not be read, and use up no try for that', async () => {
    const at = await desk(hook('a'));
    at.standing = 'unreadable';
    at.deliveries.start();
    await at.wake();
    await at.pass(3 * 86_400_000);
    expect([at.net.posts.length, at.failed.length]).toEqual([0, 0]);
    at.standing = 'known';
    await at.pass(60_000);
    expect(at.net.seen).toEqual(['a WORKING']);
  });

  it('tell a caller that was removed nothing, and keep it as dead letters', async () => {
    const at = await desk(hook('a'));
    at.standing = 'gone';
    await at.wake();
    for (const delay of DELAYS_MS) await at.pass(delay);
    expect([at.net.posts.length, at.failed.length, at.dead.map(({ reason }) => reason)]).toEqual([
      0,
      MAX_TRIES,
      ['no-caller'],
    ]);
    at.standing = 'known';
    await at.home.ledger.pushConfigs.redrive('t1', 'a');
    await at.settle();
    expect(at.net.seen).toEqual(['a WORKING']);
  });

  it('make known secrets before they use them', async () => {
    const at = await desk({ ...hook('a'), token: 'token-1', authentication: { scheme: 'Bearer', credentials: 'c-1' } });
    await at.wake();
    expect(at.secrets).toEqual(['token-1', 'c-1']);
  });
});
