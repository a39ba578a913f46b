// The owner's script.json: what it may hold, and which rule answers.
import { readScript, replyTo } from '../../../plugins/executors/session-runner/drivers/scripted/script.js';

const script = (...rules: [string, string][]): string =>
  JSON.stringify({ v: 1, rules: rules.map(([match, reply]) => ({ match, reply })) });

describe('script.json', () => {
  it.each([
    ['hello', ' Hello ', true],
    ['hello', 'hello you', false],
    ['hello*', 'Hello you', true],
    ['*price*', 'what is the PRICE of it?', true],
    ['a*b*c', 'a b b c', true],
    ['a*b*c', 'acb', false],
    ['ab*ba', 'aba', false],
    ['*', 'anything\nat all', true],
    ['a.c', 'abc', false],
  ])('matches %j against %j: %s', (match, text, fits) => {
    expect(replyTo(readScript(script([match, 'say yes'])), text) !== undefined).toBe(fits);
  });

  it('answers with the first rule that fits', () => {
    const rules = readScript(script(['hi*', 'say first'], ['*', 'say second']));
    expect(replyTo(rules, 'hi there')).toEqual([{ do: 'say', text: 'first' }]);
    expect(replyTo(rules, 'there')).toEqual([{ do: 'say', text: 'second' }]);
  });

  it('reads a bare list of rules and tolerates a byte order mark', () => {
    const rules = readScript('\uFEFF[{"match":"hi","reply":"say yo"}]');
    expect(replyTo(rules, 'hi')).toEqual([{ do: 'say', text: 'yo' }]);
  });

  it('is not slowed down by a pattern made for it', () => {
    const rules = readScript(script([`${'a*'.repeat(200)}b`, 'say x']));
    expect(replyTo(rules, 'a'.repeat(100_000))).toBeUndefined();
  });

  it('says where a file stops being JSON and quotes nothing of it', () => {
    const text = '[{"match": "a",\n  "reply": "say hidden" oops-hidden}]';
    expect(() => readScript(text)).toThrow(/^script\.json: it is not valid JSON at line 2, column 25$/);
  });

  it.each([
    ['{', 'it is not valid JSON'],
    ['7', 'neither an object nor a list'],
    ['{"v":2,"rules":[]}', 'version 2'],
    ['{"v":1}', '"rules" is not a list'],
    ['[null]', 'rule 1 has no text in "match"'],
    ['[{"match":"a","reply":"say b"},{"match":"a"}]', 'rule 2 has no text in "reply"'],
    ['[{"match":"a","reply":"hello"}]', 'rule 1: "reply" is not a list of directives'],
    ['[{"match":"/a+/i","reply":"say b"}]', 'not a regular expression'],
  ])('refuses %s and says why', (text, reason) => {
    expect(() => readScript(text)).toThrow(reason);
  });
});
