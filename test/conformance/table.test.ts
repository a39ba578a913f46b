import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { rowsOf, tableDocument, tableOf } from './table.js';

const test = (title: string, status: string, ...ancestorTitles: string[]) => ({ title, status, ancestorTitles });

describe('the table of rules', () => {
  it('is made of the titles of passed tests, by row and binding', () => {
    const assertionResults = [
      test('[C2] Old. (0.3)', 'passed', 'the card'),
      test('[12][9] One | two. (§1.2, §3)', 'passed', 'JSON-RPC'),
      test('[12][9] One | two. (§1.2, §3)', 'failed', 'HTTP+JSON'),
      test('[10] Never. (§4)', 'failed', 'JSON-RPC'),
    ];
    const lines = tableOf({ testResults: [{ assertionResults }] });
    expect(lines.map(({ row, section, shown }) => [row, section, [...shown]])).toEqual([
      ['9', '§1.2, §3', ['JSON-RPC']],
      ['12', '§1.2, §3', ['JSON-RPC']],
      ['C2', '0.3', ['all']],
    ]);
    const document = tableDocument(lines);
    expect(document).toContain('| 9 | One \\| two. | §1.2, §3 | yes | – | – |');
    expect(document).toContain('| C2 | Old. | 0.3 | yes | yes | yes |');
    expect(rowsOf(document)).toEqual(['9', '12', 'C2']);
  });

  it('has a section of its own for the client', () => {
    const assertionResults = [
      test('[20] Chosen. (§8)', 'passed', 'the client'),
      test('[20] Offered. (§8)', 'passed', 'JSON-RPC'),
    ];
    const [server, client] = tableDocument(tableOf({ testResults: [{ assertionResults }] })).split('## The client');
    expect(server).toContain('| 20 | Offered. | §8 | yes | – |');
    expect(server).not.toContain('Chosen');
    expect(client).toContain('| 20 | Chosen. | §8 |');
  });

  it('refuses a test whose title names no rule', () => {
    expect(() => tableOf({ testResults: [{ assertionResults: [test('works', 'passed')] }] })).toThrow('works');
  });
});

describe('docs/conformance.md', () => {
  const folders = ['./a2a/', './client/'].map((name) => new URL(name, import.meta.url));
  const sources = folders
    .flatMap((folder) => readdirSync(folder).map((name) => new URL(name, folder)))
    .filter(({ pathname }) => pathname.endsWith('.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const document = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');

  it('lists no row whose test is gone or does not run', () => {
    const gone = rowsOf(document).filter((row) => !new RegExp(`(?:\\[|')${row}(?:\\]|')`).test(sources));
    expect(gone).toEqual([]);
    expect(sources).not.toMatch(/\b(?:it|describe)\.(?:skip|todo|only|failing)|\bx(?:it|describe)\(/);
  });

  it('lists every row that a title names', () => {
    const named = [...sources.matchAll(/['"`]((?:\[C?\d+\])+) /g)].flatMap(([, rows = '']) =>
      [...rows.matchAll(/\[(\w+)\]/g)].map(([, row]) => row as string),
    );
    expect([...new Set(named)].filter((row) => !rowsOf(document).includes(row))).toEqual([]);
  });
});
