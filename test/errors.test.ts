// Whatever was thrown can be told of: no text of it throws, and none is longer than anybody reads.
import { describe, expect, it } from '@jest/globals';
import { AppError, clipped, errorText, readable, toAppError } from '../src/errors.js';
import { loggedError } from '../src/logged-error.js';

const throwing = (member: string): Error =>
  Object.defineProperty(new Error('x'), member, {
    get: () => {
      throw new Error('hostile');
    },
  });
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const plain = (text: string): string => text;
const trap = (): never => {
  throw new Error('trap');
};

const HOSTILE: [string, () => unknown][] = [
  ['an object without prototype', () => Object.create(null) as unknown],
  ['an error whose message throws', () => throwing('message')],
  ['an error whose stack throws', () => throwing('stack')],
  ['an error whose message is an object', () => Object.assign(new Error('x'), { message: { a: 1 } })],
  ['a revoked proxy', revoked],
  ['a proxy with traps', () => new Proxy(new Error('x'), { get: trap, getPrototypeOf: trap, ownKeys: trap })],
];

describe('something thrown that can not be read', () => {
  it.each(HOSTILE)('is told of as that: %s', (_what, make) => {
    expect(errorText(make())).toBe('it threw a value that can not be read');
    expect(readable(make())).toMatchObject({ message: 'it threw a value that can not be read', stack: undefined });
    expect(toAppError(make())).toMatchObject({ code: 'internal' });
    expect(JSON.stringify(loggedError(make(), plain))).toContain('can not be read');
  });
});

describe('something thrown that can be read', () => {
  it.each([null, undefined, 'text', 7, Symbol('s'), { a: 1 }, new Error('x'), new AppError('busy', 'x')])(
    'stays what it is: %p',
    (thrown) => {
      expect(readable(thrown)).toBe(thrown);
      expect(errorText(thrown)).toBe(thrown instanceof Error ? thrown.message : String(thrown));
    },
  );

  it('is cut in the log where it is too long, and no half of a secret is left', () => {
    const error = Object.assign(new Error('x'.repeat(1_000_000)), { more: 'y'.repeat(1_000_000), code: 'E1' });
    expect(JSON.stringify(loggedError(error, plain)).length).toBeLessThan(15_000);
    expect(loggedError(error, plain)).toMatchObject({ type: 'Error', code: 'E1' });
    expect(clipped('short')).toBe('short');
    const secret = new Error(`${'x'.repeat(3_995)}a-secret`);
    const redacted = (text: string): string => text.replaceAll('a-secret', '[redacted]');
    expect(JSON.stringify(loggedError(secret, redacted))).not.toContain('a-sec');
  });

  it('is cut between two words, so that no part of a secret is left', () => {
    expect(clipped('the key is sb_0123456789 there', 20)).toBe('the key is … (cut from 30 characters)');
    expect(clipped('the key is sb_0123456789 there', 24)).toBe('the key is sb_0123456789… (cut from 30 characters)');
    expect(clipped('the key is sb_0123456789 there', 11)).toBe('the key is … (cut from 30 characters)');
    expect(clipped('x'.repeat(9_000))).toBe(`${'x'.repeat(3_000)}… (cut from 9000 characters)`);
  });

  it.each([
    ['frozen', () => Object.freeze(new Error('cold'))],
    ['its own cause', () => Object.assign(new Error('cold'), { cause: undefined as unknown })],
  ])('is logged also when it is %s', (_what, make) => {
    const error = make();
    if (Object.isExtensible(error)) (error as { cause: unknown }).cause = error;
    expect(JSON.stringify(loggedError(error, plain))).toContain('cold');
  });
});
