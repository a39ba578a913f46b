// Every hostile URL and name, against each way of going out: nothing is dialled, and the reason is told.
import { download } from '../../plugins/executors/session-runner/download.js';
import { FetchError } from '../../src/net/fetch-error.js';
import type { FetchPolicy } from '../../src/net/fetch-policy.js';
import { createGuardedFetch, type GuardedFetch } from '../../src/net/guarded-fetch.js';
import { FakeClock } from '../support/fake-clock.js';
import { BAD_NAMES, BAD_URLS, GOOD_URLS, nameService, PRIVATE } from '../support/ssrf-corpus.js';

const STRANGER: FetchPolicy = { purpose: 'webhook', trusted: false };
const names = nameService(Object.fromEntries(BAD_NAMES.map(([name, addresses]) => [name, [addresses]])));
const net = createGuardedFetch({ allowPrivate: [], clock: new FakeClock(), resolve: names.resolve });
afterAll(() => net.close());

/** Why it failed: the reason of the FetchError that it is, or was caused by. */
async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return ['answered', await work];
  } catch (error) {
    if (error instanceof FetchError) return error.reason;
    return error instanceof TypeError && error.cause instanceof FetchError ? error.cause.reason : error;
  }
}

/** The ways of going out. Each gives the reason why it did not. */
const USES: [string, (url: string, by?: GuardedFetch) => Promise<unknown>][] = [
  ['a request', (url, by = net) => reasonOf(by.request(STRANGER, url, { method: 'POST', body: '{}' }))],
  ['a WHATWG fetch', (url, by = net) => reasonOf(by.fetch(STRANGER)(url))],
  ['addresses for a channel', (url, by = net) => reasonOf(by.checkedAddresses(STRANGER, url))],
];

it('the corpus is large enough, and nothing in it is there twice', () => {
  expect(BAD_URLS.length + BAD_NAMES.length).toBeGreaterThanOrEqual(150);
  expect(new Set(BAD_URLS.map(([url]) => url)).size).toBe(BAD_URLS.length);
});

describe('a hostile URL', () => {
  it.each(BAD_URLS)('is refused when it is saved: %j %s', async (url, problem) => {
    expect(net.urlProblem(STRANGER, url)).toBe(problem);
    expect(await net.checkUrl(STRANGER, url)).toBe(problem);
  });

  it.each(USES)('is refused for %s, before any name is looked up', async (_use, send) => {
    const before = names.asked.length;
    for (const [url, problem] of BAD_URLS) {
      const reason = await send(url);
      // What a `Request` can't hold, it refuses by itself.
      const told = (reason as Error).name === 'TypeError' && problem !== PRIVATE ? 'bad-url' : reason;
      expect([url, told]).toEqual([url, problem === PRIVATE ? 'not-allowed' : 'bad-url']);
    }
    expect(names.asked.length).toBe(before);
  });

  it('is refused for the download of a file, in words for the caller', async () => {
    for (const [url] of BAD_URLS) {
      const part = { kind: 'url' as const, url };
      const failed = download(net, part as never, { maxBytes: 1, signal: new AbortController().signal });
      await expect(failed).rejects.toMatchObject({ code: 'download-failed' });
    }
  });
});

describe('a name that leads inside', () => {
  it.each(BAD_NAMES)('is refused when it is saved and when it is used: %s (%j)', async (name) => {
    const url = `https://${name}/hook`;
    expect(await net.checkUrl(STRANGER, url)).toBe(PRIVATE);
    for (const [, send] of USES) expect(await send(url)).toBe('not-allowed');
  });
});

describe('a legitimate URL', () => {
  it.each(GOOD_URLS)('passes: %s (%j)', async (url, addresses) => {
    const { resolve } = nameService({ [new URL(url).hostname]: [addresses] });
    const open = createGuardedFetch({ allowPrivate: [], clock: new FakeClock(), resolve });
    expect(open.urlProblem(STRANGER, url)).toBeUndefined();
    expect(await open.checkUrl(STRANGER, url)).toBeUndefined();
    const dialled = await open.checkedAddresses(STRANGER, url);
    expect(dialled.length).toBeGreaterThan(0);
    // Of several addresses, only the public ones.
    for (const address of dialled) expect(['10.0.0.1', '::1']).not.toContain(address);
  });

  it('passes although its name cannot be resolved now', async () => {
    expect(await net.checkUrl(STRANGER, 'https://not-yet.example/')).toBeUndefined();
    for (const [, send] of USES) expect(await send('https://not-yet.example/')).toBe('unresolvable');
  });
});

describe('a name that leads elsewhere the second time', () => {
  it.each(USES)('is refused for %s although it passed when it was saved', async (_use, send) => {
    const { resolve } = nameService({ 'rebind.example': [['1.1.1.1'], ['127.0.0.1']] });
    const rebinding = createGuardedFetch({ allowPrivate: [], clock: new FakeClock(), resolve });
    expect(await rebinding.checkUrl(STRANGER, 'https://rebind.example/')).toBeUndefined();
    expect(await send('https://rebind.example/', rebinding)).toBe('not-allowed');
    await rebinding.close();
  });
});
