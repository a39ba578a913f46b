// What a model is told of earlier turns: the rule of conversation.ts, and transcripts as turns.
import fc from 'fast-check';
import type { ModelMessage } from 'ai';
import {
  Conversation,
  plainTurn,
  tokensOf,
  type PastTurn,
} from '../../../../plugins/executors/session-runner/drivers/llm/conversation.js';
import { pastTurns } from '../../../../plugins/executors/session-runner/drivers/llm/past-turns.js';
import type { TranscriptLine } from '../../../../src/workspace/transcript.js';

const call = (id: string): ModelMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: id, toolName: 'read_file', input: { path: 'a' } }],
});
const result = (id: string, text: string): ModelMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: id, toolName: 'read_file', output: { type: 'text', value: text } }],
});
const withTools = (said: string, answered: string, id: string, found: string): PastTurn => ({
  ...plainTurn(said, answered),
  messages: [call(id), result(id, found), { role: 'assistant', content: answered }],
});
const texts = (messages: ModelMessage[]): unknown[] => messages.map(({ role, content }) => [role, content]);
const size = (messages: ModelMessage[]): number =>
  messages.reduce((sum, { content }) => sum + tokensOf(JSON.stringify(content)), 0);
const idsOf = (messages: ModelMessage[], type: string): string[] =>
  messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part) => (part.type === type ? (part as { toolCallId: string }).toolCallId : [])),
  );

describe('a conversation', () => {
  it('keeps whole turns, the newest first, and nothing before the first that does not fit', () => {
    const turns = [plainTurn('old', 'short'), plainTurn('x'.repeat(2000), 'y'), plainTurn('new', 'answer')];
    expect(texts(new Conversation(100, turns).messages())).toEqual([
      ['user', 'new'],
      ['assistant', 'answer'],
    ]);
  });

  it('leaves out the tools of a turn that does not fit with them, calls and results alike', () => {
    const turn = withTools('read a', 'it says b', 'c1', 'z'.repeat(4000));
    expect(new Conversation(2000, [turn]).messages()).toHaveLength(4);
    expect(texts(new Conversation(500, [turn]).messages())).toEqual([
      ['user', 'read a'],
      ['assistant', 'it says b'],
    ]);
  });

  it('cuts the newest turn in the middle when nothing else helps', () => {
    const [said, answered] = new Conversation(300, [plainTurn(`begin ${'x'.repeat(9000)} end`, 'fine')]).messages();
    expect(said?.content).toMatch(/^begin x+\n\[…\]\nx+ end$/);
    expect(answered?.content).toBe('fine');
    expect(new Conversation(0, [plainTurn('a', 'b')]).messages()).toEqual([]);
  });

  it('stays within any budget, in pairs and in turns, whatever was said', () => {
    const words = fc.string({ unit: 'grapheme', maxLength: 3000 });
    const turn = fc.record({ said: words, answered: words, found: fc.option(words), id: fc.uuid() });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 8 }), fc.integer({ min: 0, max: 3000 }), (turns, budget) => {
        const conversation = new Conversation(budget);
        for (const { said, answered, found, id } of turns)
          conversation.add(found === null ? plainTurn(said, answered) : withTools(said, answered, id, found));
        const messages = conversation.messages();
        // Quotes of JSON are not counted by the conversation for what was said.
        expect(size(messages)).toBeLessThanOrEqual(budget * 2 + 20);
        expect(idsOf(messages, 'tool-call')).toEqual(idsOf(messages, 'tool-result'));
        expect(messages.at(0)?.role ?? 'user').toBe('user');
        expect(messages.at(-1)?.role ?? 'assistant').toBe('assistant');
        for (const { content } of messages)
          if (typeof content === 'string') expect(Buffer.from(content).toString()).toBe(content);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a transcript', () => {
  const line = (taskId: string, n: number, turn: number, role: TranscriptLine['role'], text: string) => ({
    taskId,
    n,
    turn,
    at: 0,
    role,
    text,
  });

  it('becomes turns with what was said and answered, decisions and files included', () => {
    const file = { blob: 'f'.repeat(64), size: 12, filename: '../n.txt', mediaType: 'text/plain' };
    const turns = pastTurns([
      { ...line('t1', 1, 1, 'user', 'look'), parts: [{ text: 'look' }, file, { data: { a: 1 } }] },
      line('t1', 2, 1, 'tool', 'read_file'),
      line('t2', 1, 1, 'user', 'meanwhile'),
      line('t1', 3, 1, 'assistant', 'first'),
      line('t1', 4, 1, 'assistant', 'Shall I?'),
      line('t2', 2, 1, 'assistant', 'yes'),
      line('t1', 5, 2, 'operator', 'approved'),
    ]);
    expect(turns.map(({ said, answered }) => [said, answered])).toEqual([
      [
        expect.stringMatching(/^look\n\n\[file: inbox\/…-n\.txt \(text\/plain, 12 bytes\)\]\n\n```json/),
        'first\n\nShall I?',
      ],
      ['meanwhile', 'yes'],
      ["The operator's decision: approved", '[no answer was given]'],
    ]);
  });
});
