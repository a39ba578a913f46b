// No registered secret and no member with a secret's name is in a log line, whoever made the logger.
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { AppError } from '../src/errors.js';
import { createLogger, Secrets, type Logger } from '../src/log.js';
import { redactingLogger } from '../src/redacting-logger.js';

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
});
