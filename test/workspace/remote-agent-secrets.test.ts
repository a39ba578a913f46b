import { describe, expect, test } from '@jest/globals';
import { secretsOfEntry } from '../../src/workspace/remote-agent-secrets.js';

const basic = Buffer.from('ann:the-password').toString('base64');

describe('the secrets of an agent elsewhere', () => {
  test.each<[string, object, string[]]>([
    ['a key', { key: 'the-key' }, ['the-key']],
    ['the password of a key for Basic', { key: 'ann:the-password' }, ['ann:the-password', 'the-password']],
    ['a token without its scheme', { headers: { 'X-Auth': 'Bearer the-token' } }, ['Bearer the-token', 'the-token']],
    ['that of any scheme of Authorization', { headers: { authorization: 'Odd the-token' } }, ['the-token']],
    ['what Basic has encoded', { headers: { Authorization: `Basic ${basic}` } }, [basic, 'the-password']],
    ['the values of cookies', { headers: { Cookie: 'a=first-one; b=second=two' } }, ['first-one', 'second=two']],
  ])('include %s', (_what, entry, expected) => {
    expect(secretsOfEntry(entry)).toEqual(expect.arrayContaining(expected));
  });

  test('are no words of other headers', () => {
    expect(secretsOfEntry({ headers: { 'User-Agent': 'our client' } })).toEqual(['our client']);
  });

  test.each([null, 'text', 7, [], { key: 7, headers: 'x' }, { headers: { a: {} } }, { key: '' }])(
    'are none in the bad entry %j',
    (entry) => expect(secretsOfEntry(entry)).toEqual([]),
  );
});
