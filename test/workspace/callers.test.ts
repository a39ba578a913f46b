import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import type { Caller } from '../../src/workspace/callers.js';
import { TempWorkspaces } from '../support/temp-workspaces.js';

const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');
const sha = (key: string): string => `sha256:${sha256(key)}`;
/** A caller in the short form. */
const short = (name: string, key: string): object => ({ callers: [{ name, key }] });

/** Answers once the look at all files that it may have to wait for has been due. */
async function ask(home: TempWorkspaces, key: string): Promise<string | undefined> {
  const answer = home.callers.authenticate(key);
  home.clock.advance(250);
  return (await answer)?.id;
}

describe('a caller', () => {
  test('is found by each of its keys, plain or hashed, whichever form its entry has', async () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', {
      v: 1,
      callers: [
        { name: 'ann', key: 'key-of-ann' },
        { name: 'bob', keys: [{ key: 'first-of-bob' }, { hash: sha('second-of-bob'), hint: '-bob' }] },
        { name: 'cy', key: 'x', keys: [{ hash: sha('other-of-cy').toUpperCase().replace('SHA256', 'sha256') }] },
      ],
    });
    const ids = await Promise.all(
      ['key-of-ann', 'first-of-bob', 'second-of-bob', 'x', 'other-of-cy'].map((key) => ask(home, key)),
    );
    expect(ids).toEqual(['demo/ann', 'demo/bob', 'demo/bob', 'demo/cy', 'demo/cy']);
    expect(home.warnings()).toEqual([]);
  });

  test('has what its entry says and no key', async () => {
    const home = new TempWorkspaces('demo');
    const quota = { liveTasksPerCaller: 2 };
    home.write('demo', 'callers.json', [
      { name: 'ann', key: 'key-of-ann', webhookSecret: 'whsec_1' },
      { name: 'bob', key: 'key-of-bob', agents: ['other'], skills: ['sum'], quota, own: 1 },
    ]);
    const common = { scope: 'demo', workspace: 'demo' };
    const ann: Caller = { id: 'demo/ann', name: 'ann', ...common, agents: ['demo'] };
    const bob: Caller = { id: 'demo/bob', name: 'bob', ...common, agents: ['other'], skills: ['sum'], quota };
    expect(await home.callers.authenticate('key-of-ann')).toEqual(ann);
    expect(home.callers.find('demo/bob')).toEqual(bob);
  });

  test.each(['', 'key-of-an', 'key-of-ann ', sha('key-of-ann'), sha('key-of-ann').slice(7)])(
    'is not found by %j',
    async (key) => {
      const home = new TempWorkspaces('demo');
      home.write('demo', 'callers.json', short('ann', 'key-of-ann'));
      expect(await ask(home, key)).toBeUndefined();
    },
  );

  test.each(['operator', 'plugin/ann', 'demo/nobody', 'gone/ann', '../demo/ann', 'demo', ''])(
    'is not found under the id %j',
    (id) => {
      const home = new TempWorkspaces('demo');
      home.write('demo', 'callers.json', short('ann', 'key-of-ann'));
      expect(home.callers.find(id)).toBeUndefined();
    },
  );

  test('stands as its owner says; without a file that can be used nobody knows, and the operator always does', () => {
    const home = new TempWorkspaces('demo');
    const standing = (...ids: string[]): string[] => ids.map((id) => home.callers.standing(id));
    home.write('demo', 'callers.json', short('ann', 'key-of-ann'));
    expect(standing('demo/ann', 'demo/bob', 'operator')).toEqual(['known', 'gone', 'known']);
    for (const broken of ['{"callers": [', '{"callers": {}}']) {
      home.write('demo', 'callers.json', broken);
      expect(standing('demo/ann', 'demo/bob', 'operator', 'nowhere/ann')).toEqual([
        'unreadable',
        'unreadable',
        'known',
        'unreadable',
      ]);
    }
    home.write('demo', 'callers.json', []);
    expect(standing('demo/ann')).toEqual(['gone']);
  });

  test('is let in until its key expires, without any edit', async () => {
    const home = new TempWorkspaces('demo');
    const keys = [
      { key: 'by-time', expiresAt: '2026-01-01T00:01:00+00:00' },
      { key: 'by-date', expiresAt: '2026-01-02' },
    ];
    home.write('demo', 'callers.json', [{ name: 'ann', keys }]);
    expect(await ask(home, 'by-time')).toBe('demo/ann');
    home.clock.advance(59_500);
    expect(await ask(home, 'by-time')).toBe('demo/ann');
    expect(await ask(home, 'by-time')).toBeUndefined();
    expect(await ask(home, 'by-date')).toBe('demo/ann');
    home.clock.advance(24 * 3_600_000);
    expect(await ask(home, 'by-date')).toBeUndefined();
    expect(home.callers.find('demo/ann')?.id).toBe('demo/ann');
  });

  test('with the same key twice keeps it for as long as the longer-lived of the two', async () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', [
      { name: 'ann', keys: [{ key: 'key-of-ann', expiresAt: '2020-01-01' }, { hash: sha('key-of-ann') }] },
    ]);
    expect(await ask(home, 'key-of-ann')).toBe('demo/ann');
  });
});

describe('an edit', () => {
  test('counts at the very next request, new key and old, whatever the size', async () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', short('ann', 'key-100'));
    expect(await ask(home, 'key-100')).toBe('demo/ann');
    for (let at = 101; at < 200; at += 1) {
      home.write('demo', 'callers.json', short('ann', `key-${at}`));
      // The old key is asked for first: a hit in the index that its own file no longer supports.
      expect(await ask(home, `key-${at - 1}`)).toBeUndefined();
      expect(await ask(home, `key-${at}`)).toBe('demo/ann');
    }
  });

  test('that adds a key is seen by a request that comes right after a look at all files', async () => {
    const home = new TempWorkspaces('demo', 'other');
    home.write('demo', 'callers.json', short('ann', 'key-of-ann'));
    await home.callers.authenticate('unknown');
    home.clock.advance(100);
    home.write('other', 'callers.json', short('bob', 'key-of-bob'));
    let answered = false;
    const answer = home.callers.authenticate('key-of-bob').finally(() => (answered = true));
    home.clock.advance(149);
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    home.clock.advance(1);
    expect((await answer)?.id).toBe('other/bob');
  });

  test('that moves a key to another workspace moves the caller', async () => {
    const home = new TempWorkspaces('demo', 'other');
    home.write('demo', 'callers.json', short('ann', 'key-of-ann'));
    expect(await ask(home, 'key-of-ann')).toBe('demo/ann');
    home.write('demo', 'callers.json', []);
    home.write('other', 'callers.json', short('ann', 'key-of-ann'));
    expect(await ask(home, 'key-of-ann')).toBe('other/ann');
  });

  test('that changes permissions counts for a caller found by id, too', () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', [{ name: 'ann', key: 'k', agents: ['a'] }]);
    expect(home.callers.find('demo/ann')?.agents).toEqual(['a']);
    home.write('demo', 'callers.json', [{ name: 'ann', key: 'k', agents: ['b'] }]);
    expect(home.callers.find('demo/ann')?.agents).toEqual(['b']);
  });

  test('that removes a workspace shuts its callers out, and one that adds a workspace lets them in', async () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', short('ann', 'key-of-ann'));
    expect(await ask(home, 'key-of-ann')).toBe('demo/ann');
    renameSync(home.path('demo'), home.path('new'));
    expect(home.callers.find('demo/ann')).toBeUndefined();
    expect(await ask(home, 'key-of-ann')).toBe('new/ann');
    rmSync(home.path('new'), { recursive: true });
    expect(await ask(home, 'key-of-ann')).toBeUndefined();
    expect(home.callers.list()).toEqual([]);
  });
});

describe('unknown keys', () => {
  test('share one look at all files and cause at most four a second', async () => {
    const home = new TempWorkspaces('demo');
    let looks = 0;
    const names = home.workspaces.names.bind(home.workspaces);
    home.workspaces.names = () => ((looks += 1), names());
    await home.callers.authenticate('first');
    expect(looks).toBe(1);
    for (let at = 0; at < 100; at += 1) {
      const answers = [1, 2, 3].map((n) => home.callers.authenticate(`guess-${at}-${n}`));
      home.clock.advance(10);
      if ((at + 1) % 25 === 0) await Promise.all(answers);
    }
    expect(looks).toBeLessThanOrEqual(1 + 5);
    expect(looks).toBeGreaterThanOrEqual(4);
  });

  test('are answered without a wait when the last look is long ago', async () => {
    const home = new TempWorkspaces('demo');
    await home.callers.authenticate('first');
    home.clock.advance(250);
    expect(await home.callers.authenticate('second')).toBeUndefined();
    home.clock.advance(5_000);
    expect(await home.callers.authenticate('third')).toBeUndefined();
    expect(home.clock.pending).toBe(0);
  });

  test('are answered when the clock was set back', async () => {
    const home = new TempWorkspaces('demo');
    await home.callers.authenticate('first');
    home.clock.advance(-3_600_000);
    expect(await home.callers.authenticate('second')).toBeUndefined();
  });

  test('get an error, not a refusal, when the folder of workspaces cannot be read', async () => {
    const home = new TempWorkspaces('demo');
    await home.callers.authenticate('first');
    home.workspaces.names = () => {
      throw new Error('too many open files');
    };
    home.clock.advance(250);
    await expect(home.callers.authenticate('second')).rejects.toThrow('too many open files');
  });
});

describe('a key of several callers', () => {
  test('of one file is refused, with one warning that names them and not the key', async () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', [
      { name: 'bob', keys: [{ hash: sha('shared-key-1234') }] },
      { name: 'ann', key: 'shared-key-1234' },
      { name: 'cy', key: 'key-of-cy' },
    ]);
    for (const _ of [1, 2, 3]) expect(await ask(home, 'shared-key-1234')).toBeUndefined();
    expect(await ask(home, 'key-of-cy')).toBe('demo/cy');
    expect(home.warnings()).toEqual([
      'callers.json of demo: one key belongs to more than one caller (demo/ann, demo/bob) and is refused for all of them',
    ]);
    expect(home.logged.join('')).not.toContain('shared-key');
  });

  test('across workspaces is refused within a second although only known keys are used', async () => {
    const home = new TempWorkspaces('demo', 'other');
    home.write('demo', 'callers.json', short('ann', 'shared-key-1234'));
    expect(await ask(home, 'shared-key-1234')).toBe('demo/ann');
    home.write('other', 'callers.json', short('bob', 'shared-key-1234'));
    home.clock.advance(749);
    expect((await home.callers.authenticate('shared-key-1234'))?.id).toBe('demo/ann');
    home.clock.advance(1);
    expect(await home.callers.authenticate('shared-key-1234')).toBeUndefined();
    expect(home.warnings()).toHaveLength(1);
    expect(home.workspaces.problems()).toEqual([
      { workspace: 'demo', file: 'callers.json', problem: expect.stringContaining('demo/ann, other/bob') as string },
    ]);
  });

  test('is accepted again as soon as one of them has given it up', async () => {
    const home = new TempWorkspaces('demo', 'other');
    home.write('demo', 'callers.json', short('ann', 'shared-key-1234'));
    home.write('other', 'callers.json', short('bob', 'shared-key-1234'));
    expect(await ask(home, 'shared-key-1234')).toBeUndefined();
    home.write('demo', 'callers.json', '[]');
    expect((await home.callers.authenticate('shared-key-1234'))?.id).toBe('other/bob');
    expect(home.workspaces.problems()).toEqual([]);
  });

  test('is refused although one of them has let it expire', async () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', [
      { name: 'ann', keys: [{ key: 'shared-key-1234', expiresAt: '2020-01-01' }] },
      { name: 'bob', key: 'shared-key-1234' },
    ]);
    expect(await ask(home, 'shared-key-1234')).toBeUndefined();
  });

  test('in very many workspaces makes one short warning', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `w${at + 10}`);
    const home = new TempWorkspaces(...names);
    for (const name of names) home.write(name, 'callers.json', short('ann', 'shared-key-1234'));
    expect(await ask(home, 'shared-key-1234')).toBeUndefined();
    expect(home.warnings()).toEqual([expect.stringMatching(/w19\/ann and 20 more/)]);
  });
});

describe('a bad file', () => {
  test.each([
    ['no JSON', '{"callers": [{"name": "ann", "key": "key-of-ann"}'],
    ['another shape', '{"callers": {"ann": "key-of-ann"}}'],
    ['a newer version', '{"v": 2, "callers": [{"name": "ann", "key": "key-of-ann"}]}'],
    ['a text', '"key-of-ann"'],
    ['nothing at all', ''],
  ])('(%s) lets nobody in, with one warning that names the file and no key', async (_what, text) => {
    const home = new TempWorkspaces('demo', 'other');
    home.write('demo', 'callers.json', short('ann', 'key-of-ann'));
    home.write('other', 'callers.json', short('bob', 'key-of-bob'));
    expect(await ask(home, 'key-of-ann')).toBe('demo/ann');
    home.write('demo', 'callers.json', text);
    for (const _ of [1, 2, 3]) expect(await ask(home, 'key-of-ann')).toBeUndefined();
    expect(home.callers.find('demo/ann')).toBeUndefined();
    expect(await ask(home, 'key-of-bob')).toBe('other/bob');
    expect(home.warnings()).toEqual([expect.stringMatching(/^callers\.json of demo: .*nobody is let in$/)]);
    expect(home.logged.join('')).not.toContain('key-of-ann');
    home.write('demo', 'callers.json', short('ann', 'key-of-ann'));
    expect(await ask(home, 'key-of-ann')).toBe('demo/ann');
    expect(home.workspaces.problems()).toEqual([]);
  });

  test('is one when it is a folder', async () => {
    const home = new TempWorkspaces('demo');
    mkdirSync(home.path('demo', '.a2a', 'callers.json'));
    expect(await ask(home, 'key')).toBeUndefined();
    expect(home.warnings()).toEqual([expect.stringMatching(/not a regular file/)]);
  });

  test('loses its bad entries and keys only, each named by place or name', async () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', {
      callers: [
        'key-1-secret',
        { key: 'key-2-secret' },
        { name: 'key-3-SECRET', key: 'k3' },
        { name: 'operator', key: 'key-4-secret' },
        { name: 'ann', key: 'key-5-secret', note: 5 },
        { name: 'ann', key: 'key-6-secret' },
        {
          name: 'bob',
          keys: [{ key: '' }, { hash: 'md5:1' }, { key: 'key-7-secret', expiresAt: 'soon' }, { key: 'key-8-secret' }],
        },
        {
          name: 'cy',
          keys: [{ key: 'key-9-secret', expiresAt: '2026-02-30' }, { key: 'a', hash: sha('a') }, 'key-0-secret'],
        },
        { name: 'di', key: 'key-a-secret', agents: 'all' },
        { name: 'ed', key: 7 },
        null,
      ],
    });
    const good = [5, 8];
    for (const at of [1, 2, 4, 5, 6, 7, 8, 9, 0, 'a'])
      expect([at, (await ask(home, `key-${at}-secret`)) !== undefined]).toEqual([at, good.includes(at as number)]);
    expect(home.workspaces.problems().map(({ problem }) => problem)).toEqual([
      'entry 1 is skipped: it is not an object',
      'entry 2 is skipped: "name" is not valid',
      'entry 3 is skipped: its name must be 1 to 40 characters of a-z, 0-9 and -',
      'entry 4 is skipped: its name is reserved',
      'entry 6 is skipped: there is already a caller "ann"',
      'key 1 of caller "bob" is skipped: it is not valid',
      'key 2 of caller "bob" is skipped: it is not valid',
      'key 3 of caller "bob" is skipped: it is not valid',
      'key 1 of caller "cy" is skipped: it is not valid',
      'key 2 of caller "cy" is skipped: it is not valid',
      'key 3 of caller "cy" is skipped: it is not valid',
      'entry 9 is skipped: "agents" is not valid',
      'entry 10 is skipped: "key" is not valid',
      'entry 11 is skipped: it is not an object',
    ]);
    expect(home.logged.join('')).not.toMatch(/secret/i);
  });

  test('is no problem any more once its workspace is gone', async () => {
    const home = new TempWorkspaces('demo', 'other');
    home.write('demo', 'callers.json', '{');
    expect(await ask(home, 'key')).toBeUndefined();
    expect(home.problems.list()).toHaveLength(1);
    rmSync(home.path('demo'), { recursive: true });
    expect(home.problems.list()).toEqual([]);
  });

  test('of a linked folder belongs to no workspace', async () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', short('ann', 'key-of-ann'));
    symlinkSync(home.path('demo'), home.path('twin'));
    expect(await ask(home, 'key-of-ann')).toBe('demo/ann');
    expect(home.callers.find('twin/ann')).toBeUndefined();
  });
});

describe('keys', () => {
  test('are minted, work at once, and are stored as hash and hint', async () => {
    const home = new TempWorkspaces('demo');
    await home.callers.authenticate('warm up');
    const key = await home.callers.add('demo', 'ann', {
      note: 'a friend',
      agents: ['demo', 'other'],
      expiresAt: '2027-01-01',
    });
    expect(key).toMatch(/^sb_[A-Za-z0-9_-]{43}$/);
    expect((await home.callers.authenticate(key))?.agents).toEqual(['demo', 'other']);
    const file = readFileSync(home.path('demo', '.a2a', 'callers.json'), 'utf8');
    expect(JSON.parse(file)).toEqual({
      v: 1,
      callers: [
        {
          name: 'ann',
          keys: [{ hash: sha(key), hint: key.slice(-4), expiresAt: '2027-01-01' }],
          note: 'a friend',
          agents: ['demo', 'other'],
          createdAt: '2026-01-01T00:00:00.000Z',
        },
      ],
    });
    expect(home.secrets.redact(`<${key}>`)).toBe('<[redacted]>');
  });

  test('rotate without downtime', async () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', [{ name: 'ann', key: 'plain-key-1234', own: [1] }, { unknown: true }]);
    expect(await ask(home, 'plain-key-1234')).toBe('demo/ann');
    const key = await home.callers.addKey('demo', 'ann');
    expect(await ask(home, 'plain-key-1234')).toBe('demo/ann');
    expect(await ask(home, key)).toBe('demo/ann');
    expect(await home.callers.removeKeys('demo', 'ann')).toBe(1);
    expect(await ask(home, 'plain-key-1234')).toBeUndefined();
    expect(await ask(home, key)).toBe('demo/ann');
    expect(JSON.parse(readFileSync(home.path('demo', '.a2a', 'callers.json'), 'utf8'))).toEqual({
      v: 1,
      callers: [{ name: 'ann', own: [1], keys: [{ hash: sha(key), hint: key.slice(-4) }] }, { unknown: true }],
    });
  });

  test('may end at a time that rotation sets, but never later than before, and no unusable one comes to life', async () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', [
      {
        name: 'ann',
        key: 'ends-with-the-rotation',
        keys: [
          { key: 'ends-before-it', expiresAt: '2026-01-02' },
          { key: 'unusable-one', expiresAt: 'whenever' },
        ],
      },
    ]);
    const key = await home.callers.addKey('demo', 'ann', { oldKeysExpireAt: '2026-01-03T00:00:00Z' });
    const good = async (): Promise<boolean[]> => {
      const asked = ['ends-with-the-rotation', 'ends-before-it', 'unusable-one', key].map((old) => ask(home, old));
      return (await Promise.all(asked)).map((id) => id === 'demo/ann');
    };
    home.clock.advance(1_000);
    expect(await good()).toEqual([true, true, false, true]);
    home.clock.advance(86_400_000);
    expect(await good()).toEqual([true, false, false, true]);
    home.clock.advance(86_400_000);
    expect(await good()).toEqual([false, false, false, true]);
    await expect(home.callers.addKey('demo', 'ann', { oldKeysExpireAt: 'soon' })).rejects.toMatchObject({
      code: 'invalid-params',
    });
  });

  test('tell whose they are by their hash, as long as they are good', async () => {
    const home = new TempWorkspaces('demo', 'other');
    home.write('demo', 'callers.json', [{ name: 'ann', keys: [{ key: 'k-of-ann', expiresAt: '2026-01-02' }] }]);
    await ask(home, 'k-of-ann');
    expect(home.callers.ownerOf(sha256('x'))).toBeUndefined();
    expect(home.callers.ownerOf(sha256('k-of-ann'))).toBe('demo/ann');
    home.clock.advance(86_400_000);
    expect(home.callers.ownerOf(sha256('k-of-ann'))).toBeUndefined();
  });

  test('are removed by hint', async () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', [
      { name: 'ann', keys: [{ key: 'long-enough-aaaa' }, { hash: sha('other'), hint: 'bbbb' }, { key: 'short' }] },
    ]);
    expect(await home.callers.removeKeys('demo', 'ann', 'zzzz')).toBe(0);
    expect(await home.callers.removeKeys('demo', 'ann', 'aaaa')).toBe(1);
    expect(await home.callers.removeKeys('demo', 'ann', 'bbbb')).toBe(1);
    expect(await ask(home, 'long-enough-aaaa')).toBeUndefined();
    expect(await ask(home, 'short')).toBe('demo/ann');
  });

  test('are listed as hints that give no short key away', () => {
    const home = new TempWorkspaces('demo', 'other');
    home.write('demo', 'callers.json', [
      {
        name: 'ann',
        keys: [
          { key: 'long-enough-aaaa', hint: 'long-enough-aaaa', expiresAt: '2027-01-01' },
          { key: 'abcd' },
          { hash: sha('x'), hint: 'whole-key-cccc' },
          { hash: sha('y') },
        ],
        note: 'n',
        agents: ['other'],
        skills: ['s'],
        createdAt: '2025-01-01',
      },
    ]);
    home.write('other', 'callers.json', [{ name: 'bob' }]);
    const ann = {
      id: 'demo/ann',
      workspace: 'demo',
      name: 'ann',
      keys: [
        { hint: 'aaaa', expiresAt: '2027-01-01T00:00:00.000Z' },
        { hint: '****' },
        { hint: 'cccc' },
        { hint: '****' },
      ],
      note: 'n',
      agents: ['other'],
      skills: ['s'],
      createdAt: '2025-01-01',
    };
    const bob = { id: 'other/bob', workspace: 'other', name: 'bob', keys: [] };
    const listed = home.callers.list();
    const ids = listed.flatMap(({ keys }) => keys.map(({ id }) => id));
    expect([new Set(ids).size, ids.every((id) => /^[0-9a-f]{16}$/.test(id))]).toEqual([4, true]);
    expect(listed.map((caller) => ({ ...caller, keys: caller.keys.map(({ id: _id, ...key }) => key) }))).toEqual([
      ann,
      bob,
    ]);
    expect(home.callers.list('other')).toEqual([bob]);
    expect(home.callers.list('gone')).toEqual([]);
  });

  test('that stand openly in a file are redacted from logs', async () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', [{ name: 'ann', key: 'plain-key-1234', webhookSecret: 'whsec_secret' }]);
    await ask(home, 'plain-key-1234');
    home.log.info('plain-key-1234 and whsec_secret');
    expect(home.logged.join('')).not.toMatch(/plain-key|whsec_secret/);
  });
});

describe('a change', () => {
  test('of a caller that is gone takes all its entries and keys along', async () => {
    const home = new TempWorkspaces('demo');
    home.write('demo', 'callers.json', [
      { name: 'ann', key: 'key-1' },
      { name: 'bob', key: 'key-2' },
      { name: 'ann', key: 'key-3' },
    ]);
    await home.callers.remove('demo', 'ann');
    expect(await ask(home, 'key-1')).toBeUndefined();
    expect(await ask(home, 'key-3')).toBeUndefined();
    expect(await ask(home, 'key-2')).toBe('demo/bob');
    await expect(home.callers.remove('demo', 'ann')).rejects.toMatchObject({ code: 'not-found' });
  });

  test.each([
    ['a bad name', 'Ann', {}, 'invalid-params'],
    ['a reserved name', 'operator', {}, 'invalid-params'],
    ['a taken name', 'bob', {}, 'invalid-params'],
    ['a bad expiry', 'ann', { expiresAt: 'soon' }, 'invalid-params'],
  ])('with %s is refused', async (_what, name, options, code) => {
    const home = new TempWorkspaces('demo');
    const before = JSON.stringify([{ name: 'bob', key: 'k', agents: 'bad entry' }]);
    home.write('demo', 'callers.json', before);
    await expect(home.callers.add('demo', name, options)).rejects.toMatchObject({ code });
    expect(readFileSync(home.path('demo', '.a2a', 'callers.json'), 'utf8')).toBe(before);
  });

  test.each(['gone', '../demo', 'Demo'])('of a workspace %j that does not exist is refused', async (workspace) => {
    const home = new TempWorkspaces('demo');
    await expect(home.callers.add(workspace, 'ann')).rejects.toMatchObject({ code: 'not-found' });
    await expect(home.callers.addKey(workspace, 'ann')).rejects.toMatchObject({ code: 'not-found' });
    await expect(home.callers.removeKeys(workspace, 'ann')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('of a caller that does not exist is refused', async () => {
    const home = new TempWorkspaces('demo');
    await expect(home.callers.addKey('demo', 'ann')).rejects.toMatchObject({ code: 'not-found' });
    await expect(home.callers.removeKeys('demo', 'ann')).rejects.toMatchObject({ code: 'not-found' });
  });

  test.each(['{', '{"callers":{}}', '{"v":9}'])(
    'of a file that reads %j is refused, and the file stays',
    async (text) => {
      const home = new TempWorkspaces('demo');
      home.write('demo', 'callers.json', text);
      await expect(home.callers.add('demo', 'ann')).rejects.toMatchObject({ code: 'config' });
      expect(readFileSync(home.path('demo', '.a2a', 'callers.json'), 'utf8')).toBe(text);
    },
  );

  test('loses none of the changes made at the same time', async () => {
    const home = new TempWorkspaces('demo');
    const names = Array.from({ length: 20 }, (_, at) => `c${at}`);
    const keys = await Promise.all(names.map((name) => home.callers.add('demo', name)));
    expect(home.callers.list('demo').map(({ name }) => name)).toEqual(names);
    const found = await Promise.all(keys.map((key) => ask(home, key)));
    expect(found).toEqual(names.map((name) => `demo/${name}`));
  });
});
