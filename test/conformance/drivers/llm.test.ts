// The llm driver as a driver like any other, against an endpoint on loopback.
import { llmDriver } from '../../../plugins/executors/session-runner/drivers/llm/llm-driver.js';
import { createGuardedFetch } from '../../../src/net/guarded-fetch.js';
import { systemClock } from '../../../src/clock.js';
import { askedOf, FakeOpenAi, type ChatRequest, type FakeReply } from '../../support/fake-openai.js';
import { describeDriver, eventually, UNICODE } from './driver-suite.js';

const WORDS = {
  answer: 'say hello',
  question: 'ask me',
  failure: 'refuse me',
  endless: 'never answer',
  tool: 'look around',
  unicode: 'speak in pieces',
};

function reply(request: ChatRequest): FakeReply {
  const asked = askedOf(request);
  const said = (words: string): boolean => asked.endsWith(words);
  if (request.body.messages.at(-1)?.role === 'tool') return { text: 'I looked.' };
  if (said(WORDS.question)) return { calls: [{ name: 'request_input', args: { question: 'which?' } }] };
  if (said(WORDS.failure)) return { status: 401 };
  if (said(WORDS.endless)) return 'hang';
  if (said(WORDS.tool)) return { calls: [{ name: 'list_files', args: {} }] };
  if (said(WORDS.unicode)) return { text: UNICODE, bytesAtOnce: 1 };
  return { text: ['You said', ` ${asked.split('\n').at(-1)}.`] };
}

describeDriver({
  name: 'llm',
  readsFrame: true,
  async start() {
    const endpoint = await FakeOpenAi.start();
    endpoint.answer = reply;
    const net = createGuardedFetch({ allowPrivate: [], clock: systemClock });
    const isEndless = (request: ChatRequest | undefined): boolean =>
      request !== undefined && askedOf(request).endsWith(WORDS.endless);
    return {
      driver: llmDriver,
      settings: { name: 'llm', baseUrl: endpoint.baseUrl, model: 'fake-1' },
      fetch: net.fetch({ purpose: 'model', trusted: true }),
      words: WORDS,
      underWay: () => eventually(() => isEndless(endpoint.requests.at(-1))),
      // Connections without a request belong to the process, not to a session.
      held: () => endpoint.busy,
      async stop() {
        await net.close();
        await endpoint.stop();
      },
    };
  },
});
