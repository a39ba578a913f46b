// Where a JSON text stops being JSON. JSON.parse says so only sometimes, and quotes the text, which may hold a key.

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// eslint-disable-next-line no-control-regex -- control characters are exactly what a JSON string may not hold
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

/** The end of the match of a sticky expression at `at`, or -1. */
function match(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : -1;
}

/** Offset of the first character that no JSON text could have there; undefined when `text` is JSON. */
function faultOffset(text: string): number | undefined {
  const closers: ('}' | ']')[] = [];
  let at = 0;
  let wanted: 'value' | 'first-value' | 'key' | 'first-key' | 'next' = 'value';
  for (;;) {
    at = match(SPACE, text, at);
    const char = text[at];
    if (wanted === 'next') {
      const closer = closers.at(-1);
      if (closer === undefined) return at === text.length ? undefined : at;
      if (char === closer) closers.pop();
      else if (char === ',') wanted = closer === '}' ? 'key' : 'value';
      else return at;
      at++;
    } else if ((wanted === 'first-key' && char === '}') || (wanted === 'first-value' && char === ']')) {
      closers.pop();
      wanted = 'next';
      at++;
    } else if (wanted === 'key' || wanted === 'first-key') {
      const end = match(STRING, text, at);
      if (end < 0) return at;
      at = match(SPACE, text, end);
      if (text[at] !== ':') return at;
      at++;
      wanted = 'value';
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      wanted = char === '{' ? 'first-key' : 'first-value';
      at++;
    } else {
      const end = match(char === '"' ? STRING : SCALAR, text, at);
      if (end < 0) return at;
      at = end;
      wanted = 'next';
    }
  }
}

/** Line and column, both from 1, of the first fault; undefined when `text` is JSON. A string's fault is its start. */
export function jsonFault(text: string): { line: number; column: number } | undefined {
  const offset = faultOffset(text);
  if (offset === undefined) return undefined;
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) as string).length + 1 };
}
