// A subscriber that fails harms nobody else: not the publisher, not the next handler, not the bus.
import type { PluginFailed } from '../../src/bus/topics.js';
import { testBus, type OpenHandle } from '../support/test-bus.js';

const cancel = (cid = 'c1') => ({ cid, by: 'demo/ann' });

/** Collects what is announced as plugin.failed. */
function failures(handle: OpenHandle): PluginFailed[] {
  const seen: PluginFailed[] = [];
  handle.subscribe('plugin.failed', (failure) => void seen.push(failure));
  return seen;
}

describe('a failing handler', () => {
  it('that throws is announced, and the handlers before and after it run', async () => {
    const { bus, open, logged } = testBus();
    const order: string[] = [];
    open('first').subscribe('agent.prompt.cancel', () => void order.push('first'));
    open('bad').subscribe('agent.prompt.cancel', () => {
      throw new Error('broken');
    });
    open('last').subscribe('agent.prompt.cancel', () => void order.push('last'));
    const failed = failures(open('watcher'));
    open('publisher').publish('agent.prompt.cancel', cancel());
    await bus.drain();
    expect(order).toEqual(['first', 'last']);
    expect(failed).toEqual([{ plugin: 'bad', topic: 'agent.prompt.cancel.c1', error: 'broken' }]);
    expect(logged).toEqual([expect.objectContaining({ plugin: 'bad', cid: 'c1', msg: 'a bus handler failed' })]);
  });

  it('that rejects is announced once it has rejected', async () => {
    const { bus, open } = testBus();
    open('bad').subscribe('agent.prompt.cancel', async () => {
      await Promise.resolve();
      throw new Error('broken later');
    });
    const failed = failures(open('watcher'));
    open('publisher').publish('agent.prompt.cancel', cancel());
    await bus.drain();
    expect(failed).toEqual([{ plugin: 'bad', topic: 'agent.prompt.cancel.c1', error: 'broken later' }]);
  });

  it('that returns a foreign thenable which rejects is announced too', async () => {
    const { bus, open } = testBus();
    const foreign = { then: (_ok: unknown, fail: (error: Error) => void) => void fail(new Error('not a Promise')) };
    open('bad').subscribe('agent.prompt.cancel', () => foreign as unknown as Promise<void>);
    const failed = failures(open('watcher'));
    open('publisher').publish('agent.prompt.cancel', cancel());
    await bus.drain();
    expect(failed.map((failure) => failure.error)).toEqual(['not a Promise']);
  });

  it('in a tap and in a subscription to one topic is announced like any other', async () => {
    const { bus, open } = testBus();
    open('tapper').tap('agent.prompt.cancel.*', () => {
      throw new Error('tap');
    });
    open('single').subscribeTo('agent.prompt.cancel', 'c1', () => Promise.reject(new Error('one topic')));
    const failed = failures(open('watcher'));
    open('publisher').publish('agent.prompt.cancel', cancel());
    await bus.drain();
    expect(failed.map(({ plugin, error }) => [plugin, error])).toEqual([
      ['tapper', 'tap'],
      ['single', 'one topic'],
    ]);
  });

  it('of plugin.failed only logs', async () => {
    const { bus, open, logged } = testBus();
    let announced = 0;
    const bad = open('bad');
    bad.subscribe('agent.prompt.cancel', () => {
      throw new Error('first');
    });
    bad.subscribe('plugin.failed', () => {
      announced += 1;
      throw new Error('second');
    });
    open('worse').subscribe('plugin.failed', () => Promise.reject(new Error('third')));
    open('publisher').publish('agent.prompt.cancel', cancel());
    await bus.drain();
    expect(announced).toBe(1);
    expect(logged.map((line) => line['topic'])).toEqual(['agent.prompt.cancel.c1', 'plugin.failed', 'plugin.failed']);
  });

  it('names the envelope that it failed on as the cause, also when it rejects later', async () => {
    const { bus, open } = testBus();
    const caused: (string | undefined)[] = [];
    let delivered = '';
    open('throws').subscribe('agent.prompt.cancel', (_payload, envelope) => {
      delivered = envelope.id;
      throw new Error('now');
    });
    open('rejects').subscribe('agent.prompt.cancel', () =>
      Promise.resolve().then(() => Promise.reject(new Error('x'))),
    );
    open('watcher').subscribe('plugin.failed', (_payload, envelope) => void caused.push(envelope.causationId));
    open('publisher').publish('agent.prompt.cancel', cancel());
    await bus.drain();
    expect(caused).toEqual([delivered, delivered]);
  });

  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['a symbol', () => Symbol('s')],
    ['an object without prototype', () => Object.create(null) as unknown],
    ['an object whose toString throws', () => ({ toString: () => Promise.reject as never, [Symbol.toPrimitive]: 1 })],
    [
      'an error that throws when it is read',
      () =>
        Object.defineProperty(new Error(), 'message', {
          get: () => {
            throw new Error('hostile');
          },
        }),
    ],
    [
      'a revoked proxy',
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    ],
  ])('that throws or rejects with %s does not stop the bus', async (_name, thrown) => {
    const { bus, open } = testBus();
    let after = 0;
    open('throws').subscribe('agent.prompt.cancel', () => {
      throw thrown();
    });
    open('rejects').subscribe('agent.prompt.cancel', () => Promise.reject(thrown()));
    open('after').subscribe('agent.prompt.cancel', () => void (after += 1));
    const failed = failures(open('watcher'));
    const publisher = open('publisher');
    publisher.publish('agent.prompt.cancel', cancel());
    await bus.drain();
    publisher.publish('agent.prompt.cancel', cancel('c2'));
    await bus.drain();
    expect(after).toBe(2);
    expect(failed.map((failure) => failure.plugin).sort()).toEqual(['rejects', 'rejects', 'throws', 'throws']);
  });
});

describe('publish', () => {
  it('returns before any handler runs', async () => {
    const { bus, open } = testBus();
    let ran = false;
    open('reader').subscribe('agent.prompt.cancel', () => void (ran = true));
    open('publisher').publish('agent.prompt.cancel', cancel());
    expect(ran).toBe(false);
    await bus.drain();
    expect(ran).toBe(true);
  });

  it('hands every subscriber the same frozen payload, so that a change by one is an error and reaches nobody', async () => {
    const { bus, open } = testBus();
    open('vandal').subscribe('agent.prompt.cancel', (payload) => {
      payload.by = 'somebody else';
    });
    const seen: string[] = [];
    open('reader').subscribe('agent.prompt.cancel', (payload) => void seen.push(payload.by));
    const failed = failures(open('watcher'));
    open('publisher').publish('agent.prompt.cancel', cancel());
    await bus.drain();
    expect(seen).toEqual(['demo/ann']);
    expect(failed).toEqual([expect.objectContaining({ plugin: 'vandal' })]);
  });

  it.each<[string, unknown, string]>([
    ['a function', () => undefined, 'payload.reason is not serialisable'],
    ['a bigint', 1n, 'payload.reason is not serialisable'],
    ['NaN', Number.NaN, 'payload.reason is not serialisable'],
    ['a Date', new Date(0), 'payload.reason is no plain object'],
    ['a Map deep inside', { list: [new Map()] }, 'payload.reason.list.0 is no plain object'],
  ])('lets the inspection refuse %s, to the publisher', async (_name, reason, message) => {
    const { bus, open } = testBus();
    let delivered = 0;
    open('reader').subscribe('agent.prompt.cancel', () => void (delivered += 1));
    const publisher = open('publisher');
    const bad = { ...cancel(), reason: reason as string };
    expect(() => publisher.publish('agent.prompt.cancel', bad)).toThrow(message);
    await bus.drain();
    expect(delivered).toBe(0);
  });

  it('lets the inspection refuse a payload that contains itself', () => {
    const { open } = testBus();
    const loop: { cid: string; by: string; reason?: unknown } = cancel();
    loop.reason = loop;
    const publisher = open('publisher');
    expect(() => publisher.publish('agent.prompt.cancel', loop as never)).toThrow('refers to its own parent');
  });

  it('fills the envelope: topic, time, cid, turn, source, cause and trace', async () => {
    const { bus, open } = testBus();
    const seen: unknown[] = [];
    const relay = open('relay');
    relay.subscribe('agent.prompt.cancel', ({ cid }) =>
      relay.publish('agent.prompt.progress', { cid, turn: 2, kind: 'text', pieces: ['x'], end: false }),
    );
    open('reader').tap('>', (envelope) => void seen.push(envelope));
    open('publisher').publish('agent.prompt.cancel', cancel(), { traceparent: '00-a-b-01' });
    await bus.drain();
    const common = { time: 1_700_000_000_000, cid: 'c1', traceparent: '00-a-b-01' };
    expect(seen).toMatchObject([
      { ...common, id: 'b-1', topic: 'agent.prompt.cancel.c1', source: 'publisher', causationId: undefined },
      { ...common, id: 'b-2', topic: 'agent.prompt.progress.c1', source: 'relay', causationId: 'b-1', turn: 2 },
    ]);
  });
});
