// Every subscriber sees one order, whatever handlers publish, subscribe or unsubscribe while they run.
import { testBus, type OpenHandle } from '../support/test-bus.js';

const cancel = (cid: string) => ({ cid, by: 'demo/ann' });

/** Records the ids of all envelopes that a new participant sees. */
function recorder(open: (name: string) => OpenHandle, name: string): string[] {
  const seen: string[] = [];
  open(name).tap('>', (envelope) => void seen.push(envelope.id));
  return seen;
}

describe('nested publishes', () => {
  it('ten deep and branching reach every subscriber in one order', async () => {
    const { bus, open } = testBus();
    const before = recorder(open, 'before');
    for (const name of ['left', 'right']) {
      const handle = open(name);
      handle.subscribe('agent.prompt.progress', ({ cid, turn }) => {
        if (turn < 10)
          handle.publish('agent.prompt.progress', { cid, turn: turn + 1, kind: 'text', pieces: [name], end: false });
      });
    }
    const after = recorder(open, 'after');
    open('publisher').publish('agent.prompt.progress', {
      cid: 'c',
      turn: 1,
      kind: 'text',
      pieces: ['start'],
      end: false,
    });
    await bus.drain();
    expect(before).toHaveLength(2 ** 10 - 1);
    expect(after).toEqual(before);
    // Envelopes are numbered as they are published: the order of delivery is the order of publishing.
    expect(before).toEqual(before.map((_, i) => `b-${i + 1}`));
  });

  it('are delivered after the current one has reached everybody', async () => {
    const { bus, open } = testBus();
    const order: string[] = [];
    const eager = open('eager');
    eager.subscribe('agent.prompt.cancel', ({ cid }) => {
      order.push(`eager ${cid}`);
      if (cid === 'outer') eager.publish('agent.prompt.cancel', cancel('inner'));
    });
    open('late').subscribe('agent.prompt.cancel', ({ cid }) => void order.push(`late ${cid}`));
    open('publisher').publish('agent.prompt.cancel', cancel('outer'));
    await bus.drain();
    expect(order).toEqual(['eager outer', 'late outer', 'eager inner', 'late inner']);
  });

  it('from a rejected or slow handler join the same order', async () => {
    const { bus, open } = testBus();
    const one = recorder(open, 'one');
    const slow = open('slow');
    slow.subscribe('agent.prompt.cancel', async ({ cid }) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (cid.length < 10) slow.publish('agent.prompt.cancel', cancel(`${cid}x`));
      else throw new Error('end');
    });
    const two = recorder(open, 'two');
    const publisher = open('publisher');
    publisher.publish('agent.prompt.cancel', cancel('a'));
    publisher.publish('agent.prompt.cancel', cancel('b'));
    await bus.drain();
    expect(one).toHaveLength(22);
    expect(two).toEqual(one);
  });
});

describe('changing subscriptions inside a handler', () => {
  it('unsubscribing itself neither skips nor repeats the next handler', async () => {
    const { bus, open } = testBus();
    const calls: string[] = [];
    const handle = open('many');
    const first = handle.subscribe('agent.prompt.cancel', () => {
      calls.push('first');
      first();
    });
    handle.subscribe('agent.prompt.cancel', () => void calls.push('second'));
    handle.subscribe('agent.prompt.cancel', () => void calls.push('third'));
    handle.publish('agent.prompt.cancel', cancel('c1'));
    handle.publish('agent.prompt.cancel', cancel('c2'));
    await bus.drain();
    expect(calls).toEqual(['first', 'second', 'third', 'second', 'third']);
  });

  it('unsubscribing a later handler keeps it from the current envelope already', async () => {
    const { bus, open } = testBus();
    const calls: string[] = [];
    const handle = open('many');
    handle.subscribe('agent.prompt.cancel', () => {
      calls.push('first');
      second();
    });
    const second = handle.subscribe('agent.prompt.cancel', () => void calls.push('second'));
    handle.subscribe('agent.prompt.cancel', () => void calls.push('third'));
    handle.publish('agent.prompt.cancel', cancel('c1'));
    await bus.drain();
    expect(calls).toEqual(['first', 'third']);
  });

  it('subscribing starts with the next envelope, not with the current one', async () => {
    const { bus, open } = testBus();
    const calls: string[] = [];
    const handle = open('many');
    let added = false;
    handle.subscribe('agent.prompt.cancel', ({ cid }) => {
      calls.push(`old ${cid}`);
      if (added) return;
      added = true;
      handle.subscribe('agent.prompt.cancel', (payload) => void calls.push(`new ${payload.cid}`));
      handle.subscribeTo('agent.prompt.cancel', 'c1', () => void calls.push('new, one topic'));
    });
    handle.publish('agent.prompt.cancel', cancel('c1'));
    handle.publish('agent.prompt.cancel', cancel('c2'));
    await bus.drain();
    expect(calls).toEqual(['old c1', 'old c2', 'new c2']);
  });

  it('unsubscribing twice is harmless, and the same function may be subscribed twice', async () => {
    const { bus, open } = testBus();
    let calls = 0;
    const handle = open('many');
    const handler = (): void => void (calls += 1);
    const first = handle.subscribe('agent.prompt.cancel', handler);
    handle.subscribe('agent.prompt.cancel', handler);
    first();
    first();
    handle.publish('agent.prompt.cancel', cancel('c1'));
    await bus.drain();
    expect(calls).toBe(1);
  });

  it('replacing every handler by a new one on each envelope delivers each envelope once to each place', async () => {
    const { bus, open } = testBus();
    const calls: string[] = [];
    const handle = open('many');
    const place = (name: string): void => {
      const off = handle.subscribe('agent.prompt.cancel', ({ cid }) => {
        calls.push(`${cid} ${name}`);
        off();
        place(name);
      });
    };
    ['a', 'b', 'c'].forEach(place);
    for (const cid of ['1', '2', '3']) handle.publish('agent.prompt.cancel', cancel(cid));
    await bus.drain();
    expect(calls).toEqual(['1 a', '1 b', '1 c', '2 a', '2 b', '2 c', '3 a', '3 b', '3 c']);
  });
});
