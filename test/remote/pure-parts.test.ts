import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { asked, CLOSED, failed, mayTry, undecided } from '../../src/remote/breaker.js';
import { freshnessOf } from '../../src/remote/card-freshness.js';
import { cardUrls } from '../../src/remote/card-fetch.js';
import { downloadFile } from '../../src/remote/download.js';
import { EventLines } from '../../src/remote/event-lines.js';
import { PeerFaults } from '../../src/remote/peer-faults.js';
import type { HttpAnswer, PeerHttp } from '../../src/remote/peer-http.js';
import { RequestPatience } from '../../src/remote/request-patience.js';
import { FakeClock } from '../support/fake-clock.js';

describe('server-sent events', () => {
  test('are the same however their bytes are cut', () => {
    const text = ': c\r\ndata: a\u2028é\r\ndata:b\r\revent: e\ndata\ndata:  x\n\nid: 1\n\ndata: {"last":1}';
    const bytes = Buffer.from(`\uFEFF${text}`);
    const expected = [
      { type: 'message', data: 'a\u2028é\nb' },
      { type: 'e', data: '\n x' },
      { type: 'message', data: '{"last":1}' },
    ];
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const lines = new EventLines();
        const places = [...cuts, 0, bytes.length].sort((a, b) => a - b);
        const events = places.slice(1).flatMap((end, i) => lines.add(bytes.subarray(places[i], end)));
        expect([...events, ...lines.end()]).toEqual(expected);
      }),
    );
  });
});

describe('the time that an answer may take', () => {
  const faults = new PeerFaults('far', (words) => words);

  test('is that of silence, and of all of it where that is limited too', () => {
    const clock = new FakeClock();
    const patience = new RequestPatience(clock, faults, undefined, 90_000, 1_800_000);
    for (let n = 0; n < 22; n++) {
      clock.advance(80_000);
      patience.heard();
    }
    expect([patience.signal.aborted, patience.reason()]).toEqual([false, undefined]);
    clock.advance(40_000);
    expect([patience.signal.aborted, patience.reason()?.message]).toEqual([true, 'far did not answer within 1800 s.']);
    patience.end();
    expect(clock.pending).toBe(0);
  });

  test('is limited as a whole for a file, which may trickle in', async () => {
    const asked: { idle?: boolean; wholeMs?: number }[] = [];
    const ask = (request: object): Promise<HttpAnswer> => {
      asked.push(request);
      return Promise.resolve({ status: 200, headers: new Headers(), bytes: Buffer.from('x') });
    };
    const session = { http: { ask } as unknown as PeerHttp, faults };
    expect(await downloadFile(session, 'https://far.example/a.txt', 10, {})).toMatchObject({ filename: 'a.txt' });
    expect(asked).toMatchObject([{ idle: true, wholeMs: 1_800_000 }]);
  });
});

describe('the breaker', () => {
  test('opens after five failures, lets one through after each pause, and pauses longer each time', () => {
    let breaker = CLOSED;
    for (let i = 0; i < 5; i++) {
      expect(mayTry(breaker, 0)).toBe(true);
      breaker = failed(asked(breaker, 0), 0);
    }
    expect([mayTry(breaker, 9_999), mayTry(breaker, 10_000)]).toEqual([false, true]);
    const probing = asked(breaker, 10_000);
    expect(mayTry(probing, 10_001)).toBe(false);
    // One that never comes back does not block the next for ever, one that was given up not at all.
    expect(mayTry(probing, 30_000)).toBe(true);
    expect(mayTry(undecided(probing), 10_001)).toBe(true);
    // As when the clock was set back by a day.
    expect(mayTry(probing, 10_000 - 86_400_000)).toBe(true);
    let again = failed(probing, 10_000);
    expect([mayTry(again, 29_999), mayTry(again, 30_000)]).toEqual([false, true]);
    for (let i = 0; i < 20; i++) again = failed(again, 0);
    expect(again.openUntil).toBe(300_000);
  });
});

describe('a card’s freshness', () => {
  const ms = (headers: Record<string, string>): number =>
    freshnessOf(new Headers(headers), 1_000_000).freshUntil - 1_000_000;
  test.each([
    [{}, 300_000],
    [{ 'cache-control': 'max-age=60' }, 60_000],
    [{ 'cache-control': 'public, s-maxage=5, MAX-AGE="60"', age: '20' }, 40_000],
    [{ 'cache-control': 'max-age=1', age: '20' }, 0],
    [{ 'cache-control': 'max-age=60, no-cache' }, 0],
    [{ 'cache-control': 'no-store' }, 0],
    [{ 'cache-control': 'max-age=99999999999' }, 86_400_000],
    [{ expires: 'Thu, 01 Jan 1970 00:17:40 GMT', date: 'Thu, 01 Jan 1970 00:16:40 GMT' }, 60_000],
    [{ expires: '0' }, 0],
  ])('by %j', (headers, lifetime) => expect(ms(headers)).toBe(lifetime));

  test('keeps its validators over a 304 without any', () => {
    const first = freshnessOf(new Headers({ etag: '"1"', 'last-modified': 'x' }), 0);
    expect(freshnessOf(new Headers(), 0, first).validators).toEqual({
      'if-none-match': '"1"',
      'if-modified-since': 'x',
    });
  });
});

describe('a card’s places', () => {
  test('are below the address, then at the root, the newer name first', () => {
    expect(cardUrls('https://x.example/')).toEqual([
      'https://x.example/.well-known/agent-card.json',
      'https://x.example/.well-known/agent.json',
    ]);
    expect(cardUrls('https://x.example/a/b/?q=1#f')).toEqual([
      'https://x.example/a/b/.well-known/agent-card.json',
      'https://x.example/a/b/.well-known/agent.json',
      'https://x.example/.well-known/agent-card.json',
      'https://x.example/.well-known/agent.json',
    ]);
    expect(cardUrls('https://x.example/card.json?v=2')).toEqual(['https://x.example/card.json?v=2']);
  });
});
