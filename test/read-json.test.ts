// JSON with or without a byte order mark, and what is told about the rest.
import { describe, expect, it } from '@jest/globals';
import { parseJson, readJson } from '../src/read-json.js';

describe('a JSON text', () => {
  it.each(['null', '{"a":[1]}', '\uFEFF{"a":[1]}'])('%j is read', (text) => {
    const value: unknown = JSON.parse(text.replace('\uFEFF', ''));
    expect(readJson(text)).toEqual({ value });
    expect(parseJson(text)).toEqual(value);
  });

  it.each([
    ['', 'not valid JSON at line 1, column 1'],
    ['{"key": "secret"\n "b": 1}', 'not valid JSON at line 2, column 2'],
    ['\uFEFF{"key": secret}', 'not valid JSON at line 1, column 9'],
  ])('%j is told by its place and not quoted', (text, fault) => {
    expect(readJson(text)).toEqual({ fault });
    expect(parseJson(text)).toBeUndefined();
  });
});
