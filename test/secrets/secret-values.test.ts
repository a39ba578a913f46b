// What is secret in settings, by names and looks alone.
import { secretsIn, secretsOfArguments, secretsOfUrl, secretsOfWebhook } from '../../src/secrets/secret-values.js';

describe('secrets of settings', () => {
  it('are texts under a name that says so, at any depth and in lists', () => {
    const settings = {
      apiToken: 'one-1',
      deep: [{ er: { password: 'two-2', keys: ['three-3', 'four-4'] } }],
      databaseCredentials: 'five-5',
      dsn: 'postgres://bob:six-6@db.example/x?sslkey=seven-7',
    };
    const found = secretsIn(settings);
    for (const secret of ['one-1', 'two-2', 'three-3', 'four-4', 'five-5', 'six-6', 'seven-7'])
      expect(found).toContain(secret);
  });

  it('are not what says where one is, how it is used, or nothing of the kind', () => {
    const open = { keyEnv: 'MODEL_KEY', tokenUrl: 'https://id.example/token', auth: 'bearer', keyFile: 'tls/key.pem' };
    expect(
      secretsIn({ ...open, author: 'Ann', passive: 'yes, it is', maxTokens: 4, model: 'some-model-2025' }),
    ).toEqual([]);
  });

  it.each(['keywords', 'keyboard', 'monkey', 'tokenizer', 'bypass', 'compass', 'passengers', 'authority', 'credits'])(
    'are not under the name %s, which only looks like one',
    (name) => expect(secretsIn({ [name]: ['weather'] })).toEqual([]),
  );

  it.each(['openaikey', 'API_KEY', 'accessTokens', 'passphrase', 'authorization', 'credentials', 'Cookie'])(
    'are under the name %s',
    (name) => expect(secretsIn({ [name]: 'weather' })).toEqual(['weather']),
  );

  it('are found in settings of any shape', () => {
    const circle: Record<string, unknown> = { token: 'in-a-circle' };
    circle['again'] = circle;
    expect(new Set(secretsIn(circle))).toEqual(new Set(['in-a-circle']));
    for (const nothing of [undefined, null, 7, true, []]) expect(secretsIn(nothing)).toEqual([]);
  });
});

describe('secrets of a URL', () => {
  it.each([
    ['https://bob:pass%20word@x.example/', ['pass%20word', 'pass word', 'bob:pass word']],
    ['https://x.example/a?access_token=abc&page=2&sig=def', ['abc', 'def']],
    ['https://x.example/a?x=0123456789abcdefXYZ', ['0123456789abcdefXYZ']],
    ['https://bob:%@x.example/', ['%', 'bob:%']],
    ['https://x.example/a?page=2', []],
    ['no url: at all', []],
    ['c:/files', []],
  ])('%s are its password, and what its query has by name or look', (url, secrets) => {
    expect([...new Set(secretsOfUrl(url))].sort()).toEqual([...secrets].sort());
  });

  it('of a webhook are the whole of it and pieces of its path, too', () => {
    const url = 'https://chat.example/services/T0/Zm9vYmFyMTIzNDU2Nzg5';
    expect(secretsOfWebhook(url)).toEqual([url, 'Zm9vYmFyMTIzNDU2Nzg5']);
  });
});

it('secrets of arguments follow a flag or a header that says so', () => {
  const args = ['acp', '--token', 'one', '--api-key=two', '-H', 'Authorization: Bearer three', 'X-Api-Key: four'];
  expect(secretsOfArguments([...args, '--model', 'five', '--url', 'https://u:six@x.example/', '--password'])).toEqual([
    'one',
    'two',
    'three',
    'four',
    'six',
    'six',
    'u:six',
  ]);
});
