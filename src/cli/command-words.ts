// A command line as one text, taken apart as a shell would: words, quotes and backslashes, and nothing that expands.
import { AppError } from '../errors.js';

/** At least one word. Throws `invalid-params` for an open quote or an empty text. */
export function commandWords(text: string): [string, ...string[]] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else if (char === '\\' && quote === '"' && /["\\]/.test(text[at + 1] ?? '')) word += text[++at] as string;
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (char === '\\' && at + 1 < text.length) word = (word ?? '') + (text[++at] as string);
    else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== undefined) throw new AppError('invalid-params', 'A quote in the command is not closed.');
  if (word !== undefined) words.push(word);
  const [command, ...args] = words;
  if (!command) throw new AppError('invalid-params', 'The command is empty.');
  return [command, ...args];
}
