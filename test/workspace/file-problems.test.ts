import { createLogger } from '../../src/log.js';
import { Secrets } from '../../src/secrets/secrets.js';
import { FileProblems } from '../../src/workspace/file-problems.js';

function open(): { problems: FileProblems; lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    problems: new FileProblems(createLogger('warn', new Secrets(), { write: (line) => void lines.push(line) })),
  };
}

describe('problems of files', () => {
  test('are logged when they appear, not again while they last, and again when they come back', () => {
    const { problems, lines } = open();
    problems.set('a', 'f', ['one']);
    problems.set('a', 'f', ['one', 'two', 'two']);
    expect(lines).toHaveLength(2);
    problems.set('a', 'f', []);
    problems.set('a', 'f', ['one']);
    expect(lines).toHaveLength(3);
  });

  test('of different checks of one file stand side by side', () => {
    const { problems } = open();
    problems.set('b', 'f', ['content']);
    problems.set('a', 'f', ['other']);
    problems.set('b', 'f', ['shared'], 'ambiguity');
    expect(problems.list().map(({ workspace, problem }) => `${workspace}: ${problem}`)).toEqual([
      'a: other',
      'b: content',
      'b: shared',
    ]);
    problems.set('b', 'f', []);
    expect(problems.list().map(({ problem }) => problem)).toEqual(['other', 'shared']);
    problems.forget('b');
    expect(problems.list().map(({ problem }) => problem)).toEqual(['other']);
  });

  test('are looked for again before they are listed', () => {
    const { problems } = open();
    problems.beforeListing(() => problems.set('a', 'f', ['now']));
    expect(problems.list()).toEqual([{ workspace: 'a', file: 'f', problem: 'now' }]);
  });
});
