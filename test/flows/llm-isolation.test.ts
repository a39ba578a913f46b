// Many conversations with a language model at once: none sees another's.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { askedOf, FakeOpenAi, textOf } from '../support/fake-openai.js';
import { KEYS, sendParams, useBridgeServer } from '../surfaces/a2a-bridge/bridge-server.js';

const server = useBridgeServer();
let endpoint: FakeOpenAi;
beforeAll(async () => {
  endpoint = await FakeOpenAi.start();
  server.write('alpha', 'workspace.json', {
    v: 1,
    driver: { name: 'llm', baseUrl: endpoint.baseUrl, model: 'fake-1' },
  });
});
afterAll(() => endpoint.stop());

const lastLine = (text: string): string => text.split('\n').at(-1) ?? '';

describe('conversations', () => {
  it('of two callers with equal context ids never meet: 20 pairs at once', async () => {
    endpoint.answer = (request) => ({ text: `heard ${lastLine(askedOf(request))}` });
    const send = (key: string, contextId: string, text: string) =>
      server.rpc('SendMessage', sendParams(text, { contextId }), { key });
    const pairs = Array.from({ length: 20 }, (_, n) => `context-${n}`);
    const people = [
      [KEYS.ann, 'ann'],
      [KEYS.bob, 'bob'],
    ] as const;
    await Promise.all(
      pairs.flatMap((contextId) =>
        people.map(async ([key, name]) => {
          for (const step of [1, 2, 3]) {
            const { json } = await send(key, contextId, `${name} ${contextId} step ${step}`);
            expect(json.result.task.status.state).toBe('TASK_STATE_COMPLETED');
          }
        }),
      ),
    );
    const seen = new Set<string>();
    for (const request of endpoint.requests) {
      const [, name, contextId, step] = /(ann|bob) (context-\d+) step (\d)$/.exec(askedOf(request)) as string[];
      const told = request.body.messages.slice(1, -1).map(textOf);
      const words = Array.from({ length: Number(step) - 1 }, (_, n) => `${name} ${contextId} step ${n + 1}`);
      expect(told).toEqual(words.flatMap((word) => [word, `heard ${word}`]));
      seen.add(`${name} ${contextId} ${step}`);
    }
    expect(seen.size).toBe(120);
  });
});
