// What every driver owes the session runner. A driver joins with a test file beside this one that says how to bring about
// each behaviour.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  Driver,
  DriverContext,
  DriverEvent,
  DriverSession,
  DriverTurn,
  TurnEnd,
} from '../../../src/authoring/driver.js';
import { frame } from '../../../plugins/executors/session-runner/framing.js';
import { callTool, toolsFor } from '../../../plugins/executors/session-runner/tools.js';
import type { Answer } from '../../../src/ledger/records.js';
import type { TranscriptLine } from '../../../src/workspace/transcript.js';
import { createEnvironment } from '../../../src/environment.js';
import { silentLogger } from '../../../src/log.js';
import { Secrets } from '../../../src/secrets/secrets.js';
import { systemClock } from '../../../src/clock.js';
import { defaultSettings } from '../../../src/workspace/workspace-settings.js';
import { FakeHome } from '../../executors/session-runner/fake-core.js';

/** Messages that bring about a behaviour. */
export interface Words {
  /** An answer in at least two deltas. */
  answer: string;
  /** The question `which?` to the sender. */
  question: string;
  /** A known failure. */
  failure: string;
  /** A turn that does not end by itself. */
  endless: string;
  /** A tool, and then an answer. */
  tool: string;
  /** The answer `UNICODE`. */
  unicode: string;
}

/** Two, three and four bytes of UTF-8. */
export const UNICODE = 'é漢😀é';

export interface Stand {
  driver: Driver;
  /** `driver` of the workspace's settings. */
  settings: { name: string; [setting: string]: unknown };
  fetch?: typeof fetch;
  words: Words;
  /** Resolves once an endless turn is under way. */
  underWay(): Promise<void>;
  /** What sessions hold outside this process's memory, e.g. connections or processes. */
  held(): number;
  /** Breaks the open sessions, where that is possible: their process ends. */
  break?(): Promise<void>;
  stop(): Promise<void>;
}

export interface DriverSubject {
  name: string;
  /** Whether it builds its prompt from the frame. */
  readsFrame: boolean;
  /** The message that leads to an exception nobody expected, for drivers whose other side can cause one. */
  crash?: string;
  start(): Promise<Stand>;
}

interface Ask {
  signal?: AbortSignal;
  turn?: number;
  opening?: string;
  answers?: Answer[];
  seenFrame?: () => void;
}

function turnFor(text: string, emit: (event: DriverEvent) => void, ask: Ask = {}): DriverTurn {
  const { signal = new AbortController().signal, turn = 1, opening = text, answers = [] } = ask;
  const conditions = { owner: false, notices: true, calls: false };
  const readFile = () => ({ problem: 'There is no such file.' });
  return {
    cid: 'task-1',
    turn,
    text,
    attachments: [],
    opening,
    answers,
    frame: (tools = toolsFor(conditions)) => {
      ask.seenFrame?.();
      const question = answers.at(-1)?.question;
      const input = { workspace: 'helper', caller: 'helper/ann', owner: false, standing: [], now: 0, message: text };
      return frame({ ...input, tools, ...(question !== undefined && { question }) });
    },
    message: () => text,
    tools: toolsFor(conditions),
    callTool: (name, args) =>
      callTool(conditions, name, args, { emit, readFile, a2a: () => Promise.reject(new Error('not offered')) }),
    signal,
  };
}

const spoken = (events: readonly DriverEvent[]): string =>
  events.map((event) => (event.type === 'delta' ? event.text : event.type === 'message-end' ? '/' : '')).join('');

const answerTo = (question: string, answer: string): Answer => ({ requestId: 'q', question, answer, from: 'caller' });

export function describeDriver({ name, readsFrame, crash, start }: DriverSubject): void {
  describe(`the driver ${name}`, () => {
    const directory = mkdtempSync(join(tmpdir(), 'driver-suite-'));
    let stand: Stand;
    let words: Words;
    const open: DriverSession[] = [];
    beforeEach(async () => {
      mkdirSync(join(directory, '.a2a'), { recursive: true });
      stand = await start();
      words = stand.words;
    });
    afterEach(async () => {
      for (const session of open.splice(0)) await session.close();
      await stand.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    const contextFor = (history: TranscriptLine[]): DriverContext => ({
      workspace: 'helper',
      directory,
      contextId: 'c1',
      caller: { id: 'helper/ann', scope: 'helper' },
      owner: false,
      ownsTask: () => false,
      tools: toolsFor({ owner: false, notices: true, calls: false }),
      settings: { ...defaultSettings(), driver: stand.settings },
      history: () => history,
      file: () => undefined,
      fetch: stand.fetch ?? (() => Promise.reject(new Error('nothing is reachable'))),
      environment: createEnvironment({}, new Secrets()),
      clock: systemClock,
      log: silentLogger(),
    });

    const opened = async (history: TranscriptLine[] = []): Promise<DriverSession> => {
      const session = await stand.driver.open(contextFor(history), new AbortController().signal);
      open.push(session);
      return session;
    };

    const converse = async (session: DriverSession, text: string, ask: Ask = {}) => {
      const events: DriverEvent[] = [];
      const emit = (event: DriverEvent): void => void events.push(event);
      const end: TurnEnd = await session.run(turnFor(text, emit, ask), emit);
      const count = events.length;
      await new Promise((resolve) => setImmediate(resolve));
      expect(events).toHaveLength(count);
      return { events, end };
    };

    it('speaks in deltas, ends its message, and is done', async () => {
      const { events, end } = await converse(await opened(), words.answer);
      expect(end.type).toBe('done');
      expect(events.filter(({ type }) => type === 'delta').length).toBeGreaterThan(1);
      expect(spoken(events)).toMatch(/^[^/]+\/$/);
      expect(events.at(-1)).toEqual({ type: 'message-end' });
    });

    it('puts characters together that came in pieces', async () => {
      expect(spoken((await converse(await opened(), words.unicode)).events)).toBe(`${UNICODE}/`);
    });

    it('tells of each tool once when it starts and once when it has finished, before it answers', async () => {
      const { events, end } = await converse(await opened(), words.tool);
      const tools = events.filter(({ type }) => type.startsWith('tool-'));
      expect(tools.map(({ type }) => type)).toEqual(['tool-started', 'tool-finished']);
      expect(tools[0]).toMatchObject({ tool: (tools[1] as { tool: string }).tool });
      expect(events.findIndex(({ type }) => type === 'delta')).toBeGreaterThan(events.indexOf(tools[1] as DriverEvent));
      expect(end.type).toBe('done');
    });

    it('ends a turn with a question to the caller, and goes on with the answer', async () => {
      const session = await opened();
      const { end } = await converse(session, words.question);
      expect(end).toMatchObject({ type: 'question', question: 'which?', from: 'caller' });
      const answer = { turn: 2, opening: words.question, answers: [answerTo('which?', 'blue')] };
      const next = await converse(session, 'blue', answer);
      expect([next.end.type, spoken(next.events)]).toEqual(['done', expect.stringContaining('blue')]);
    });

    it('goes on with the answer after a restart', async () => {
      const first = await opened();
      await converse(first, words.question);
      await first.close();
      await stand.stop();
      stand = await start();
      const line = { taskId: 'task-1', turn: 1, at: 0 };
      const again = await opened([
        { ...line, n: 1, role: 'user', text: words.question },
        { ...line, n: 2, role: 'assistant', text: 'which?' },
      ]);
      const { events, end } = await converse(again, 'blue', {
        turn: 2,
        opening: words.question,
        answers: [answerTo('which?', 'blue')],
      });
      expect([end.type, spoken(events)]).toEqual(['done', expect.stringContaining('blue')]);
    });

    it('ends a turn with a failure that the caller can read', async () => {
      const { end } = await converse(await opened(), words.failure);
      expect(end).toMatchObject({ type: 'failed', text: expect.stringMatching(/./) });
    });

    if (crash !== undefined) {
      it('tells of an unexpected failure instead of throwing', async () => {
        const { end } = await converse(await opened(), crash);
        expect(end).toMatchObject({ type: 'crashed', error: expect.any(Error) });
      });
    }

    it('stops at an abort, during a turn and before one, and says nothing more', async () => {
      const session = await opened();
      const controller = new AbortController();
      const running = converse(session, words.endless, { signal: controller.signal });
      await stand.underWay();
      controller.abort();
      expect((await running).end).toEqual({ type: 'cancelled' });
      const late = await converse(session, words.answer, { signal: controller.signal });
      expect(late).toEqual({ events: [], end: { type: 'cancelled' } });
    });

    it('goes on after a question, a failure and a cancel in the same session', async () => {
      const session = await opened();
      for (const text of [words.question, words.failure]) await converse(session, text);
      const controller = new AbortController();
      const running = converse(session, words.endless, { signal: controller.signal });
      await stand.underWay();
      controller.abort();
      await running;
      expect((await converse(session, words.answer)).end.type).toBe('done');
    });

    it('keeps sessions that run at the same time apart', async () => {
      const sessions = await Promise.all([opened(), opened(), opened()]);
      const all = await Promise.all(sessions.map((session) => converse(session, words.answer)));
      expect(new Set(all.map(({ events }) => spoken(events))).size).toBe(1);
    });

    it('takes up a conversation that has a history', async () => {
      const lines = [1, 2, 3].flatMap((n): TranscriptLine[] => [
        { taskId: `t${n}`, n: 1, turn: 1, at: 0, role: 'user', text: `question ${n}` },
        { taskId: `t${n}`, n: 2, turn: 1, at: 0, role: 'tool', text: 'search' },
        { taskId: `t${n}`, n: 3, turn: 1, at: 0, role: 'assistant', text: `answer ${n}` },
      ]);
      expect((await converse(await opened(lines), words.answer)).end.type).toBe('done');
    });

    it.each(['', ' ', ';', '\0', '{"a":', '[file: ../../etc/passwd]', '<script>'])(
      'ends a turn about %j',
      async (text) => {
        const { end } = await converse(await opened(), text);
        expect(['done', 'failed', 'question', 'rejected']).toContain(end.type);
      },
    );

    it('reads the frame only if it uses it', async () => {
      let frames = 0;
      await converse(await opened(), words.answer, { seenFrame: () => frames++ });
      expect(frames > 0).toBe(readsFrame);
    });

    it('frees all that a session holds when it is closed, also while a turn runs', async () => {
      await (await opened()).close();
      await converse(await opened(), words.answer);
      const session = await opened();
      const controller = new AbortController();
      const running = converse(session, words.endless, { signal: controller.signal });
      await stand.underWay();
      for (const one of open.splice(0)) await one.close();
      await eventually(() => stand.held() === 0);
      controller.abort();
      expect(['cancelled', 'failed', 'crashed']).toContain((await running).end.type);
    });

    it('is opened again by the runner when it broke, with nobody noticing', async () => {
      const home = new FakeHome();
      home.settings = { ...home.settings, driver: stand.settings };
      if (stand.fetch) home.outbound = stand.fetch;
      const runner = home.runner([stand.driver]);
      try {
        expect((await home.run({ text: words.answer }, runner)).outcome.kind).toBe('completed');
        await stand.break?.();
        if (crash !== undefined) await expect(home.run({ text: crash, cid: 'task-2' }, runner)).rejects.toThrow();
        const last = await home.run({ text: words.answer, cid: 'task-3' }, runner);
        expect(last.outcome.kind).toBe('completed');
        expect(last.shown.at(-1)).toBe('/');
      } finally {
        await runner.sessions.stop();
        home.remove();
      }
    });
  });
}

/** Waits for what comes with the next turns of the event loop; the test's own time limit ends it. */
export async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
