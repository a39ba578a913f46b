// How answers of an endpoint are taken: pauses before another try, documents as streams, and failures by their kind.
import { eventsOf, streamedAnswer } from '../../../../plugins/executors/session-runner/drivers/llm/streamed-answer.js';
import {
  ModelFailure,
  modelFailure,
  reasonsOf,
} from '../../../../plugins/executors/session-runner/drivers/llm/model-failure.js';
import { pauseAfter, retryingFetch } from '../../../../plugins/executors/session-runner/drivers/llm/retrying-fetch.js';
import { FetchError } from '../../../../src/net/fetch-error.js';
import { HandClock } from '../fake-core.js';

const answer = (status: number, headers: Record<string, string> = {}) => new Response('x', { status, headers });

describe('a pause before another try', () => {
  const now = Date.UTC(2026, 0, 1);
  it.each<[number, Record<string, string>, number, number | undefined]>([
    [200, {}, 1, undefined],
    [400, { 'retry-after': '1' }, 1, undefined],
    [501, {}, 1, undefined],
    [429, { 'retry-after': '3' }, 1, 3000],
    [429, { 'retry-after': '0' }, 3, 0],
    [429, { 'retry-after-ms': '120', 'retry-after': '3' }, 1, 120],
    [503, { 'retry-after': new Date(now + 5000).toUTCString() }, 1, 5000],
    [503, { 'retry-after': new Date(now - 5000).toUTCString() }, 1, 0],
    [503, { 'retry-after': '21' }, 1, undefined],
    [503, { 'retry-after': '-1' }, 1, 0],
    [500, { 'retry-after': 'soon' }, 1, 500],
    [529, {}, 3, 2000],
  ])('after %i with %j, try %i', (status, headers, attempt, ms) => {
    expect(pauseAfter(answer(status, headers), attempt, now)).toBe(ms);
  });

  const tries = (statuses: number[]) => {
    const clock = new HandClock();
    const asked: number[] = [];
    const fetch = retryingFetch(
      async () => {
        asked.push(clock.now());
        return answer(statuses.shift() ?? 200);
      },
      { clock },
    );
    return { clock, asked, fetch };
  };
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('is twice as long each time, and the fourth answer is the last', async () => {
    const { clock, asked, fetch } = tries([500, 502, 503, 504, 200]);
    const got = fetch('http://model');
    for (const ms of [500, 1000, 2000]) {
      await settle();
      clock.advance(ms - 1);
      await settle();
      clock.advance(1);
    }
    expect((await got).status).toBe(504);
    expect(asked.map((at, n) => at - (asked[n - 1] ?? at))).toEqual([0, 500, 1000, 2000]);
  });

  it('is not made after a connection that broke before an answer: the next one is tried at once', async () => {
    const broken = (reason: 'unreachable' | 'not-allowed', times: number) => {
      let asked = 0;
      const fetch = retryingFetch(
        async () => {
          if (++asked <= times) throw new TypeError('fetch failed', { cause: new FetchError(reason) });
          return answer(200);
        },
        { clock: new HandClock() },
      );
      return fetch('http://model').then(
        ({ status }) => [asked, status],
        (error: Error) => [asked, error.message],
      );
    };
    expect(await broken('unreachable', 1)).toEqual([2, 200]);
    expect(await broken('unreachable', 9)).toEqual([4, 'fetch failed']);
    expect(await broken('not-allowed', 9)).toEqual([1, 'fetch failed']);
  });

  it('ends with an abort, which leaves no timer', async () => {
    const { clock, asked, fetch } = tries([500]);
    const controller = new AbortController();
    const got = fetch('http://model', { signal: controller.signal });
    await settle();
    expect(clock.pending).toBe(1);
    controller.abort();
    await expect(got).rejects.toMatchObject({ name: 'AbortError' });
    expect([clock.pending, asked.length]).toEqual([0, 1]);
  });
});

describe('an answer in one document', () => {
  it('becomes the stream that it stands for', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'a', arguments: '{}' } };
    const document = {
      id: 'x',
      model: 'm',
      choices: [{ message: { role: 'assistant', content: 'hi', tool_calls: [call] }, finish_reason: 'tool_calls' }],
      usage: { total_tokens: 3 },
    };
    const response = await streamedAnswer(
      Response.json(document, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } }),
    );
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const [first, second, last] = (await response.text()).trim().split('\n\n');
    const delta = { role: 'assistant', content: 'hi', tool_calls: [{ ...call, index: 0 }] };
    expect(JSON.parse((first as string).slice(6))).toEqual({ id: 'x', model: 'm', choices: [{ index: 0, delta }] });
    expect(JSON.parse((second as string).slice(6))).toMatchObject({
      choices: [{ finish_reason: 'tool_calls' }],
      usage: { total_tokens: 3 },
    });
    expect(last).toBe('data: [DONE]');
    expect(eventsOf({ error: { message: 'no' } })).toBe('data: {"error":{"message":"no"}}\n\n');
  });

  it.each([null, 7, [], {}, { choices: [] }, { choices: [{ message: {} }] }, { choices: 'x' }])(
    'is none: %j',
    (value) => {
      expect(() => eventsOf(value)).toThrow(expect.objectContaining({ code: 'model-answer' }));
    },
  );

  it('is left alone where it is an error or a stream already', async () => {
    expect(await streamedAnswer(answer(500))).toHaveProperty('status', 500);
    for (const headers of [{ 'content-type': 'text/event-stream' }, {}] as Record<string, string>[])
      expect(await (await streamedAnswer(answer(200, headers))).text()).toBe('x');
  });
});

describe('an answer as a stream', () => {
  it.each(['text/event-stream', 'text/plain'])('of %s is not read without end, whatever is in it', async (type) => {
    const piece = new TextEncoder().encode(`data: ${'x'.repeat(1024 * 1024)}\n\n`);
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(piece),
      cancel: () => void (cancelled = true),
    });
    const endless = await streamedAnswer(new Response(body, { headers: { 'content-type': type } }));
    let size = 0;
    const reading = (async () => {
      for await (const one of endless.body ?? []) size += (one as Uint8Array).length;
    })();
    await expect(reading).rejects.toMatchObject({ code: 'model-answer' });
    expect([size <= 32 * 1024 * 1024, cancelled]).toEqual([true, true]);
  });
});

describe('a failure', () => {
  const fetchFailed = (reason: 'unreachable' | 'timeout' | 'not-allowed' | 'bad-answer') =>
    new TypeError('fetch failed', { cause: new FetchError(reason) });
  it.each<[unknown, string]>([
    [undefined, 'model-failed'],
    ['text', 'model-failed'],
    [new Error('?'), 'model-failed'],
    [{ message: 'This model’s maximum context length is 10' }, 'model-context'],
    [{ code: 'rate_limit_exceeded' }, 'model-busy'],
    [{ message: 'Internal error' }, 'model-down'],
    [Object.assign(new Error('x'), { statusCode: 413 }), 'model-context'],
    [Object.assign(new Error('x'), { statusCode: 504 }), 'model-timeout'],
    [Object.assign(new Error('x'), { statusCode: 200, cause: new FetchError('too-large') }), 'model-answer'],
    [fetchFailed('unreachable'), 'model-unreachable'],
    [fetchFailed('not-allowed'), 'model-unreachable'],
    [fetchFailed('timeout'), 'model-timeout'],
    [fetchFailed('bad-answer'), 'model-answer'],
  ])('is known by its kind: %s', (error, code) => {
    expect(modelFailure(error).code).toBe(code);
  });

  it('that was known where it happened is that one, whatever others made of it', () => {
    const known = new ModelFailure('model-answer');
    const wrapped = Object.assign(new Error('Failed to process the answer'), { statusCode: 200, cause: known });
    expect(modelFailure(wrapped)).toBe(known);
  });

  it('tells the log its reasons and never the request', () => {
    const error = Object.assign(new Error('too many'), {
      statusCode: 429,
      requestBodyValues: 'private',
      responseBody: 'b'.repeat(900),
    });
    expect(reasonsOf(error)).toEqual([`Error: 429: too many: ${'b'.repeat(300)}`]);
    const loop = new Error('a');
    loop.cause = loop;
    expect(reasonsOf(loop).length).toBeLessThan(10);
  });
});
