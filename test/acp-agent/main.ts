// `npm run acp-agent [-- --keep <folder>]`: a real agent from npm, against a model on loopback, over A2A. It is
// installed into a temporary folder, or into the one given, where it is found again. `--sessions <n>` plays many
// conversations with a small agent instead, without installing anything.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt, startSwitchboard } from '../support/compiled-server.js';
import { FakeOpenAi } from '../support/fake-openai.js';
import type { ServerChild } from '../support/server-child.js';
import { makeTestHome } from '../support/test-home.js';
import { answerOf } from './fake-model.js';
import { manySessions } from './many-sessions.js';
import { installOpencode, opencodeVariables } from './opencode.js';
import { playScenario } from './scenario.js';

const { values } = parseArgs({
  options: { keep: { type: 'string' }, log: { type: 'string', default: 'error' }, sessions: { type: 'string' } },
});
let wrong = 0;
let since = performance.now();
function saw(what: string, right: boolean, more?: unknown): void {
  const took = `${Math.round(performance.now() - since)} ms`.padStart(9);
  since = performance.now();
  if (!right) wrong++;
  console.log(`${right ? 'ok  ' : 'FAIL'} ${took}  ${what}${more === undefined ? '' : `: ${JSON.stringify(more)}`}`);
}

ensureBuilt();
if (values.sessions === undefined) await realAgent();
else await manySessions(Number(values.sessions), saw);
console.log(wrong === 0 ? 'all as it should be' : `${wrong} wrong`);
process.exitCode = wrong === 0 ? 0 : 1;

async function realAgent(): Promise<void> {
  const folder = values.keep === undefined ? mkdtempSync(join(tmpdir(), 'acp-agent-')) : resolve(values.keep);
  const home = makeTestHome();
  const model = await FakeOpenAi.start();
  model.answer = answerOf;
  let server: ServerChild | undefined;
  try {
    const program = installOpencode(folder);
    const variables = opencodeVariables(folder, model.baseUrl);
    const driver = { name: 'acp', command: program, args: ['acp'], env: Object.keys(variables), permissions: 'ask' };
    const settings = join(home.path, 'workspaces', 'demo', '.a2a', 'workspace.json');
    writeFileSync(settings, JSON.stringify({ v: 1, driver }));
    // A home of its own, so that nobody's settings or logins have a part in it.
    const env = { ...variables, HOME: join(home.path, 'user'), SWITCHBOARD_LOG_LEVEL: values.log };
    const start = (): Promise<ServerChild> => startSwitchboard({ home: home.path, env });
    server = await start();
    since = performance.now();
    await playScenario({
      home,
      server: () => server as ServerChild,
      async restart(how) {
        await (how === 'kill' ? server?.kill() : server?.stop());
        server = await start();
      },
      saw,
    });
  } finally {
    if (wrong > 0 || values.log !== 'error') console.error(server?.stderr());
    await server?.stop();
    await model.stop();
    home.remove();
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
