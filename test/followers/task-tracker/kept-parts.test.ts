// Files of one remote task, up to a sum: what goes beyond it becomes words, and what the task has already counts.
import { expect, test } from '@jest/globals';
import { KeptParts, MOST_FILE_BYTES } from '../../../plugins/followers/task-tracker/kept-parts.js';
import { RemoteError } from '../../../src/remote/remote-error.js';
import { FakeClock } from '../../support/fake-clock.js';
import type { Prompt } from '../../../src/executors/contract.js';
import type { Core } from '../../../src/plugin.js';

const prompt = { agent: 'far', caller: { id: 'demo/ann', scope: 'demo' } } as unknown as Prompt;
const core = {
  blobs: { put: (_scope: string, bytes: Uint8Array) => ({ blob: `b${bytes[0]}`, size: bytes.byteLength }) },
  remotes: { find: () => ({ url: 'https://far.example/' }) },
  config: { maxReceivedBytes: 200 },
  clock: new FakeClock(),
} as unknown as Core;
const file = (first: number, size: number) => ({ bytes: new Uint8Array(size).fill(first), filename: `f${first}` });

test('files are kept until their sum is reached, each once however often it comes', async () => {
  const shown = [{ artifactId: 'a', parts: [{ blob: 'b0', size: MOST_FILE_BYTES - 150 }] }];
  const kept = new KeptParts(shown, prompt, core, new AbortController().signal);
  expect(await kept.keep([file(1, 100)])).toEqual([{ blob: 'b1', size: 100, filename: 'f1' }]);
  expect(await kept.keep([file(2, 51)])).toEqual([{ text: expect.stringMatching(/"f2".*larger than 50 bytes/) }]);
  expect(await kept.keep([file(3, 50)])).toEqual([{ blob: 'b3', size: 50, filename: 'f3' }]);
  expect(await kept.keep([file(4, 1)])).toEqual([{ text: expect.stringMatching(/"f4"/) }]);
});

test('links are not followed any more once their downloads took an hour together', async () => {
  const clock = new FakeClock();
  let asked = 0;
  const download = (): Promise<never> => {
    asked++;
    clock.advance(1_800_000);
    return Promise.reject(new RemoteError('timeout', 'far did not answer within 1800 s.'));
  };
  const remotes = { find: () => ({ url: 'https://far.example/' }), connect: () => Promise.resolve({ download }) };
  const slow = { ...core, clock, remotes } as unknown as Core;
  const kept = new KeptParts([], prompt, slow, new AbortController().signal);
  const parts = await kept.keep(Array.from({ length: 50 }, (_, n) => ({ url: `https://far.example/${n}` })));
  expect([asked, parts.length]).toEqual([2, 50]);
  expect(parts[49]).toEqual({ text: expect.stringMatching(/the files of far took too long/) });
});
