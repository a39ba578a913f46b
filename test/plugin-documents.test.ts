// What is printed from the types is what the types are now.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { examplesOf, typeFaults } from './support/plugin-examples.js';
import { pluginApiDocument, topicsDocument } from './support/plugin-documents.js';

/** Without what the formatter decides. */
const words = (text: string): string => text.replaceAll(/[\s|-]+/g, '').replaceAll(/[,;(){}]/g, '');
const shown = (file: string): string => readFileSync(new URL(`../docs/${file}`, import.meta.url), 'utf8');

describe('the reference for authors of plugins', () => {
  it('has the types as they are', () => {
    expect(words(shown('plugin-api.md'))).toBe(words(pluginApiDocument()));
  });

  it('has the topics and their payloads as they are', () => {
    expect(words(shown('topics.md'))).toBe(words(topicsDocument()));
  });

  it('has examples in the guide that the types accept', () => {
    expect(typeFaults(examplesOf(shown('plugins.md')))).toEqual([]);
    const wrong = {
      'x.ts': "import { defineAgent } from 'a2a-switchboard';\nexport default defineAgent({ name: 7 });",
    };
    expect(typeFaults(new Map(Object.entries(wrong)))).toEqual([expect.stringContaining('x.ts')]);
  });

  it('is complete: what the guide names as something to import is there', () => {
    const imported = [...shown('plugins.md').matchAll(/import \{ ([\w, ]+) \} from 'a2a-switchboard/g)];
    for (const name of imported.flatMap(([, names]) => (names as string).split(', '))) {
      expect(shown('plugin-api.md')).toContain(`### ${name}\n`);
    }
  });
});
