// How long a run of a language model may go without a sign of its endpoint, by a clock that stands still.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createGuardedFetch } from '../../../../src/net/guarded-fetch.js';
import { FakeOpenAi, type FakeReply } from '../../../support/fake-openai.js';
import { FakeHome, promptFor, Recorder } from '../fake-core.js';

const PATIENCE_MS = 1_000;

async function run(...replies: FakeReply[]) {
  const endpoint = await FakeOpenAi.start();
  endpoint.script(...replies);
  const home = new FakeHome();
  const net = createGuardedFetch({ allowPrivate: [], clock: home.clock });
  home.outbound = net.fetch({ purpose: 'model', trusted: true });
  home.settings = {
    ...home.settings,
    driver: { name: 'llm', baseUrl: endpoint.baseUrl, model: 'fake-1', patienceSeconds: PATIENCE_MS / 1000 },
    tools: { shell: true, writeStanding: false },
  };
  const handle = new Recorder();
  const outcome = home.runner().run(promptFor({ text: 'go' }), handle);
  const stop = async (): Promise<void> => {
    await net.close();
    await endpoint.stop();
    home.remove();
  };
  return { endpoint, home, handle, outcome, stop };
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};

describe('patience with a language model', () => {
  it('does not count the time that a tool takes', async () => {
    const command = 'touch begun; while [ -e begun ]; do sleep 0.01; done';
    const { home, handle, outcome, stop } = await run(
      { calls: [{ name: 'shell', args: { command } }] },
      { text: 'awake' },
    );
    const begun = join(home.directory, 'begun');
    await until(() => existsSync(begun));
    home.clock.advance(10 * PATIENCE_MS);
    rmSync(begun);
    expect([(await outcome).kind, handle.shown.filter((line) => /awake|shell/.test(line))]).toEqual([
      'completed',
      ['+shell', '-shell true', 'awake'],
    ]);
    await stop();
  });

  it('ends when the endpoint says nothing for that long', async () => {
    const { endpoint, home, outcome, stop } = await run('hang');
    await until(() => endpoint.requests.length === 1);
    home.clock.advance(PATIENCE_MS);
    expect(await outcome).toMatchObject({ kind: 'failed', code: 'model-timeout' });
    await stop();
  });
});
