// How long sessions live: opened lazily, kept per conversation, closed when idle, replaced when they can't go on.
import type {
  Driver,
  DriverContext,
  DriverEvent,
  DriverSession,
  DriverTurn,
  TurnEnd,
} from '../../../src/authoring/driver.js';
import { RunFailure } from '../../../src/executors/contract.js';
import { FakeHome, promptFor, Recorder } from './fake-core.js';

type Run = (turn: DriverTurn, emit: (event: DriverEvent) => void, session: ProbeSession) => Promise<TurnEnd>;

class ProbeSession implements DriverSession {
  broken = false;
  closed = 0;

  constructor(
    readonly context: DriverContext,
    private readonly behaviour: Run,
    readonly idleLimit?: number,
  ) {}

  run(turn: DriverTurn, emit: (event: DriverEvent) => void): Promise<TurnEnd> {
    return this.behaviour(turn, emit, this);
  }

  close(): void {
    this.closed++;
  }
}

/** A driver that keeps every session it opened. */
class ProbeDriver implements Driver {
  readonly opened: ProbeSession[] = [];
  behaviour: Run = async () => ({ type: 'done' });
  opening: () => void | Promise<void> = () => undefined;

  constructor(
    readonly name = 'scripted',
    private readonly idleLimit?: number,
  ) {}

  async open(context: DriverContext): Promise<DriverSession> {
    await this.opening();
    const session = new ProbeSession(context, (...args) => this.behaviour(...args), this.idleLimit);
    this.opened.push(session);
    return session;
  }

  get closed(): number {
    return this.opened.reduce((sum, session) => sum + session.closed, 0);
  }
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const IDLE_MS = 1_800_000;

describe('sessions', () => {
  let home: FakeHome;
  let driver: ProbeDriver;
  beforeEach(() => {
    home = new FakeHome();
    driver = new ProbeDriver();
  });
  afterEach(() => home.remove());

  it('are open from their first turn until they are closed', async () => {
    const runner = home.runner([driver]);
    const { caller, agent, contextId } = promptFor({});
    const conversation = { caller: caller.id, agent, contextId };
    expect(runner.isOpen(conversation)).toBe(false);
    let during: boolean | undefined;
    driver.behaviour = async () => {
      during = runner.isOpen(conversation);
      return { type: 'done' };
    };
    await home.run({}, runner);
    expect([during, runner.isOpen(conversation)]).toEqual([true, true]);
    expect(runner.isOpen({ ...conversation, contextId: 'another' })).toBe(false);
    home.clock.advance(IDLE_MS);
    expect(runner.isOpen(conversation)).toBe(false);
  });

  it('are one per caller, agent and context', async () => {
    const runner = home.runner([driver]);
    await home.run({}, runner);
    await home.run({ cid: 'task-2' }, runner);
    expect(driver.opened).toHaveLength(1);
    await home.run({ contextId: 'C1' }, runner);
    await home.run({ caller: 'other/ann' }, runner);
    await home.run({ caller: 'operator' }, runner);
    expect(driver.opened).toHaveLength(4);
    expect(driver.opened.map(({ context }) => context.owner)).toEqual([false, false, false, true]);
  });

  it('are closed when idle and opened again with what was said', async () => {
    const runner = home.runner([driver]);
    await home.run({}, runner);
    home.clock.advance(IDLE_MS - 1);
    await home.run({ cid: 'task-2' }, runner);
    home.clock.advance(IDLE_MS - 1);
    expect(driver.closed).toBe(0);
    home.clock.advance(1);
    expect([driver.closed, runner.sessions.size, home.clock.pending]).toEqual([1, 0, 0]);

    const line = { at: 0, turn: 1, role: 'user' as const };
    home.transcripts.set('ann_c1', [
      { ...line, taskId: 'task-1', n: 1, text: 'first' },
      { ...line, taskId: 'task-1', n: 2, role: 'assistant', text: 'answer' },
      { ...line, taskId: 'task-3', n: 1, text: 'now' },
    ]);
    await home.run({ cid: 'task-3', text: 'now' }, runner);
    expect(driver.opened[1]?.context.history().map(({ text }) => text)).toEqual(['first', 'answer']);
    expect(home.transcriptReads).toEqual(['helper ann_c1']);
    expect(home.savedSessions).toHaveLength(1);
  });

  it('know the earlier turns of a task that goes on after a restart', async () => {
    const user = { taskId: 'task-1', turn: 1, at: 0, role: 'user' as const };
    home.transcripts.set('ann_c1', [
      { ...user, n: 1, text: 'same' },
      { ...user, n: 2, role: 'assistant', text: 'name?' },
      { ...user, turn: 2, n: 3, text: 'same' },
    ]);
    await home.run({ opening: 'same', text: 'same', turn: 2 }, home.runner([driver]));
    expect(driver.opened[0]?.context.history().map(({ n }) => n)).toEqual([1, 2]);
  });

  it('that cost much are few: the longest idle one of the workspace is closed for the next', async () => {
    const costly = new ProbeDriver('scripted', 2);
    const runner = home.runner([costly]);
    for (const contextId of ['a', 'b', 'c']) await home.run({ contextId }, runner);
    expect(costly.opened.map(({ closed }) => closed)).toEqual([1, 0, 0]);
    await home.run({ contextId: 'd', agent: 'helper-2' }, runner);
    await home.run({ contextId: 'b', cid: 'task-2' }, runner);
    await home.run({ contextId: 'e' }, runner);
    expect(costly.opened.map(({ context, closed }) => [context.contextId, closed])).toEqual([
      ['a', 1],
      ['b', 0],
      ['c', 1],
      ['d', 0],
      ['e', 0],
    ]);
  });

  it('share one timer, and 200 of them leave nothing behind', async () => {
    const runner = home.runner([driver]);
    for (let n = 0; n < 200; n++) {
      await home.run({ contextId: `c-${n}` }, runner);
      home.clock.advance(10);
    }
    expect([runner.sessions.size, home.clock.pending]).toEqual([200, 1]);
    home.clock.advance(IDLE_MS);
    expect([driver.closed, runner.sessions.size, home.clock.pending]).toEqual([200, 0, 0]);
  });

  it('are bounded: the longest idle one goes first, running ones stay', async () => {
    const runner = home.runner([driver], 2);
    let finish: (() => void) | undefined;
    driver.behaviour = () => new Promise((resolve) => (finish = () => resolve({ type: 'done' })));
    const running = home.run({ contextId: 'running' }, runner);
    await tick();
    const end = finish;
    driver.behaviour = async () => ({ type: 'done' });
    for (const contextId of ['a', 'b', 'a', 'c']) await home.run({ contextId }, runner);
    const closed = driver.opened.filter((session) => session.closed > 0);
    expect(closed.map(({ context }) => context.contextId)).toEqual(['b']);
    end?.();
    await running;
    expect(runner.sessions.size).toBe(2);
  });

  it('refuse a second turn while one runs', async () => {
    const runner = home.runner([driver]);
    driver.behaviour = () => new Promise(() => undefined);
    void home.run({}, runner);
    await tick();
    await expect(home.run({ cid: 'task-2' }, runner)).rejects.toMatchObject({ name: 'RunFailure', code: 'busy' });
  });

  it('are dropped when an aborted run does not settle, and what it says later has no effect', async () => {
    const runner = home.runner([driver]);
    let wake: (() => void) | undefined;
    driver.behaviour = async (_turn, emit) => {
      await new Promise<void>((resolve) => (wake = resolve));
      emit({ type: 'delta', text: 'too late' });
      emit({ type: 'notice', text: 'too late' });
      return { type: 'done' };
    };
    const handle = new Recorder();
    const stuck = runner.run(promptFor({}), handle);
    await tick();
    handle.controller.abort();
    runner.discard(promptFor({}));
    expect([driver.closed, runner.sessions.size]).toEqual([1, 0]);

    driver.behaviour = async () => ({ type: 'done' });
    await home.run({ cid: 'task-2' }, runner);
    expect(driver.opened).toHaveLength(2);
    runner.discard(promptFor({}));
    wake?.();
    await stuck;
    expect([handle.shown, home.notices]).toEqual([[], []]);
    expect([driver.closed, runner.sessions.size]).toEqual([1, 1]);
  });

  it('that are dropped while they open are closed as soon as they are open', async () => {
    const runner = home.runner([driver]);
    let open: (() => void) | undefined;
    driver.opening = () => new Promise((resolve) => (open = resolve));
    const stuck = home.run({}, runner);
    await tick();
    runner.discard(promptFor({}));
    open?.();
    await expect(stuck).rejects.toMatchObject({ name: 'RunFailure', code: 'cancelled' });
    expect([driver.closed, runner.sessions.size]).toEqual([1, 0]);
  });

  it('that fail to open fail the turn, and the next turn tries again', async () => {
    const runner = home.runner([driver]);
    driver.opening = () => {
      throw new RunFailure('The model is not reachable.');
    };
    await expect(home.run({}, runner)).rejects.toThrow('The model is not reachable.');
    expect(runner.sessions.size).toBe(0);
    driver.opening = () => undefined;
    expect((await home.run({}, runner)).outcome).toEqual({ kind: 'completed' });
  });

  it('that throw, or end without saying how, are not used again', async () => {
    const runner = home.runner([driver]);
    driver.behaviour = () => {
      throw new Error('boom');
    };
    await expect(home.run({}, runner)).rejects.toThrow('boom');
    driver.behaviour = async () => undefined as unknown as TurnEnd;
    await expect(home.run({}, runner)).rejects.toThrow('without saying how');
    expect([driver.opened.length, driver.closed]).toEqual([2, 2]);
  });

  it('that broke, during a turn or between turns, are replaced', async () => {
    const runner = home.runner([driver]);
    driver.behaviour = async (_turn, _emit, session) => {
      session.broken = true;
      return { type: 'failed', text: 'The agent has gone.' };
    };
    await home.run({}, runner);
    driver.behaviour = async () => ({ type: 'done' });
    await home.run({}, runner);
    expect(driver.closed).toBe(1);
    const [, second] = driver.opened;
    if (second) second.broken = true;
    await home.run({}, runner);
    expect([driver.opened.length, driver.closed]).toEqual([3, 2]);
  });

  it('are opened anew when the owner changes the driver or its settings', async () => {
    const other = new ProbeDriver('other');
    const runner = home.runner([driver, other]);
    await home.run({}, runner);
    home.settings = { ...home.settings, timeZone: 'UTC' };
    await home.run({}, runner);
    expect(driver.opened).toHaveLength(1);
    home.settings = { ...home.settings, driver: { name: 'other', model: 'a' } };
    await home.run({}, runner);
    home.settings = { ...home.settings, driver: { name: 'other', model: 'b' } };
    await home.run({}, runner);
    expect([driver.opened.length, driver.closed, other.opened.length, other.closed]).toEqual([1, 1, 2, 1]);
  });

  it('can not be had from a driver that does not exist; the failure names those that do', async () => {
    home.settings = { ...home.settings, driver: { name: 'magic' } };
    const running = home.run({}, home.runner([driver, new ProbeDriver('other')]));
    await expect(running).rejects.toThrow('the driver "magic", but there are only: scripted, other.');
  });

  it('are all closed at a stop, and none is opened later', async () => {
    const runner = home.runner([driver]);
    await home.run({}, runner);
    driver.behaviour = () => new Promise(() => undefined);
    void home.run({ contextId: 'running' }, runner);
    await tick();
    await runner.sessions.stop();
    expect([driver.closed, runner.sessions.size, home.clock.pending]).toEqual([2, 0, 0]);
    await expect(home.run({}, runner)).rejects.toMatchObject({ code: 'stopping' });
  });

  it('that do not close hold up a stop for a bounded time only', async () => {
    const runner = home.runner([driver]);
    await home.run({}, runner);
    const [session] = driver.opened;
    if (session) session.close = () => new Promise<void>(() => undefined) as unknown as void;
    const stopped = runner.sessions.stop();
    home.clock.advance(5_000);
    await stopped;
  });
});
