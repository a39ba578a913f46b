import { Bus } from '../../src/bus/bus.js';
import type { Envelope } from '../../src/bus/envelope.js';
import type { InputRequest, Outcome, PromptResponse } from '../../src/bus/topics.js';
import {
  RunFailure,
  type Executor,
  type Prompt,
  type RunHandle,
  type RunOutcome,
} from '../../src/executors/contract.js';
import { ExecutorHost, HOST_DECLARATION } from '../../src/executors/host.js';
import { ExecutorRegistry } from '../../src/executors/registry.js';
import type { TaskRecord, Watch } from '../../src/ledger/records.js';
import { silentLogger } from '../../src/log.js';
import { FakeClock } from '../support/fake-clock.js';

const record = {
  task: {
    id: 't1',
    contextId: 'c1',
    status: { state: 'TASK_STATE_WORKING', timestamp: '2026-01-01T00:00:00.000Z' },
    artifacts: [],
    history: [{ messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] }],
  },
  envelope: { caller: { id: 'demo/alice', scope: 'demo' }, answers: [], chain: [], turn: 1 },
} as unknown as TaskRecord;

function setUp(
  run: (prompt: Prompt, handle: RunHandle) => Promise<RunOutcome>,
  extra: Partial<Executor> = {},
  running = true,
  watch?: Watch,
) {
  const clock = new FakeClock();
  const log = silentLogger();
  const bus = new Bus({ clock, log, boot: 'b' });
  const registry = new ExecutorRegistry(log);
  registry.register({ name: 'fake', find: () => undefined, list: () => [], run, ...extra });
  const task = {
    ...record,
    envelope: { ...record.envelope, executor: 'fake', agent: 'demo', ...(watch && { watch }) },
  };
  const ledger = {
    get: (taskId: string) => (taskId === 't1' ? task : undefined),
    isRunning: (_: string, turn: number) => running && turn === 1,
  };
  let ids = 0;
  const newId = (): string => `id${++ids}`;
  const host = new ExecutorHost({
    bus: bus.join(HOST_DECLARATION),
    registry,
    ledger,
    clock,
    newId,
    log,
    redact: (text: string) => text.replaceAll('s3cret', '[redacted]'),
    turnDeadlineMs: 60_000,
  });
  const driver = bus.join({
    name: 'test',
    consumes: [
      'agent.prompt.response',
      'agent.prompt.input.request',
      'agent.outcome',
      'agent.prompt.progress',
      'agent.prompt.delegated',
    ],
    observes: [],
    produces: ['agent.prompt.assigned', 'agent.prompt.cancel'],
  });
  const seen: Envelope[] = [];
  driver.tap('agent.>', (envelope) => void seen.push(envelope));
  const assign = (executor = 'fake'): void =>
    driver.publish('agent.prompt.assigned', {
      cid: 't1',
      turn: 1,
      executor,
      agent: 'demo',
      reason: 'named',
      contextId: 'c1',
      caller: { id: 'demo/alice', scope: 'demo' },
      chain: [],
    });
  const ends = () =>
    seen
      .filter(({ kind }) => kind === 'agent.prompt.response' || kind === 'agent.prompt.input.request')
      .map((e) => e.payload as PromptResponse | InputRequest);
  const outcomes = () => seen.filter(({ kind }) => kind === 'agent.outcome').map((e) => e.payload as Outcome);
  return { clock, bus, host, driver, seen, assign, ends, outcomes };
}

const never = (): Promise<RunOutcome> => new Promise(() => undefined);

describe('the executor host ends every turn exactly once', () => {
  it('with what the run resolves to', async () => {
    const { assign, bus, ends, outcomes } = setUp(async () => ({ kind: 'completed', parts: [{ text: 'done' }] }));
    assign();
    await bus.drain();
    await bus.drain();
    expect(ends()).toEqual([expect.objectContaining({ state: 'TASK_STATE_COMPLETED', parts: [{ text: 'done' }] })]);
    expect(outcomes()).toEqual([
      expect.objectContaining({ state: 'TASK_STATE_COMPLETED', agent: 'demo', executor: 'fake' }),
    ]);
  });

  it('with a question, whose end is the input request', async () => {
    const { assign, bus, ends } = setUp(async () => ({ kind: 'question', question: 'who?', from: 'operator' }));
    assign();
    await bus.drain();
    await bus.drain();
    expect(ends()).toEqual([expect.objectContaining({ question: 'who?', from: 'operator', requestId: 'id1' })]);
  });

  it.each<[string, (prompt: Prompt, handle: RunHandle) => unknown, string]>([
    ['returns nothing', async () => undefined, 'The agent returned no answer.'],
    ['completes without having said anything', async () => ({ kind: 'completed' }), 'The agent returned no answer.'],
    ['returns something unknown', async () => ({ kind: 'odd' }), 'The agent returned something that is no answer.'],
    [
      'returns parts that are none',
      async () => ({ kind: 'completed', parts: [{ foo: 1 }] }),
      'The agent returned an answer that is not made of parts.',
    ],
    [
      'returns a part whose content is of another type',
      async () => ({ kind: 'completed', parts: [{ text: 5 }] }),
      'The agent returned an answer that is not made of parts.',
    ],
    [
      'calls a file something that is no text',
      async () => ({ kind: 'completed', parts: [{ url: 'https://x.example', mediaType: {} }] }),
      'The agent returned an answer that is not made of parts.',
    ],
    [
      'shows an artifact whose name is no text',
      async (_prompt: Prompt, handle: RunHandle) => {
        handle.artifact({ artifactId: 'a', name: 7 as never, parts: [{ text: 'x' }] });
        return { kind: 'completed' };
      },
      'The agent returned an artifact that is none.',
    ],
    [
      'asks an empty question',
      async () => ({ kind: 'question', question: '', from: 'caller' }),
      'The agent asked an empty question.',
    ],
    ['fails in a known way', async () => Promise.reject(new RunFailure('no credit')), 'no credit'],
    ['rejects', async () => Promise.reject(new Error('secret path /x')), 'The run failed unexpectedly.'],
    [
      'throws synchronously',
      () => {
        throw new Error('secret');
      },
      'The run failed unexpectedly.',
    ],
  ])('as failed, with a reason that may be shown, when the run %s', async (_what, run, text) => {
    const { assign, bus, ends } = setUp(run as () => Promise<RunOutcome>);
    assign();
    await bus.drain();
    await new Promise((resolve) => setImmediate(resolve));
    await bus.drain();
    expect(ends()).toEqual([
      expect.objectContaining({ state: 'TASK_STATE_FAILED', error: expect.objectContaining({ text }) }),
    ]);
  });

  it('as failed when no executor of that name exists', async () => {
    const { assign, bus, ends, outcomes } = setUp(never);
    assign('gone');
    await bus.drain();
    expect(ends()).toEqual([expect.objectContaining({ error: { code: 'no-executor', text: expect.any(String) } })]);
    expect(outcomes()).toHaveLength(1);
  });

  it('at its deadline, and later words of the run are ignored', async () => {
    let handle: RunHandle | undefined;
    let finish: (outcome: RunOutcome) => void = () => undefined;
    const { assign, bus, clock, ends, outcomes, seen } = setUp((_prompt, given) => {
      handle = given;
      return new Promise((resolve) => (finish = resolve));
    });
    assign();
    await bus.drain();
    clock.advance(60_000);
    await bus.drain();
    expect(ends()).toEqual([expect.objectContaining({ error: expect.objectContaining({ code: 'deadline' }) })]);
    expect(handle?.signal.aborted).toBe(true);
    expect(outcomes()).toEqual([]);
    handle?.delta('late');
    finish({ kind: 'completed', parts: [{ text: 'late' }] });
    await new Promise((resolve) => setImmediate(resolve));
    await bus.drain();
    expect(ends()).toHaveLength(1);
    expect(seen.filter(({ kind }) => kind === 'agent.prompt.progress')).toEqual([]);
    expect(outcomes()).toEqual([expect.objectContaining({ state: 'TASK_STATE_COMPLETED' })]);
  });

  it('as canceled at once, while the context stays busy until the run has settled', async () => {
    const { assign, bus, clock, driver, ends, outcomes, host } = setUp(never);
    assign();
    await bus.drain();
    driver.publish('agent.prompt.cancel', { cid: 't1', by: 'operator' });
    await bus.drain();
    expect(ends()).toEqual([expect.objectContaining({ state: 'TASK_STATE_CANCELED' })]);
    clock.advance(600_000);
    await bus.drain();
    expect(outcomes()).toEqual([]);
    expect(host.running).toBe(1);
  });

  it('and frees the context when the executor discards a run that ignores its cancel', async () => {
    const discarded: string[] = [];
    const { assign, bus, clock, driver, outcomes } = setUp(never, {
      discard: (prompt) => void discarded.push(prompt.cid),
    });
    assign();
    await bus.drain();
    driver.publish('agent.prompt.cancel', { cid: 't1', by: 'operator' });
    await bus.drain();
    clock.advance(5_000);
    await bus.drain();
    expect(discarded).toEqual(['t1']);
    expect(outcomes()).toEqual([expect.objectContaining({ state: 'TASK_STATE_CANCELED' })]);
  });

  it('as interrupted when the server stops and the run takes longer than the grace', async () => {
    const { assign, bus, clock, host, ends } = setUp(never);
    assign();
    await bus.drain();
    const stopped = host.stop(1_000);
    clock.advance(1_000);
    await stopped;
    await bus.drain();
    expect(ends()).toEqual([expect.objectContaining({ error: expect.objectContaining({ code: 'interrupted' }) })]);
  });

  it('without running at all when the task was canceled while its start was on its way', async () => {
    let ran = false;
    const { assign, bus, ends, outcomes } = setUp(async () => ((ran = true), { kind: 'completed' }), {}, false);
    assign();
    await bus.drain();
    expect([ran, ends()]).toEqual([false, []]);
    expect(outcomes()).toEqual([expect.objectContaining({ state: 'TASK_STATE_CANCELED' })]);
  });

  it('without showing a secret that a failure names', async () => {
    const { assign, bus, ends } = setUp(async () => Promise.reject(new RunFailure('bad key s3cret')));
    assign();
    await bus.drain();
    await bus.drain();
    expect(ends()).toEqual([expect.objectContaining({ error: { code: 'run-failed', text: 'bad key [redacted]' } })]);
  });

  const circular: { self?: unknown } = {};
  circular.self = circular;
  it.each<[string, (handle: RunHandle) => RunOutcome]>([
    ['an integer that JSON has no form for', () => ({ kind: 'completed', parts: [{ data: 10n }] })],
    ['a circular value', () => ({ kind: 'completed', parts: [{ data: circular }] })],
    [
      'an artifact with a circular part',
      (handle) => {
        handle.artifact({ artifactId: 'a', parts: [{ data: circular }] });
        return { kind: 'completed', parts: [{ text: 'done' }] };
      },
    ],
    [
      'an artifact that is none',
      (handle) => {
        handle.artifact(undefined as never);
        return { kind: 'completed', parts: [{ text: 'done' }] };
      },
    ],
  ])('as failed when the run shows %s', async (_what, run) => {
    const { assign, bus, ends } = setUp(async (_prompt, handle) => run(handle));
    assign();
    await bus.drain();
    await bus.drain();
    expect(ends()).toEqual([expect.objectContaining({ error: expect.objectContaining({ code: 'invalid-answer' }) })]);
  });
});

describe('a turn whose work goes on elsewhere', () => {
  const watch: Watch = { id: 'w1', agent: 'far', state: 'following', messageId: 'x', passed: 'm1', since: 1 };
  const delegating = async (): Promise<RunOutcome> => ({ kind: 'delegated' });
  const settle = async (bus: Bus): Promise<void> => {
    await bus.drain();
    await new Promise((resolve) => setImmediate(resolve));
    await bus.drain();
  };

  it('is told on the bus, outlives its deadline, and ends once, when whoever follows it says so', async () => {
    const { assign, bus, clock, host, seen, ends, outcomes } = setUp(delegating, {}, true, watch);
    assign();
    await settle(bus);
    expect(seen.find(({ kind }) => kind === 'agent.prompt.delegated')?.payload).toEqual({
      cid: 't1',
      turn: 1,
      executor: 'fake',
      agent: 'far',
      watchId: 'w1',
    });
    clock.advance(3_600_000);
    await bus.drain();
    expect(ends()).toEqual([]);
    const turn = host.adopt('t1', 1);
    turn?.handle.authRequired('log in');
    turn?.end({ kind: 'completed', parts: [{ text: 'done' }] });
    turn?.end({ kind: 'failed', text: 'late' });
    await bus.drain();
    expect(ends()).toEqual([expect.objectContaining({ state: 'TASK_STATE_COMPLETED', parts: [{ text: 'done' }] })]);
    expect(outcomes()).toHaveLength(1);
  });

  it('can be adopted after a restart, when no run of it was ever here', async () => {
    const { bus, host, ends } = setUp(never, {}, true, watch);
    expect(host.adopt('t1', 2)).toBeUndefined();
    host.adopt('t1', 1)?.end({ kind: 'canceled', text: 'canceled there' });
    await bus.drain();
    expect(ends()).toEqual([expect.objectContaining({ state: 'TASK_STATE_CANCELED' })]);
  });

  it('is not given away while its run has it, nor without a watch', async () => {
    const held = setUp(never, {}, true, watch);
    held.assign();
    await settle(held.bus);
    expect(held.host.adopt('t1', 1)).toBeUndefined();
    const unwatched = setUp(delegating);
    unwatched.assign();
    await settle(unwatched.bus);
    expect(unwatched.ends()).toEqual([expect.objectContaining({ state: 'TASK_STATE_FAILED' })]);
  });

  it('is canceled there and not here, and is left alone by a stop', async () => {
    const { assign, bus, driver, host, ends } = setUp(delegating, {}, true, watch);
    assign();
    await settle(bus);
    driver.publish('agent.prompt.cancel', { cid: 't1', by: 'operator' });
    await host.stop(0);
    await bus.drain();
    expect(ends()).toEqual([]);
  });

  it('ends at once with a cancel while it is not known whether the message arrived', async () => {
    const { assign, bus, driver, host, ends, outcomes } = setUp(delegating, {}, true, { ...watch, state: 'sending' });
    assign();
    await settle(bus);
    const turn = host.adopt('t1', 1);
    driver.publish('agent.prompt.cancel', { cid: 't1', by: 'operator' });
    await bus.drain();
    expect(ends()).toEqual([expect.objectContaining({ state: 'TASK_STATE_CANCELED' })]);
    expect(turn?.handle.signal.aborted).toBe(true);
    expect(outcomes()).toHaveLength(1);
  });
});
