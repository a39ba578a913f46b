// A participant reads and writes only what it declared. The compiler refuses the rest (each `@ts-expect-error` below is
// checked by `npm run check:types`, which fails when the line would compile), and so does the running bus.
import type { TopicKind } from '../../src/bus/topics.js';
import { testBus } from '../support/test-bus.js';

const outcome = (agent: string) => ({
  cid: 'c1',
  turn: 1,
  executor: 'sessions',
  agent,
  caller: 'demo/ann',
  contextId: 'x',
  state: 'TASK_STATE_COMPLETED' as const,
  durationMs: 3,
});

const narrow = () =>
  testBus().bus.join({
    name: 'narrow',
    consumes: ['agent.prompt.cancel'],
    observes: ['agent.outcome'],
    produces: ['agent.prompt.dropped'],
  });

describe('a narrowed bus handle', () => {
  it('refuses to publish what was not declared', () => {
    const handle = narrow();
    // @ts-expect-error it observes outcomes and produces none
    expect(() => handle.publish('agent.outcome', outcome('demo'))).toThrow('narrow has not declared that it produces');
  });

  it('refuses to subscribe to what was not declared', () => {
    const handle = narrow();
    // @ts-expect-error undeclared
    expect(() => handle.subscribe('task.updated', () => undefined)).toThrow('narrow has not declared that it reads');
    // @ts-expect-error producing a topic is no permission to read it
    expect(() => handle.subscribe('agent.prompt.dropped', () => undefined)).toThrow('has not declared that it reads');
    // @ts-expect-error one topic of an undeclared kind is undeclared as well
    expect(() => handle.subscribeTo('task.updated', 'c1', () => undefined)).toThrow('has not declared that it reads');
  });

  it('refuses payloads and handlers of the wrong type when compiled', () => {
    const handle = narrow();
    const neverCalled = (): void => {
      // @ts-expect-error `rule` and `code` are missing
      handle.publish('agent.prompt.dropped', { cid: 'c1', caller: 'demo/ann' });
      // @ts-expect-error the closed set of error codes has no `nonsense`
      handle.publish('agent.prompt.dropped', { cid: 'c1', caller: 'demo/ann', rule: 'quota', code: 'nonsense' });
      // @ts-expect-error no such topic
      handle.publish('agent.prompt.nonsense', {});
      // @ts-expect-error a cancel has no `state`
      handle.subscribe('agent.prompt.cancel', (payload) => payload.state);
      // @ts-expect-error the full topic is not a kind; subscribeTo takes the id apart
      handle.subscribe('agent.prompt.cancel.c1', () => undefined);
    };
    expect(neverCalled).toBeInstanceOf(Function);
  });

  it('taps only within what was declared, however wide the pattern', async () => {
    const { bus, open } = testBus();
    const seen: TopicKind[] = [];
    const handle = bus.join({
      name: 'narrow',
      consumes: [],
      observes: ['agent.outcome', 'agent.prompt.cancel'],
      produces: [],
    });
    handle.tap('>', (envelope) => void seen.push(envelope.kind));
    const all = open('all');
    all.publish('agent.outcome', outcome('demo'));
    all.publish('agent.prompt.dropped', { cid: 'c1', caller: 'demo/ann', rule: 'busy', code: 'busy' });
    all.publish('agent.prompt.cancel', { cid: 'c1', by: 'demo/ann' });
    await bus.drain();
    expect(seen).toEqual(['agent.outcome', 'agent.prompt.cancel']);
  });

  it('refuses a malformed tap pattern', () => {
    const { open } = testBus();
    expect(() => open('all').tap('task.>.x', () => undefined)).toThrow('no topic pattern');
  });

  it('refuses a second participant of the same name and keeps the declarations in the order of joining', () => {
    const { bus, open } = testBus();
    open('one');
    bus.join({ name: 'two', consumes: ['agent.prompt.request'], observes: [], produces: ['agent.prompt.assigned'] });
    expect(() => open('one')).toThrow('already a participant named one');
    expect(bus.declarations.map((declaration) => declaration.name)).toEqual(['one', 'two']);
    expect(bus.declarations[1]).toMatchObject({
      consumes: ['agent.prompt.request'],
      produces: ['agent.prompt.assigned'],
    });
  });
});
