// The test kit, as an author's own tests use it: what it says of an agent is what a caller would see.
import { describe, expect, it } from '@jest/globals';
import type { AgentHandle } from '../../../src/authoring/agent-definition.js';
import { defineAgent } from '../../../src/authoring/define-agent.js';
import { definePlugin, type Plugin } from '../../../src/plugin.js';
import { testAgent } from '../../../plugins/executors/plugin-agents/test-kit/test-agent.js';

type Run = (text: string, handle: AgentHandle) => Promise<string | void>;
const agent = (run: Run): Plugin =>
  defineAgent({ name: 'tried', description: 'x', run: ({ text }, handle) => run(text, handle) }) as Plugin;

describe('a test of an agent', () => {
  it('answers questions one after the other, and sees what is kept by once done once', async () => {
    let done = 0;
    const asks = agent(async (text, { ask, once }) => {
      const count = await once('count', () => ++done);
      return [text, await ask('a', 'A?'), await ask('b', 'B?'), count, done].join();
    });
    const first = await (await testAgent(asks)).send('x');
    expect(first).toMatchObject({ state: 'input-required', question: 'A?' });
    const second = await first.answer('1');
    expect(second.question).toBe('B?');
    expect(await second.answer('2')).toMatchObject({ state: 'completed', text: 'x,1,2,1,1', faults: [] });
  });

  it('reads an answer of data as JSON, and one of text and data as its text', async () => {
    const form = agent(async (_text, { ask }) => ask('form', 'How many?', { schema: { type: 'object' } }));
    const bench = await testAgent(form);
    expect(await (await bench.send('x')).answer([{ data: { n: 7 } }])).toMatchObject({ text: '{"n":7}' });
    const both = [{ text: 'seven' }, { data: { n: 7 } }];
    expect(await (await bench.send('y')).answer(both)).toMatchObject({ text: 'seven' });
  });

  it('decides for the operator', async () => {
    const careful = agent(async (_text, { requireAuth }) => {
      await requireAuth('go', 'May I?');
      return 'gone';
    });
    const bench = await testAgent(careful);
    const asked = await bench.send('x');
    expect(asked).toMatchObject({ state: 'auth-required', question: 'May I?' });
    expect(await asked.approve()).toMatchObject({ state: 'completed', text: 'gone' });
    expect(await (await bench.send('y')).decline()).toMatchObject({ state: 'rejected' });
  });

  it('answers for the agents that are called, and refuses for those that are not there', async () => {
    const calls = agent(async (text, { call }) => (await call(text, 'how?')).text);
    const bench = await testAgent(calls, { agents: { sea: (message) => `salty, to ${message}` } });
    expect(await bench.send('sea')).toMatchObject({ state: 'completed', text: 'salty, to how?' });
    expect(await bench.send('sky')).toMatchObject({ state: 'failed', text: 'sky: There is no such agent.' });
  });

  it('lets an agent catch a call that failed by its name', async () => {
    const careful = agent(async (text, { call }) => {
      try {
        return (await call(text, 'how?')).text;
      } catch (error) {
        return (error as Error).name;
      }
    });
    expect(await (await testAgent(careful)).send('sky')).toMatchObject({ state: 'completed', text: 'CallFailure' });
  });

  it('shows what the agent did wrong, with the place in its code', async () => {
    const wrong = agent(async (_text, { ask }) => ask('no id', 'What?'));
    const task = await (await testAgent(wrong)).send('x');
    expect(task).toMatchObject({ state: 'failed', text: 'The run failed unexpectedly.' });
    expect(task.faults).toEqual([expect.stringMatching(/the id must be .*\(at .*test-agent\.test\.ts:\d+:\d+\)/)]);
  });

  it('gives a plugin that adds more than its agent the bus it declared, with the settings and variables of the test', async () => {
    const heard: string[] = [];
    const plugin = definePlugin({
      name: 'more',
      observes: ['agent.outcome'],
      needs: { env: ['CITY'] },
      install({ add, bus, core, env, settings, routes }) {
        core.capabilities.provide('owner-notices');
        bus.subscribe('agent.outcome', ({ agent: name, state }) => void heard.push(`${name} ${state}`));
        expect(() => bus.subscribe('push.dead' as never, () => undefined)).toThrow(/in observes or consumes/);
        routes('public', () => undefined);
        const run = (): string => `${String(settings['word'])} in ${env('CITY')} at ${String(core.clock.now() > 0)}`;
        add('agent', { name: 'more', description: 'x', run });
      },
    }) as unknown as Plugin;
    const bench = await testAgent(plugin, { settings: { word: 'Hello' }, env: { CITY: 'Ulm' } });
    expect(await bench.send('x')).toMatchObject({ text: 'Hello in Ulm at true' });
    expect(heard).toEqual(['more TASK_STATE_COMPLETED']);
  });

  it('says which part of the core needs a server', async () => {
    const needing = definePlugin({ name: 'needing', install: ({ core }) => void core.ledger.get('x') });
    await expect(testAgent(needing as unknown as Plugin)).rejects.toThrow('the test kit has no core.ledger');
  });
});
