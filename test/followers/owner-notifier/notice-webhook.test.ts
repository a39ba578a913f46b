// The webhook for notices to owners: order, further tries, and what happens when it does not work.
import { NoticeWebhook } from '../../../plugins/followers/owner-notifier/notice-webhook.js';
import { silentLogger } from '../../../src/log.js';
import { FetchError } from '../../../src/net/fetch-error.js';
import type { GuardedRequest } from '../../../src/net/guarded-fetch.js';

type Reply = number | 'unreachable' | 'hang';

function webhook(replies: Reply[]) {
  const posts: string[] = [];
  const waiting: { count: number; go: () => void }[] = [];
  const net = {
    async request(_policy: unknown, _url: string, { body, signal }: GuardedRequest = {}) {
      posts.push((JSON.parse(String(body)) as { text: string }).text);
      for (const { count, go } of waiting) if (posts.length >= count) go();
      const reply = replies.shift() ?? 204;
      if (reply === 'unreachable') throw new FetchError('unreachable');
      if (reply === 'hang') {
        await new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(new FetchError('aborted')), { once: true }),
        );
      }
      return {
        status: reply as number,
        headers: {},
        bytes: async () => Buffer.alloc(0),
        discard: async () => undefined,
      };
    },
  };
  const log = silentLogger();
  const warned: unknown[] = [];
  log.warn = (...words: unknown[]) => void warned.push(words.at(-1));
  const hook = new NoticeWebhook({ url: 'https://hooks.example/x', net, log, pauseMs: 1 });
  const send = (text: string): void => hook.send({ workspace: 'w', caller: 'w/a', text, at: '' });
  const posted = (count: number): Promise<void> =>
    posts.length >= count ? Promise.resolve() : new Promise((go) => waiting.push({ count, go }));
  return { hook, send, posts, posted, warned };
}

describe('a webhook for notices', () => {
  it('is told one after the other, and again after a failure that may pass', async () => {
    const { hook, send, posts, posted } = webhook([503, 'unreachable', 429, 204]);
    send('one');
    send('two');
    await posted(5);
    expect(posts).toEqual(['one', 'one', 'one', 'one', 'two']);
    await hook.stop();
  });

  it('is not asked again what it refused, nor without end', async () => {
    const { hook, send, posts, posted } = webhook([404, 500, 500, 500, 500, 500]);
    for (const text of ['refused', 'failing', 'next']) send(text);
    await posted(7);
    expect(posts).toEqual(['refused', ...Array<string>(5).fill('failing'), 'next']);
    await hook.stop();
  });

  it('lets only so many wait, and stops at once', async () => {
    const { hook, send, posts, posted, warned } = webhook(['hang']);
    for (let n = 0; n < 500; n++) send(`${n}`);
    await posted(1);
    await hook.stop();
    send('late');
    expect(posts).toEqual(['0']);
    expect(warned.filter((words) => /dropped/.test(String(words)))).toHaveLength(399);
  });
});
