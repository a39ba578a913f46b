// Files of one remote task, up to a sum: what goes beyond it becomes words, and what the task has already counts.
import { expect, test } from '@jest/globals';
import { KeptParts, MOST_FILE_BYTES } from '../../../plugins/followers/task-tracker/kept-parts.js';
import type { Prompt } from '../../../src/executors/contract.js';
import type { Core } from '../../../src/plugin.js';

const prompt = { agent: 'far', caller: { id: 'demo/ann', scope: 'demo' } } as unknown as Prompt;
const core = {
  blobs: { put: (_scope: string, bytes: Uint8Array) => ({ blob: `b${bytes[0]}`, size: bytes.byteLength }) },
  remotes: { find: () => ({ url: 'https://far.example/' }) },
  config: { maxReceivedBytes: 200 },
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
