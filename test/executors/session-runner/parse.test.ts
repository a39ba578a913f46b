// The grammar of scripted directives.
import fc from 'fast-check';
import { parseDirectives } from '../../../plugins/executors/session-runner/drivers/scripted/parse.js';

describe('parseDirectives', () => {
  it.each([
    ['say hello there', [{ do: 'say', text: 'hello there' }]],
    [
      '  say a ;say b',
      [
        { do: 'say', text: 'a' },
        { do: 'say', text: 'b' },
      ],
    ],
    ['say line one\nline two', [{ do: 'say', text: 'line one\nline two' }]],
    ['stream 53', [{ do: 'stream', count: 53 }]],
    ['tool web-search', [{ do: 'tool', name: 'web-search' }]],
    ['ask your name?', [{ do: 'ask', question: 'your name?' }]],
    ['auth may I?', [{ do: 'auth', question: 'may I?' }]],
    ['file a.txt some words', [{ do: 'file', name: 'a.txt', text: 'some words' }]],
    ['data {"a":[1,2]}', [{ do: 'data', data: { a: [1, 2] } }]],
    ['data null', [{ do: 'data', data: null }]],
    [
      'data {"a":"x;y\\";z"};say b',
      [
        { do: 'data', data: { a: 'x;y";z' } },
        { do: 'say', text: 'b' },
      ],
    ],
    ['notify the owner', [{ do: 'notify', text: 'the owner' }]],
    ['call bob do this', [{ do: 'call', agent: 'bob', text: 'do this' }]],
    ['wait 0', [{ do: 'wait', ms: 0 }]],
    ['fail no luck', [{ do: 'fail', text: 'no luck' }]],
    ['crash', [{ do: 'crash' }]],
  ])('reads %j', (text, directives) => {
    expect(parseDirectives(text)).toEqual(directives);
  });

  it.each([
    '',
    'hello',
    'say',
    'say hi;',
    'say hi; how are you',
    'Say hi',
    'say-hi now',
    'constructor',
    'stream',
    'stream 0',
    'stream -1',
    'stream 1e3',
    'stream 10001',
    'tool two words',
    'file a.txt',
    'data {',
    'data {"n":9007199254740993}',
    'data 1e999',
    'call bob',
    'wait soon',
    'wait 99999999999',
    'crash now',
  ])('takes %j as plain text', (text) => {
    expect(parseDirectives(text)).toBeUndefined();
  });

  it('takes JSON deeper than a task may hold as plain text', () => {
    expect(parseDirectives(`data ${'['.repeat(100)}${']'.repeat(100)}`)).toBeDefined();
    expect(parseDirectives(`data ${'['.repeat(10_000)}${']'.repeat(10_000)}`)).toBeUndefined();
  });

  it('takes more directives than it allows as plain text', () => {
    expect(parseDirectives(Array(100).fill('say a').join(';'))).toHaveLength(100);
    expect(parseDirectives(Array(101).fill('say a').join(';'))).toBeUndefined();
  });

  it('answers any text without throwing', () => {
    const word = fc.constantFrom('say', 'data', 'wait', 'stream', 'file', ';', ' ', '"', '\\', '{}', '1', 'x');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word).map((words) => words.join(' ')),
        ),
        (text) => {
          const directives = parseDirectives(text);
          return directives === undefined || directives.length > 0;
        },
      ),
      { numRuns: 300 },
    );
  });
});
