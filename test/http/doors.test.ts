import { describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import { createDoors } from '../../src/http/create-doors.js';
import { DEFAULTS, type Config } from '../../src/config.js';
import type { Doors } from '../../src/http/door.js';
import { Gate } from '../../src/http/gate.js';
import { Metrics } from '../../src/http/metrics.js';
import { createErrorWriters } from '../../src/http/error-writers.js';
import { createLogger, silentLogger, type Logger } from '../../src/log.js';
import { Secrets } from '../../src/secrets/secrets.js';
import type { Caller } from '../../src/workspace/callers.js';
import { FakeClock } from '../support/fake-clock.js';
import { serve, type Answer } from './serve.js';

const log = silentLogger();
const { rest } = createErrorWriters(log);
const ann: Caller = { id: 'alpha/ann', scope: 'alpha', name: 'ann', workspace: 'alpha', agents: ['alpha'] };

interface Built {
  clock?: FakeClock;
  warn?: Logger;
  settings?: Partial<Config>;
  gate?: Gate;
  authenticate?: (key: string) => Promise<Caller | undefined>;
}

const keepsUp = { lateMs: () => 0 };

function buildDoors({
  clock = new FakeClock(),
  warn = log,
  settings = {},
  gate = new Gate({ lag: keepsUp, overloadMs: 200 }),
  authenticate = (key) => Promise.resolve(key === 'good' ? ann : undefined),
}: Built): Doors {
  return createDoors({
    config: { ...DEFAULTS, rate: { perMinute: 60, burst: 2 }, maxBodyBytes: 100, ...settings },
    callers: { authenticate },
    log: warn,
    clock,
    operatorKey: 'boss',
    gate,
    metrics: new Metrics(),
    used: () => undefined,
  });
}

function build(built: Built = {}): Express {
  const doors = buildDoors(built);
  const app = express();
  app.set('trust proxy', built.settings?.trustedProxies ?? []);
  app.use('/caller', doors.caller(rest), (req, res) => void res.json({ id: req.caller?.id }));
  app.use('/operator', doors.operator(rest), (_req, res) => void res.json({ ok: true }));
  app.use('/json', doors.json(rest), express.json(), (req, res) => void res.json({ body: req.body ?? 'none' }));
  return app;
}

describe('the caller door', () => {
  it.each([
    ['X-API-Key', { 'X-API-Key': 'good' }, 200],
    ['a bearer token', { Authorization: 'bearer good' }, 200],
    ['both, if they agree', { 'X-API-Key': 'good', Authorization: 'Bearer good' }, 200],
    ['two different keys', { 'X-API-Key': 'good', Authorization: 'Bearer other' }, 401],
    ['an unknown key', { 'X-API-Key': 'bad' }, 401],
    ['another scheme', { Authorization: 'Basic good' }, 401],
    ['no key', {}, 401],
  ])('answers %s', async (_name, headers, status) => {
    const response = await (await serve(build()))('/caller', { headers: headers as Record<string, string> });
    expect(response.status).toBe(status);
    if (status === 401) expect(response.headers.get('www-authenticate')).toContain('Bearer');
  });

  it('lets one caller in while another waits with a hundred requests that came before', async () => {
    const ben: Caller = { ...ann, id: 'alpha/ben', name: 'ben' };
    const doors = buildDoors({
      settings: { rate: { perMinute: 60, burst: 200 } },
      authenticate: (key) => Promise.resolve(key === 'good' ? ann : ben),
    });
    const came: string[] = [];
    const knock = async (key: string): Promise<void> => {
      const { caller } = await doors.admit({ headers: { 'x-api-key': key }, address: '::1' });
      came.push(caller.name);
    };
    await Promise.all([...Array.from({ length: 100 }, () => knock('good')), knock('other')]);
    expect(came).toHaveLength(101);
    expect(came.indexOf('ben')).toBeLessThan(50);
  });

  it('refuses the request after the burst until a token is back', async () => {
    const clock = new FakeClock();
    const ask = await serve(build({ clock }));
    const call = (): Promise<Answer> => ask('/caller', { headers: { 'X-API-Key': 'good' } });
    expect([(await call()).status, (await call()).status]).toEqual([200, 200]);
    const refused = await call();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    clock.advance(1000);
    expect((await call()).status).toBe(200);
  });
});

describe('guesses that come all at once', () => {
  it('are looked at no more often than those that come in turn, and a right one among them is told from none', async () => {
    const lookups: (() => void)[] = [];
    const authenticate = (key: string): Promise<Caller | undefined> =>
      new Promise((resolve) => lookups.push(() => resolve(key === 'good' ? ann : undefined)));
    const ask = await serve(build({ authenticate }));
    const keys = [...Array.from({ length: 40 }, (_, n) => `wrong-${n}`), 'good'];
    const answers = keys.map((key) => ask('/caller', { headers: { 'X-API-Key': key } }));
    while (lookups.length < keys.length) await new Promise((resolve) => setImmediate(resolve));
    for (const lookup of lookups) lookup();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect([401, 429, 200].map((status) => statuses.filter((one) => one === status).length)).toEqual([20, 21, 0]);
  });
});

describe('the warning about a request rate', () => {
  it('comes once per caller and minute, however many requests are refused', async () => {
    const clock = new FakeClock();
    const callers: unknown[] = [];
    const write = (line: string): void => void callers.push((JSON.parse(line) as { caller?: unknown }).caller);
    const ask = await serve(build({ clock, warn: createLogger('warn', new Secrets(), { write }) }));
    const storm = async (path: string, key: string): Promise<void> => {
      for (let i = 0; i < 6; i++) await ask(path, { headers: { 'X-API-Key': key } });
    };
    await storm('/caller', 'good');
    await storm('/operator', 'boss');
    expect(callers).toEqual(['alpha/ann', 'operator']);
    clock.advance(60_000);
    await storm('/caller', 'good');
    expect(callers).toEqual(['alpha/ann', 'operator', 'alpha/ann']);
  });
});

describe('the operator door', () => {
  it.each([
    ['boss', 200],
    ['bos', 401],
    ['good', 401],
  ])('answers the key %s', async (key, status) => {
    const answer = await (await serve(build()))('/operator', { headers: { 'X-API-Key': key } });
    expect(answer.status).toBe(status);
  });
});

describe('the JSON door', () => {
  const post = async (body: string | ReadableStream, headers: object = {}): Promise<Answer> =>
    (await serve(build()))('/json', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
      duplex: 'half',
    } as RequestInit);

  it('hands on what it read, also to parsers behind it', async () => {
    expect((await post('{"a":1}')).body).toEqual({ body: { a: 1 } });
  });

  it.each([
    ['a body over the limit', `{"a":"${'x'.repeat(200)}"}`, {}, 413],
    ['another type', 'a=1', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
    ['another charset', '{}', { 'Content-Type': 'application/json; charset=utf-16' }, 415],
    ['a compressed body', '{}', { 'Content-Encoding': 'gzip' }, 415],
    ['broken JSON', '{', {}, 400],
    ['a repeated key', '{"a":1,"a":2}', {}, 400],
  ])('refuses %s', async (_name, body, headers, status) => {
    const response = await post(body, headers);
    expect(response.status).toBe(status);
    expect(response.body.error.code).toBe(status);
  });

  it('counts the bytes of a body that does not announce its length', async () => {
    const chunks = [`{"a":"${'x'.repeat(80)}`, `${'x'.repeat(80)}"}`].map((text) => Buffer.from(text));
    const chunked = post(ReadableStream.from(chunks));
    expect((await chunked).status).toBe(413);
  });
});
