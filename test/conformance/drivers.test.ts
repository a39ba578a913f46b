// What every driver owes the session runner. A driver joins by an entry in SUBJECTS that says how to make it behave.
import type {
  Driver,
  DriverContext,
  DriverSession,
  DriverTurn,
} from '../../plugins/executors/session-runner/drivers/driver.js';
import type { DriverEvent, TurnEnd } from '../../plugins/executors/session-runner/drivers/events.js';
import { scriptedDriver } from '../../plugins/executors/session-runner/drivers/scripted/scripted-driver.js';
import { toolsFor } from '../../plugins/executors/session-runner/tools.js';
import type { Clock } from '../../src/clock.js';
import { silentLogger } from '../../src/log.js';

interface Subject {
  driver: Driver;
  /** Messages that lead to a spoken answer, a question to the sender, a known failure, a crash, and a very long turn. */
  answer: string;
  question: string;
  failure: string;
  crash: string;
  endless: string;
  /** Whether it builds its prompt from the frame. */
  readsFrame: boolean;
}

/** The least a model driver does: reads the frame and the history, offers the tools, streams. */
const modelLike: Driver = {
  name: 'model-like',
  open(context) {
    const before = context.history().length;
    return {
      async run(turn, emit): Promise<TurnEnd> {
        const { prompt } = turn.frame();
        if (turn.signal.aborted) return { type: 'cancelled' };
        if (turn.text === 'question')
          return turn.callTool('request_input', { question: 'which?' }).end ?? { type: 'done' };
        if (turn.text === 'failure') return { type: 'failed', text: 'The endpoint refused.' };
        if (turn.text === 'crash') return { type: 'crashed', error: new Error('socket gone') };
        if (turn.text === 'endless') await new Promise((resolve) => turn.signal.addEventListener('abort', resolve));
        if (turn.signal.aborted) return { type: 'cancelled' };
        for (const text of [`${before} lines before; `, prompt]) emit({ type: 'delta', text });
        emit({ type: 'message-end' });
        return { type: 'done', usage: { totalTokens: prompt.length } };
      },
      close: () => undefined,
    };
  },
};

const SUBJECTS: Subject[] = [
  {
    driver: scriptedDriver,
    answer: 'stream 5',
    question: 'ask which?',
    failure: 'fail no luck',
    crash: 'crash',
    endless: 'wait 86400000',
    readsFrame: false,
  },
  {
    driver: modelLike,
    answer: 'hello',
    question: 'question',
    failure: 'failure',
    crash: 'crash',
    endless: 'endless',
    readsFrame: true,
  },
];

const stillClock: Clock = { now: () => 0, after: () => () => undefined };

const contextFor = (lines = 0): DriverContext => ({
  workspace: 'helper',
  directory: '/nowhere',
  contextId: 'c1',
  caller: { id: 'helper/ann', scope: 'helper' },
  owner: false,
  settings: {
    driver: { name: 'any' },
    exposed: true,
    publicCard: true,
    extendedCard: true,
    approval: { skills: [] },
    queue: 0,
    retention: { days: 90 },
    expireQuestions: '7d',
    quota: {},
    tools: { shell: false, writeStanding: false },
    callAgents: [],
  },
  history: () =>
    Array.from({ length: lines }, (_, n) => ({ taskId: 't0', n, turn: 1, at: 0, role: 'user', text: `line ${n}` })),
  file: () => undefined,
  clock: stillClock,
  log: silentLogger(),
});

/** A turn whose frame and tools are watched. */
function turnFor(text: string, signal = new AbortController().signal) {
  const frames: string[] = [];
  const turn: DriverTurn = {
    cid: 'task-1',
    turn: 1,
    text,
    attachments: [],
    opening: text,
    answers: [],
    frame: () => {
      frames.push(text);
      return { system: 'standing', prompt: `framed: ${text}` };
    },
    message: () => text,
    tools: toolsFor(false),
    callTool: (_name, args) => ({
      ok: true,
      text: 'asked',
      end: { type: 'question', question: (args as { question: string }).question, from: 'caller' },
    }),
    signal,
  };
  return { turn, frames };
}

async function converse(session: DriverSession, text: string): Promise<{ events: DriverEvent[]; end: TurnEnd }> {
  const events: DriverEvent[] = [];
  const end = await session.run(turnFor(text).turn, (event) => void events.push(event));
  const count = events.length;
  await new Promise((resolve) => setImmediate(resolve));
  expect(events).toHaveLength(count);
  return { events, end };
}

const spoken = (events: DriverEvent[]): string =>
  events.map((event) => (event.type === 'delta' ? event.text : event.type === 'message-end' ? '/' : '')).join('');

describe.each(SUBJECTS.map((subject) => [subject.driver.name, subject] as const))('the driver %s', (_name, subject) => {
  const open = async (lines = 0, signal = new AbortController().signal): Promise<DriverSession> =>
    subject.driver.open(contextFor(lines), signal);

  it('speaks in deltas, ends its message, and is done', async () => {
    const { events, end } = await converse(await open(), subject.answer);
    expect(end.type).toBe('done');
    expect(spoken(events)).toMatch(/^[^/]+\/$/);
    expect(events.at(-1)).toEqual({ type: 'message-end' });
  });

  it('ends a turn with a question to the caller', async () => {
    const { end } = await converse(await open(), subject.question);
    expect(end).toEqual({ type: 'question', question: 'which?', from: 'caller' });
  });

  it('ends a turn with a failure that the caller can read', async () => {
    const { end } = await converse(await open(), subject.failure);
    expect(end).toMatchObject({ type: 'failed', text: expect.stringMatching(/./) });
  });

  it('tells of an unexpected failure instead of throwing', async () => {
    const { end } = await converse(await open(), subject.crash);
    expect(end).toMatchObject({ type: 'crashed', error: expect.any(Error) });
  });

  it('stops at an abort, during a turn and before one', async () => {
    const session = await open();
    const controller = new AbortController();
    const events: DriverEvent[] = [];
    const running = session.run(turnFor(subject.endless, controller.signal).turn, (event) => void events.push(event));
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await running).toEqual({ type: 'cancelled' });
    expect(await session.run(turnFor(subject.answer, controller.signal).turn, () => undefined)).toEqual({
      type: 'cancelled',
    });
    expect(events).toEqual([]);
  });

  it('goes on after a question, a failure and a cancel in the same session', async () => {
    const session = await open();
    for (const text of [subject.question, subject.failure]) await converse(session, text);
    expect((await converse(session, subject.answer)).end.type).toBe('done');
  });

  it('keeps sessions that run at the same time apart', async () => {
    const sessions = await Promise.all([open(), open()]);
    const alone = await converse(await open(), subject.answer);
    const both = await Promise.all(sessions.map((session) => converse(session, subject.answer)));
    expect(both).toEqual([alone, alone]);
  });

  it('takes up a conversation that has a history', async () => {
    expect((await converse(await open(3), subject.answer)).end.type).toBe('done');
  });

  it.each(['', ' ', ';', '\0', '{"a":', '[file: ../../etc/passwd]', '<script>'])(
    'ends a turn about %j',
    async (text) => {
      const { end } = await converse(await open(), text);
      expect(['done', 'failed', 'question', 'rejected']).toContain(end.type);
    },
  );

  it('reads the frame only if it uses it', async () => {
    const { turn, frames } = turnFor(subject.answer);
    await (await open()).run(turn, () => undefined);
    expect(frames.length > 0).toBe(subject.readsFrame);
  });

  it('can be closed, also while a turn runs', async () => {
    await (await open()).close();
    const session = await open();
    const controller = new AbortController();
    const running = session.run(turnFor(subject.endless, controller.signal).turn, () => undefined);
    await session.close();
    controller.abort();
    expect(['cancelled', 'failed', 'crashed']).toContain((await running).type);
  });
});
