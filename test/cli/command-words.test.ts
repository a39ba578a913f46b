import { commandWords } from '../../src/cli/command-words.js';

describe('a command as one text', () => {
  it.each([
    ['opencode acp', ['opencode', 'acp']],
    ['  a\tb  ', ['a', 'b']],
    [`'/my tools/agent' "--say=\\"hi\\" 'x'" c\\ d`, ['/my tools/agent', `--say="hi" 'x'`, 'c d']],
    [`a "" ''`, ['a', '', '']],
    ['$HOME/a; b | c', ['$HOME/a;', 'b', '|', 'c']],
    ['a\\', ['a\\']],
  ])('%s is taken apart as a shell would, without expanding anything', (text, words) => {
    expect(commandWords(text)).toEqual(words);
  });

  it.each(['', '   ', '"a', "'", '""'])('%j is none', (text) => {
    expect(() => commandWords(text)).toThrow(/command/);
  });
});
