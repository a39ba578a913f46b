// What the bus holds on to, and for how long: subscriptions, handlers in flight, the event loop.
import { readFile } from 'node:fs/promises';
import { collectGarbage } from '../support/collect-garbage.js';
import { testBus } from '../support/test-bus.js';

const LIVE = 10_000;

describe('subscriptions', () => {
  it(`of ${LIVE} live cids each get their own, and nothing of them remains`, async () => {
    const { bus, open } = testBus();
    const handle = open('many');
    handle.subscribe('agent.prompt.progress', () => undefined);
    const atStart = bus.subscribedTopics;
    let received = 0;
    const releases = Array.from({ length: LIVE }, (_, i) =>
      handle.subscribeTo('agent.prompt.progress', `c${i}`, ({ cid }) => void (received += cid === `c${i}` ? 1 : LIVE)),
    );
    expect(bus.subscribedTopics).toBe(atStart + LIVE);
    for (let i = 0; i < LIVE; i++) {
      handle.publish('agent.prompt.progress', { cid: `c${i}`, turn: 1, kind: 'text', pieces: [], end: true });
    }
    await bus.drain();
    expect(received).toBe(LIVE);
    for (const release of releases) release();
    expect(bus.subscribedTopics).toBe(atStart);
  });

  it('leave no heap behind when they come and go for many rounds', async () => {
    const { bus, open } = testBus();
    const handle = open('many');
    const round = async (n: number): Promise<void> => {
      for (let i = 0; i < LIVE; i++) {
        const release = handle.subscribeTo('agent.prompt.progress', `r${n}-${i}`, () => undefined);
        handle.publish('agent.prompt.progress', { cid: `r${n}-${i}`, turn: 1, kind: 'text', pieces: [], end: true });
        release();
      }
      await bus.drain();
    };
    await round(0);
    collectGarbage();
    const warm = process.memoryUsage().heapUsed;
    for (let n = 1; n <= 5; n++) await round(n);
    collectGarbage();
    // 50,000 subscriptions that leaked would hold well over 5 MB.
    expect(process.memoryUsage().heapUsed - warm).toBeLessThan(2_000_000);
  });
});

describe('drain', () => {
  it('waits for asynchronous handlers and for what they publish', async () => {
    const { bus, open } = testBus();
    const done: string[] = [];
    const handle = open('slow');
    handle.subscribe('agent.prompt.cancel', async ({ cid }) => {
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      handle.publish('agent.prompt.progress', { cid, turn: 1, kind: 'text', pieces: [], end: true });
    });
    handle.subscribe('agent.prompt.progress', async ({ cid }) => {
      await new Promise((resolve) => setImmediate(resolve));
      done.push(cid);
    });
    handle.publish('agent.prompt.cancel', { cid: 'c1', by: 'operator' });
    await bus.drain();
    expect(done).toEqual(['c1']);
  });

  it('waits for a handler that rejects and for the handlers of its failure', async () => {
    const { bus, open } = testBus();
    const seen: string[] = [];
    const handle = open('slow');
    handle.subscribe('agent.prompt.cancel', () => Promise.reject(new Error('broken')));
    handle.subscribe('plugin.failed', async ({ error }) => {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(error);
    });
    handle.publish('agent.prompt.cancel', { cid: 'c1', by: 'operator' });
    await bus.drain();
    expect(seen).toEqual(['broken']);
  });

  it('returns at once on an idle bus, and may be called by several at a time', async () => {
    const { bus, open } = testBus();
    await bus.drain();
    let done = 0;
    open('reader').subscribe('agent.prompt.cancel', async () => {
      await Promise.resolve();
      done += 1;
    });
    open('publisher').publish('agent.prompt.cancel', { cid: 'c1', by: 'operator' });
    await Promise.all([bus.drain(), bus.drain()]);
    expect(done).toBe(1);
  });
});

describe('a handler that publishes for ever', () => {
  it('does not keep timers and other work from running', async () => {
    const { bus, open } = testBus();
    let stopped = false;
    let delivered = 0;
    const handle = open('endless');
    handle.subscribe('agent.prompt.progress', (payload) => {
      delivered += 1;
      if (!stopped) handle.publish('agent.prompt.progress', { ...payload });
    });
    handle.publish('agent.prompt.progress', { cid: 'c1', turn: 1, kind: 'text', pieces: [], end: true });
    // They alone can end this loop: the test hangs if the bus never lets them run.
    await new Promise((resolve) => setTimeout(resolve));
    await readFile(new URL(import.meta.url));
    expect(delivered).toBeGreaterThan(0);
    stopped = true;
    await bus.drain();
  });
});

describe('handlers that never settle', () => {
  it('are waited for no more once they were given up; later ones are', async () => {
    const { bus, open } = testBus();
    const stuck = open('stuck');
    stuck.subscribe('agent.prompt.cancel', () => new Promise(() => undefined));
    stuck.publish('agent.prompt.cancel', { cid: 'c', by: 'demo/ann' });
    let over = false;
    void bus.drain().then(() => (over = true));
    await new Promise((resolve) => setImmediate(resolve));
    bus.giveUp();
    await bus.drain();
    expect(over).toBe(false);

    const done: string[] = [];
    const slow = open('slow');
    slow.subscribe('plugin.failed', async ({ error }) => {
      await new Promise((resolve) => setImmediate(resolve));
      done.push(error);
    });
    slow.publish('plugin.failed', { plugin: 'p', topic: 't', error: 'e' });
    await bus.drain();
    expect(done).toEqual(['e']);
  });
});
