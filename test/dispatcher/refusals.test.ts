// The list of refusals, against the guards themselves and against what is printed of it.
import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { GUARDS } from '../../plugins/dispatcher/dispatcher.js';
import { GUARD_REFUSALS } from '../../plugins/dispatcher/refusals.js';
import { ERROR_CODES } from '../../src/errors.js';
import { refusalsDocument } from '../support/refusals-document.js';

const folder = new URL('../../plugins/dispatcher/guards/', import.meta.url);

/** `guard code` for each code that a guard's source refuses with, and whether that file keeps tasks. */
const refused = (): string[] =>
  readdirSync(folder).flatMap((file) => {
    const source = readFileSync(new URL(file, folder), 'utf8');
    const guard = /name: '([a-z]+)'/.exec(source)?.[1] ?? file;
    const task = source.includes('asTask: true') ? 'rejected' : 'none';
    return [...source.matchAll(/\brefuse\(\s*'([a-z-]+)'/g)].map(([, code]) => `${guard} ${code} ${task}`);
  });

const shown = (): string => readFileSync(new URL('../../docs/refusals.md', import.meta.url), 'utf8');

/** All source text below a folder of the package. */
function sources(name: string): string {
  const root = new URL(`../../${name}/`, import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.map((file) => readFileSync(new URL(file, root), 'utf8')).join('');
}

const words = (text: string): string => text.replaceAll(/[\s|-]+/g, ' ');

describe('the list of refusals', () => {
  it('has what the guards refuse, and nothing else', () => {
    // What plugins refuse, and with which code, is theirs.
    const listed = GUARD_REFUSALS.filter(({ guard }) => guard !== 'added').map(
      ({ guard, code, task }) => `${guard} ${code} ${task}`,
    );
    expect([...new Set(listed)].sort()).toEqual([...new Set(refused())].sort());
  });

  it('is in the order in which the guards run', () => {
    const order = [...new Set(GUARD_REFUSALS.map(({ guard }) => guard))];
    // The last one asks the operator, and refuses nothing.
    expect(order).toEqual(GUARDS.map(({ name }) => name).filter((name) => name !== 'approval'));
  });

  it('is printed in docs/refusals.md', () => {
    expect(words(shown())).toBe(words(refusalsDocument()));
  });

  it('is printed with every code that something refuses with, and no other', () => {
    // What a request never sees, since it is shown as internal.
    const hidden = ['config', 'locked'];
    const codes = ERROR_CODES.filter((code) => !hidden.includes(code));
    const source = sources('src') + sources('plugins');
    const used = codes.filter((code) => new RegExp(`(AppError|refuse)\\(\\s*'${code}'`).test(source));
    expect(codes.filter((code) => shown().includes(`\`${code}\` `))).toEqual(used);
  });
});
