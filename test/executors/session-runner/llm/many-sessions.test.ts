// Many sessions of language models: closed ones leave nothing behind.
import { getEventListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createGuardedFetch } from '../../../../src/net/guarded-fetch.js';
import { askedOf, FakeOpenAi } from '../../../support/fake-openai.js';
import { FakeHome, promptFor, Recorder } from '../fake-core.js';

const lastLine = (text: string): string => text.split('\n').at(-1) ?? '';

describe('200 sessions', () => {
  const descriptors = (): number => readdirSync('/proc/self/fd').length;
  const children = (): string => readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8');

  it('opened, idle, evicted and resumed leave no child, descriptor, listener or timer', async () => {
    const endpoint = await FakeOpenAi.start();
    // Every tenth conversation runs a command that leaves something in the background.
    endpoint.answer = (request) =>
      / c\d*0 turn/.test(` ${lastLine(askedOf(request))}`) && request.body.messages.at(-1)?.role !== 'tool'
        ? { calls: [{ name: 'shell', args: { command: 'sleep 60 & echo $HOME' } }] }
        : { text: `heard ${lastLine(askedOf(request))}` };
    const home = new FakeHome();
    const net = createGuardedFetch({ allowPrivate: [], clock: home.clock });
    home.outbound = net.fetch({ purpose: 'model', trusted: true });
    home.settings = {
      ...home.settings,
      driver: { name: 'llm', baseUrl: endpoint.baseUrl, model: 'fake-1' },
      tools: { shell: true, writeStanding: false },
    };
    const runner = home.runner(undefined, 150);
    const signals: AbortSignal[] = [];
    let commands = 0;
    const round = async (turn: number): Promise<void> => {
      for (let first = 0; first < 200; first += 20) {
        await Promise.all(
          Array.from({ length: 20 }, async (_, n) => {
            const contextId = `c${first + n}`;
            const handle = new Recorder();
            signals.push(handle.signal);
            const outcome = await runner.run(
              promptFor({ text: `${contextId} turn ${turn}`, contextId, cid: `t${turn}-${contextId}` }),
              handle,
            );
            expect(outcome.kind).toBe('completed');
            commands += handle.shown.filter((line) => line === '-shell true').length;
          }),
        );
      }
    };
    const before = [descriptors(), children(), home.clock.pending];
    await round(1);
    // Those beyond the limit were evicted, the others wait; then time takes them too, and all come back.
    expect(runner.sessions.size).toBe(150);
    home.clock.advance(1_800_000);
    expect(runner.sessions.size).toBe(0);
    await round(2);
    expect(commands).toBe(40);
    await runner.sessions.stop();
    await net.close();
    home.remove();
    while (endpoint.connections > 0) await new Promise((resolve) => setImmediate(resolve));
    expect([descriptors(), children(), home.clock.pending]).toEqual(before);
    expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
    await endpoint.stop();
  });
});
