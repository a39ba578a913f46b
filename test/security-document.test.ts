// docs/security.md names its tests; each of them exists.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const rows = read('docs/security.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('`test/'))
  .map((line) => (line.split(' | ').at(-1) ?? '').replace(/\s*\|$/, '').trim());

/** Titles of a file's tests as they are written, quotes of the source undone. */
const titles = (file: string): string =>
  read(file)
    .replaceAll(/\\(['"`])/g, '$1')
    .replaceAll(/\s+/g, ' ');

describe('the table of attacks', () => {
  it('has a test in every row', () => {
    const lines = read('docs/security.md').split('\n');
    const table = lines.filter((line) => line.startsWith('| ') && !/^\| (asset|---)/.test(line));
    expect(table.length).toBeGreaterThan(20);
    expect(rows.length).toBe(table.length);
  });

  it.each(rows)('names a test that exists: %s', (cell) => {
    const [, file = '', title = ''] = /^`(test\/[^`]+\.test\.ts)`: (.+)$/.exec(cell) ?? [];
    const call = titles(file);
    const quoted = ["'", '"', '`'].some(
      (quote) => call.includes(`(${quote}${title}`) || call.includes(`( ${quote}${title}`),
    );
    expect([title, quoted]).toEqual([title, true]);
  });
});
