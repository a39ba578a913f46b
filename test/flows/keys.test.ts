// Keys through their whole life on a running server: used, rotated, revoked, guessed at; and the secrets for webhooks.
import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallersAnswer, MintedKey, MintedWebhookSecret } from '../../src/caller-wire.js';
import { type as typed } from '../support/fake-terminal.js';
import { OperatorServer } from '../support/operator-server.js';
import { OPERATOR_KEY } from '../support/test-home.js';
import { systemClock } from '../../src/clock.js';

const LIST = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
const A2A = { 'A2A-Version': '1.0' };

const statusOf = async (server: OperatorServer, key: string): Promise<number> =>
  (await server.call('POST', '/a2a', LIST, { 'X-API-Key': key, ...A2A })).status;

const callerOf = async (server: OperatorServer, name: string) =>
  (await server.get<CallersAnswer>('/callers')).body.callers.find((caller) => caller.name === name);

/** Opens a stream of a task that asks something and then waits. */
async function openStream(server: OperatorServer, key: string): Promise<Response> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'ask why?' }] };
  return fetch(`${server.url}/a2a/message:stream`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...A2A },
    body: JSON.stringify({ message }),
  });
}

describe('a revoked key', () => {
  it('is refused from the next request on, and its streams end while those of another key go on', async () => {
    const server = await OperatorServer.start();
    const { key } = (await server.post<MintedKey>('/callers/demo/ann/keys', {})).body;
    const old = server.home.keys['ann'] as string;
    const [ends, stays] = await Promise.all([openStream(server, old), openStream(server, key)]);
    expect([ends.status, stays.status, server.switchboard.core.streams.open]).toEqual([200, 200, 2]);
    await server.call('DELETE', '/api/a2a/callers/demo/ann/keys');
    expect([await statusOf(server, old), await statusOf(server, key)]).toEqual([401, 200]);
    // To its end, without an error.
    expect(await ends.text()).toContain('INPUT_REQUIRED');
    expect(server.switchboard.core.streams.open).toBe(1);
    await stays.body?.cancel();
  });

  it('ends its streams too when its owner edits the file, or the whole caller goes', async () => {
    const server = await OperatorServer.start({ callers: ['ann', 'bob'] });
    const [ann, bob] = await Promise.all(
      ['ann', 'bob'].map((name) => openStream(server, server.home.keys[name] as string)),
    );
    await server.call('DELETE', '/api/a2a/callers/demo/bob');
    await bob?.text();
    writeFileSync(join(server.home.path, 'workspaces/demo/.a2a/callers.json'), '{"v":1,"callers":[]}');
    await ann?.text();
    expect(server.switchboard.core.streams.open).toBe(0);
  });
});

describe('rotation', () => {
  it('lets the old keys end at a time of one’s choice, in the same step', async () => {
    const server = await OperatorServer.start();
    const past = await server.post<MintedKey>('/callers/demo/ann/keys', { oldKeysExpireAt: '2020-01-01T00:00:00Z' });
    const old = server.home.keys['ann'] as string;
    expect([await statusOf(server, old), await statusOf(server, past.body.key)]).toEqual([401, 200]);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const next = await server.post<MintedKey>('/callers/demo/ann/keys', { oldKeysExpireAt: later });
    expect([await statusOf(server, past.body.key), await statusOf(server, next.body.key)]).toEqual([200, 200]);
    const ends = (await callerOf(server, 'ann'))?.keys.map(({ expiresAt }) => expiresAt);
    // What ended earlier by itself is not given more time.
    expect(ends).toEqual(['2020-01-01T00:00:00.000Z', later, undefined]);
  });

  it('works from a terminal, with a duration', async () => {
    const server = await OperatorServer.start();
    const type = (...argv: string[]) => typed(server.home.path, argv);
    const rotated = await type('callers', 'rotate', 'demo/ann', '--overlap', '12h');
    expect(rotated).toMatchObject({ code: 0 });
    expect(rotated.err).toMatch(/^The old keys work until 20/);
    expect(await statusOf(server, rotated.out.split('\n').at(-1) as string)).toBe(200);
    expect((await type('callers', 'rotate', 'demo/ann', '--overlap', 'soon')).code).toBe(2);
  });

  it('removes one key by its id, also where hints are equal', async () => {
    const server = await OperatorServer.start();
    await server.post('/callers/demo/ann/keys', {});
    const keys = (await callerOf(server, 'ann'))?.keys ?? [];
    const { status } = await server.call('DELETE', `/api/a2a/callers/demo/ann/keys?id=${keys[0]?.id}`);
    expect([status, (await callerOf(server, 'ann'))?.keys.map(({ id }) => id)]).toEqual([200, [keys[1]?.id]]);
    expect((await server.call('DELETE', '/api/a2a/callers/demo/ann/keys?id=0000000000000000')).status).toBe(404);
  });
});

describe('the use of keys', () => {
  it('is shown per key, and survives a restart', async () => {
    const before = await OperatorServer.start();
    const key = before.home.keys['ann'] as string;
    expect((await callerOf(before, 'ann'))?.keys[0]).not.toHaveProperty('lastUsedAt');
    await statusOf(before, key);
    await statusOf(before, key);
    const used = (await callerOf(before, 'ann'))?.keys[0];
    expect(used).toMatchObject({ requests: 2, lastUsedAt: expect.stringMatching(/^20.*Z$/) });
    const after = await before.restart();
    expect((await callerOf(after, 'ann'))?.keys[0]).toEqual(used);
    expect((await typed(after.home.path, ['callers', 'list', 'demo'])).out).toContain(`used ${used?.lastUsedAt}`);
  });
});

describe('a webhook secret', () => {
  const fileOf = ({ home }: OperatorServer): { callers: { webhookSecret?: string }[] } =>
    JSON.parse(readFileSync(join(home.path, 'workspaces/demo/.a2a/callers.json'), 'utf8'));

  it('is made, shown once, replaced and taken away', async () => {
    const server = await OperatorServer.start();
    const path = '/callers/demo/ann/webhook-secret';
    const first = await server.post<MintedWebhookSecret>(path, {});
    expect(first).toMatchObject({ status: 201, body: { id: 'demo/ann' } });
    expect(first.body.webhookSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(fileOf(server).callers[0]?.webhookSecret).toBe(first.body.webhookSecret);
    const listed = await callerOf(server, 'ann');
    expect([listed?.signsWebhooks, JSON.stringify(listed).includes('whsec_')]).toEqual([true, false]);
    const second = await server.post<MintedWebhookSecret>(path, {});
    expect(second.body.webhookSecret).not.toBe(first.body.webhookSecret);
    const gone = await server.call('DELETE', `/api/a2a${path}`);
    expect([gone.status, fileOf(server).callers[0]?.webhookSecret]).toEqual([200, undefined]);
    expect((await server.call('DELETE', `/api/a2a${path}`)).status).toBe(404);
    expect((await server.post('/callers/demo/nobody/webhook-secret', {})).status).toBe(404);
  });

  it('is made and taken away from a terminal, with and without a server', async () => {
    const server = await OperatorServer.start();
    const type = (...argv: string[]) => typed(server.home.path, argv);
    for (const running of [true, false]) {
      if (!running) await server.switchboard.stop();
      const made = await type('callers', 'webhook-secret', 'demo/ann');
      expect([made.code, made.out.split('\n').at(-1)]).toEqual([0, fileOf(server).callers[0]?.webhookSecret]);
      expect((await type('callers', 'webhook-secret', 'demo/ann', '--remove')).code).toBe(0);
      expect(fileOf(server).callers[0]?.webhookSecret).toBeUndefined();
      expect((await type('callers', 'webhook-secret', 'demo/ann', '--remove')).code).toBe(6);
    }
  });
});

describe('guessing', () => {
  it('locks an address after twenty wrong keys, for either surface, but not those who work from there', async () => {
    // No second of the lock is over before the last question, however slow the machine.
    const clock = { now: () => Date.UTC(2030, 0), after: systemClock.after };
    const options = { callers: ['ann', 'bob'], settings: { lockout: { failures: 20 } } };
    const server = await OperatorServer.start(options, undefined, clock);
    const [ann, bob] = [server.home.keys['ann'] as string, server.home.keys['bob'] as string];
    expect(await statusOf(server, ann)).toBe(200);
    const guesses = await Promise.all(Array.from({ length: 20 }, (_, i) => statusOf(server, `guess-${i}`)));
    expect(new Set(guesses)).toEqual(new Set([401]));
    // Bob is right and new there: a guesser must not learn that from the answer.
    expect([await statusOf(server, ann), await statusOf(server, bob), await statusOf(server, 'guess')]).toEqual([
      200, 429, 429,
    ]);
    const operator = await server.call('GET', '/api/a2a/tasks', undefined, { 'X-API-Key': OPERATOR_KEY });
    expect([operator.status, Number(operator.headers.get('retry-after'))]).toEqual([429, 60]);
    // Who brings no key guesses none.
    expect((await server.call('POST', '/a2a', LIST, A2A)).status).toBe(401);
  });

  it('counts by the address that a trusted proxy tells, and by nobody else’s word', async () => {
    const from = (server: OperatorServer, address: string, key: string): Promise<number> =>
      server
        .call('POST', '/a2a', LIST, { 'X-API-Key': key, 'X-Forwarded-For': address, ...A2A })
        .then(({ status }) => status);
    const settings = { lockout: { failures: 3 } };
    const behind = await OperatorServer.start({ settings: { ...settings, trustedProxies: ['loopback'] } });
    const key = behind.home.keys['ann'] as string;
    for (let i = 0; i < 3; i++) await from(behind, '198.51.100.1', `guess-${i}`);
    expect([await from(behind, '198.51.100.1', key), await from(behind, '198.51.100.2', key)]).toEqual([429, 200]);
    const direct = await OperatorServer.start({ settings });
    for (let i = 0; i < 3; i++) await from(direct, `198.51.100.${i}`, `guess-${i}`);
    expect(await from(direct, '198.51.100.9', key)).toBe(429);
  });
});
