import { AppError } from '../../../src/errors.js';
import { idempotencyKey, KeptAnswers, messageIdFor } from '../../../plugins/surfaces/operator-api/idempotency.js';
import { FakeClock } from '../../support/fake-clock.js';

const DAY = 86_400_000;

describe('kept answers', () => {
  const setUp = () => {
    const clock = new FakeClock();
    let runs = 0;
    return { clock, kept: new KeptAnswers<number>(clock), run: () => Promise.resolve(++runs), runs: () => runs };
  };

  it('gives the same request under the same key its first answer', async () => {
    const { kept, run } = setUp();
    expect(await kept.once('k', 'request', run)).toBe(1);
    expect(await kept.once('k', 'request', run)).toBe(1);
    expect(await kept.once('other', 'request', run)).toBe(2);
  });

  it('runs two requests that come together only once', async () => {
    const { kept, run } = setUp();
    expect(await Promise.all([kept.once('k', 'r', run), kept.once('k', 'r', run)])).toEqual([1, 1]);
  });

  it('refuses another request under the same key', async () => {
    const { kept, run, runs } = setUp();
    await kept.once('k', 'one', run);
    await expect(kept.once('k', 'two', run)).rejects.toMatchObject({ code: 'invalid-params' });
    expect(runs()).toBe(1);
  });

  it('forgets after a day', async () => {
    const { kept, run, clock } = setUp();
    await kept.once('k', 'one', run);
    clock.advance(DAY - 1);
    expect(await kept.once('k', 'one', run)).toBe(1);
    clock.advance(1);
    expect(await kept.once('k', 'two', run)).toBe(2);
  });

  it('keeps no failure, so that it can be tried again', async () => {
    const { kept, run } = setUp();
    const failing = () => Promise.reject(new AppError('storage-failed', 'full'));
    await expect(kept.once('k', 'r', failing)).rejects.toThrow('full');
    expect(await kept.once('k', 'r', run)).toBe(1);
  });

  it('drops the oldest above a thousand', async () => {
    const { kept, run, runs } = setUp();
    for (let i = 0; i <= 1000; i++) await kept.once(`k${i}`, 'r', run);
    expect(await kept.once('k1000', 'r', run)).toBe(1001);
    expect(await kept.once('k0', 'r', run)).toBe(1002);
    expect(runs()).toBe(1002);
  });
});

describe('the header', () => {
  it('may be absent', () => expect(idempotencyKey(undefined)).toBeUndefined());

  it.each(['', 'a b', 'ü', 'x'.repeat(256)])('is refused as %j', (key) => {
    expect(() => idempotencyKey(key)).toThrow(AppError);
  });

  it('gives equal keys equal message ids, others other ones', () => {
    expect(messageIdFor('a')).toBe(messageIdFor('a'));
    expect(messageIdFor('a')).not.toBe(messageIdFor('b'));
    expect(messageIdFor('x'.repeat(255))).toMatch(/^[a-z0-9-]{1,64}$/);
  });
});
