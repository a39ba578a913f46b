// What the folder of plugins may hold that is none.
import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPlugins } from '../../src/installation/find-plugins.js';

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});
const home = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'find-plugins-'));
  homes.push(made);
  return made;
};

describe('finding plugins', () => {
  test('finds packages although the folder is a file', () => {
    const folder = join(home(), 'plugins');
    writeFileSync(folder, '');
    expect(findPlugins(folder, ['a-package'])).toEqual([
      expect.objectContaining({ source: 'plugins', problem: expect.stringContaining('ENOTDIR') }),
      expect.objectContaining({ source: 'a-package' }),
    ]);
  });

  test('finds none in a folder that is not there', () => {
    expect(findPlugins(join(home(), 'plugins'), [])).toEqual([]);
  });
});
