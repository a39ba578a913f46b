// No registered secret and no member with a secret's name is in a log line, whoever made the logger.
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { AppError } from '../src/errors.js';
import { createLogger, type Logger } from '../src/log.js';
import { Secrets } from '../src/secrets/secrets.js';
import { redactingLogger } from '../src/redacting-logger.js';
import { seededRandom } from './support/random.js';

const PLAIN = 'plain-secret-value';
const QUOTED = 'with "quotes" \\ and\ttab';

/** The logger of the switchboard, and one that a host program brought. */
const MAKERS: [string, (secrets: Secrets, lines: string[]) => Logger][] = [
  ['its own', (secrets, lines) => createLogger('info', secrets, { write: (line) => void lines.push(line) })],
  [
    "a host program's",
    (secrets, lines) =>
      redactingLogger(pino({ level: 'info', base: null }, { write: (line) => void lines.push(line) }), secrets),
  ],
];

describe.each(MAKERS)('%s logger', (_whose, make) => {
  const setUp = (): { secrets: Secrets; lines: string[]; log: Logger } => {
    const secrets = new Secrets();
    for (const secret of [PLAIN, QUOTED]) secrets.add(secret);
    const lines: string[] = [];
    return { secrets, lines, log: make(secrets, lines) };
  };
  const expectClean = (lines: string[]): void => {
    const text = lines.join('');
    for (const secret of [PLAIN, QUOTED]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
    }
    expect(text).toContain('[redacted]');
  };

  it.each([
    ['a message', (log: Logger, secret: string) => log.info(`it was ${secret}`)],
    ['a value of a message', (log: Logger, secret: string) => log.info({}, 'it was %s', secret)],
    ['a member deep inside', (log: Logger, secret: string) => log.info({ a: { b: [{ c: secret }] } }, 'said')],
    ['an error', (log: Logger, secret: string) => log.info({ err: new Error(`no ${secret}`) }, 'said')],
    ['a bare error', (log: Logger, secret: string) => log.error(new Error(`no ${secret}`))],
    [
      "an error's cause",
      (log: Logger, secret: string) =>
        log.info({ err: new AppError('internal', 'no', {}, { cause: new Error(secret) }) }, 'said'),
    ],
    ['the bindings of a child', (log: Logger, secret: string) => log.child({ about: secret }).info('said')],
    ['what a child says', (log: Logger, secret: string) => log.child({ x: 1 }).info({ y: secret }, 'said')],
  ])('hides a secret in %s', (_where, say) => {
    const { lines, log } = setUp();
    for (const secret of [PLAIN, QUOTED]) say(log, secret);
    expect(lines).toHaveLength(2);
    expectClean(lines);
  });

  it('hides members that are named as secrets are', () => {
    const { lines, log } = setUp();
    log.info({ apiKey: 'abc', caller: { token: 'def', name: 'bob' } }, 'said');
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      apiKey: '[redacted]',
      caller: { token: '[redacted]', name: 'bob' },
    });
  });

  it('hides a secret that is registered after the logger and its child were made', () => {
    const { secrets, lines, log } = setUp();
    const child = log.child({ plugin: 'x' });
    secrets.add('late-secret');
    child.info('late-secret');
    expect(lines[0]).not.toContain('late-secret');
  });
});

describe("a host program's logger", () => {
  it('keeps its level, and is shown errors as errors and objects with cycles', () => {
    const lines: string[] = [];
    const log = redactingLogger(pino({ level: 'warn' }, { write: (line) => void lines.push(line) }), new Secrets());
    log.info('not shown');
    const cyclic: Record<string, unknown> = { name: 'ring' };
    cyclic['self'] = cyclic;
    log.warn({ cyclic, err: new TypeError('bad') }, 'shown');
    expect(log.level).toBe('warn');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      err: { type: 'TypeError', message: 'bad', stack: expect.stringContaining('log.test') },
      cyclic: { name: 'ring' },
      msg: 'shown',
    });
  });
});

describe('what code in a context of its own logs', () => {
  it('is cleaned like everything else', () => {
    const lines: string[] = [];
    const secrets = new Secrets();
    secrets.add('of-another-realm');
    const log = redactingLogger(pino({ level: 'info' }, { write: (line) => void lines.push(line) }), secrets);
    const foreign = (code: string): object => runInNewContext(code) as object;
    log.info(foreign(`({ deep: { er: ['of-another-realm'] } })`));
    log.info({ err: foreign(`new Error('of-another-realm')`) });
    expect(lines.join('')).toContain('[redacted]');
    expect(lines.join('')).not.toContain('of-another-realm');
  });
});

describe('secrets', () => {
  it('that begin like another one do not uncover its rest', () => {
    const secrets = new Secrets();
    secrets.add('secret');
    secrets.add('secret-and-more');
    expect(secrets.redact('secret-and-more secret')).toBe('[redacted] [redacted]');
  });

  it('of fewer than 6 characters are not registered', () => {
    const secrets = new Secrets();
    secrets.add('abc');
    expect(secrets.redact('abc')).toBe('abc');
  });

  const KEY = 'a-Key+with/odd "signs" und Ümlaut';
  const b64 = (text: string, encoding: BufferEncoding = 'base64'): string => Buffer.from(text).toString(encoding);

  it.each([
    ['as it is', KEY],
    ['in JSON', JSON.stringify({ a: KEY })],
    ['in JSON within JSON', JSON.stringify({ body: JSON.stringify({ a: [KEY] }) })],
    ['in a URL', `https://a.example/?key=${encodeURIComponent(KEY)}&x=1`],
    ['in a URL, in lower case', encodeURIComponent(KEY).replaceAll(/%../g, (code) => code.toLowerCase())],
    ['in a form', String(new URLSearchParams({ key: KEY.replaceAll('!', '') }))],
    ['in hexadecimal', b64(KEY, 'hex')],
    ['in base64', b64(KEY)],
    ['in base64url', b64(KEY, 'base64url')],
    ['in Basic', `Authorization: Basic ${b64(`u:${KEY}`)}`],
    ['in Basic of a longer user', `Authorization: Basic ${b64(`me:${KEY}`)}`],
    ['in Basic of a still longer user', `Authorization: Basic ${b64(`you:${KEY}`)}, more`],
    ['in the middle of what was encoded', b64(`{"user":"x","key":"${KEY}","more":true}`)],
  ])('are found %s', (_how, text) => {
    const secrets = new Secrets();
    secrets.add(KEY);
    const clean = secrets.redact(text);
    expect(clean).toContain('[redacted]');
    expect(clean).not.toContain('odd');
    for (const token of clean.match(/[A-Za-z0-9+/_-]{12,}/g) ?? []) {
      expect(Buffer.from(token, 'base64').toString()).not.toContain('odd');
      expect(Buffer.from(token, 'hex').toString()).not.toContain('odd');
    }
  });

  it('leave what stands around them', () => {
    const secrets = new Secrets();
    secrets.add('topsecret');
    expect(secrets.redact('a topsecret, b topsecrettopsecret c topsecre')).toBe(
      'a [redacted], b [redacted][redacted] c topsecre',
    );
  });

  it('that callers bring are forgotten in the end, the longest unused first', () => {
    const secrets = new Secrets();
    const token = (n: number): string => `token-of-a-caller-${String(n).padStart(8, '0')}`;
    for (let n = 0; n < 25_000; n++) {
      secrets.addPassing(token(n));
      if (n % 100 === 0) secrets.addPassing(token(0));
    }
    expect(secrets.redact(token(24_999))).toBe('[redacted]');
    expect(secrets.redact(token(0))).toBe('[redacted]');
    expect(secrets.redact(token(1))).toBe(token(1));
  });

  it('that callers bring do not take words out of the log', () => {
    const secrets = new Secrets();
    for (const word of ['turn ended', 'completed', '{"level":30,"time":"2026']) secrets.addPassing(word);
    expect(secrets.redact('turn ended completed {"level":30,"time":"2026')).not.toContain('[redacted]');
  });

  it('are found the same way as by comparing each, in random texts', () => {
    const random = seededRandom(7);
    const alphabet = 'ab"%/';
    const word = (length: number): string =>
      Array.from({ length }, () => alphabet.charAt(random.between(0, alphabet.length - 1))).join('');
    for (let round = 0; round < 300; round++) {
      const secrets = new Secrets();
      const values = Array.from({ length: 4 }, () => word(random.between(6, 9)));
      for (const value of values) secrets.add(value);
      const clean = secrets.redact(word(60) + values[0] + word(20));
      for (const value of values) expect(clean).not.toContain(value);
    }
  });
});

describe('a long text of foreign code', () => {
  it('is cut in a line after the secrets are out of it', () => {
    const secrets = new Secrets();
    secrets.add(PLAIN);
    const lines: string[] = [];
    const log = createLogger('info', secrets, { write: (line) => void lines.push(line) });
    log.error({ reason: `${'x'.repeat(3_995)}${PLAIN}${'y'.repeat(1_000_000)}`, n: 7 }, 'said');
    expect(lines[0]?.length).toBeLessThan(5_000);
    expect(lines[0]).not.toContain(PLAIN.slice(0, 4));
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ n: 7, msg: 'said' });
  });
});
