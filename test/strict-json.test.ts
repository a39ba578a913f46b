import { describe, expect, it } from '@jest/globals';
import { parseStrict } from '../src/strict-json.js';

/** The value. Throws the refusal, found while parsing or by the value. */
function parse(text: string | Buffer): unknown {
  const { value, refusal } = parseStrict(Buffer.from(text));
  if (refusal) throw refusal;
  return value;
}
const codeOf = (text: string | Buffer): string => {
  try {
    parse(text);
    return 'accepted';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('strict JSON', () => {
  it.each([
    ['an object', '{"a":[1,-2.5,1e3,"x",true,null]}'],
    ['strings full of structure', '{"a":"{\\"b\\": [9007199254740993], \\\\","c":"\\\\\\""}'],
    ['the largest exact integers', '[9007199254740991,-9007199254740991]'],
    ['large floats', '[1.5e300,1e21,0.12345678901234567890]'],
    ['equal keys in different objects', '[{"a":1},{"a":{"a":1}}]'],
    ["a string with a key's text as value", '{"a":"b","b":"a"}'],
  ])('accepts %s as JSON.parse does', (_name, text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['an integer beyond 2^53', '{"n":9007199254740993}', 'invalid-params'],
    ['a negative one', '[-9007199254740992]', 'invalid-params'],
    ['one with a fraction of zero', '[9007199254740993.0]', 'invalid-params'],
    ['a number that becomes infinite', '[1e999]', 'invalid-params'],
    ['a repeated key', '{"a":1,"b":2,"a":3}', 'invalid-params'],
    ['a repeated key in disguise', '{"ab":1,"a\\u0062":2}', 'invalid-params'],
    ['broken JSON, also when a key repeats', '{"a":1,"a":', 'parse-error'],
    ['nothing', '', 'parse-error'],
    ['NaN', '[NaN]', 'parse-error'],
    ['a lone minus', '[-]', 'parse-error'],
    ['an open string', '{"a":"b', 'parse-error'],
    ['two values', '{} {}', 'parse-error'],
  ])('refuses %s', (_name, text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(codeOf(Buffer.from([0x22, 0xff, 0x22]))).toBe('parse-error');
  });

  it('refuses what is nested deeper than 64 levels, however deep', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(codeOf(nested(64))).toBe('accepted');
    expect(codeOf(nested(65))).toBe('invalid-request');
    expect(codeOf(nested(10_000))).toBe('invalid-request');
    expect(codeOf('{"a":'.repeat(10_000))).toBe('invalid-request');
  });

  it('keeps the value beside the refusal, for the id of the request', () => {
    const { value, refusal } = parseStrict(Buffer.from('{"id":"x","n":9007199254740993}'));
    expect(refusal?.code).toBe('invalid-params');
    expect((value as { id: string }).id).toBe('x');
  });

  it('drops __proto__ keys, escaped ones too', () => {
    const value = parse('{"a":{"__proto__":{"polluted":1}},"__pro\\u0074o__":2}') as Record<string, object>;
    expect(Object.keys(value)).toEqual(['a']);
    expect(Object.keys(value['a'] as object)).toEqual([]);
  });
});
