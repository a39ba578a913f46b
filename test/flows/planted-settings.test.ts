// Secrets in what owners write for others' code: settings of plugins and drivers, command lines, addresses. That code
// shows them wherever it can; nothing that leaves the process or stays on disk does.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Envelope } from '../../src/bus/envelope.js';
import { TOPIC_KINDS } from '../../src/bus/topics.js';
import { PluginHome } from '../support/plugin-home.js';
import { Receiver } from '../support/receiver.js';

const PLANTED = {
  setting: 'planted-setting-1a2b',
  inUrl: 'planted-password-in-url-3c',
  inQuery: 'planted-key-in-query-4d',
  nested: 'planted-nested-5e6f',
  unstarted: 'planted-unstarted-7a',
  variable: 'planted-in-a-variable-8b',
  notifier: 'plantedNotifierPath9c0d1e2f',
  driver: 'planted-driver-key-a0',
  argument: 'planted-argument-b1',
  inArgument: 'planted-argument-c2',
  childUrl: 'planted-child-url-d3',
  agentQuery: 'planted-agent-query-e4',
  webhookQuery: 'planted-webhook-query-f5a6',
};
const OWNERS = /^switchboard\.json$|^workspaces\/\w+\/\.a2a\/(workspace|agents)\.json$/;

const THROWER = `
import { definePlugin } from 'a2a-switchboard';
export default definePlugin({
  name: 'thrower',
  observes: ['task.updated'],
  needs: { env: ['STORE'] },
  install({ add, settings, routes, log, env, bus }) {
    const all = JSON.stringify(settings) + env('STORE');
    log.warn({ settings, all }, all);
    bus.subscribe('task.updated', () => { throw new Error(all); });
    add('guard', { name: 'talker', check({ message }) {
      if (message.parts[0].text === 'refuse') return { message: all };
      if (message.parts[0].text === 'throw') throw new Error(all);
    } });
    routes('public', (router) => router.get('/', () => { throw new Error(all); }));
    add('driver', { name: 'mine', open: (parts) => ({
      run(turn, emit) { emit({ type: 'delta', text: JSON.stringify(parts.settings) }); throw new Error(JSON.stringify(parts.settings)); },
      close() {},
    }) });
  },
});`;
const FAILS = `
import { definePlugin } from 'a2a-switchboard';
export default definePlugin({ name: 'fails', install({ settings }) { throw new Error(JSON.stringify(settings)); } });`;
const AGENT = (file: string): string => `
import { readFileSync } from 'node:fs';
import { defineAgent, RunFailure } from 'a2a-switchboard';
export default defineAgent({ name: 'reader', description: 'Reads what it should not.', run({ text }, { progress, artifact }) {
  const all = readFileSync(${JSON.stringify(file)}, 'utf8');
  progress(all);
  artifact({ name: 'settings.json', text: all });
  if (text === 'fail') throw new RunFailure(all);
  return all;
} });`;
/** Prints what it was started with, and ends. */
const CHILD =
  'console.error(process.argv.join(" "), JSON.stringify(process.env)); setTimeout(() => process.exit(3), 200)';

it('secrets in the settings of plugins, drivers and agents elsewhere stay in the files of their owners', async () => {
  const peer = await new Receiver().start();
  peer.respond = ({ method, path }, res) => {
    const card = {
      name: path,
      description: path,
      version: '1',
      skills: [{ id: 'a', name: path, description: path, tags: [] }],
    };
    const interfaces = [{ url: peer.url(path), protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
    const modes = { capabilities: {}, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] };
    const refused = { jsonrpc: '2.0', id: 1, error: { code: -32603, message: path, data: [path] } };
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify(method === 'GET' ? { ...card, ...modes, supportedInterfaces: interfaces } : refused));
  };
  const dsn = `https://bob:${PLANTED.inUrl}@store.example/?api_key=${PLANTED.inQuery}`;
  const pluginSettings = {
    thrower: { apiToken: PLANTED.setting, dsn, deep: { er: [{ password: PLANTED.nested }] } },
    fails: { secret: PLANTED.unstarted },
  };
  const notifier = { webhook: peer.url(`/services/${PLANTED.notifier}`) };
  const store = `https://bob:${PLANTED.variable}@h.example/`;
  const server = await PluginHome.start(
    { 'thrower.js': THROWER, 'fails.js': FAILS },
    {
      settings: { pluginSettings, notifier, allowPrivate: ['127.0.0.1'], logLevel: 'trace' },
      env: { STORE: store, DATABASE: `postgres://bob:${PLANTED.childUrl}@db.example/x` },
    },
  );
  const { path: home } = server.home;
  await server.stop();
  server.write('reader.js', AGENT(join(home, 'switchboard.json')));
  const workspace = (name: string, file: string, content: object): void => {
    mkdirSync(join(home, 'workspaces', name, '.a2a'), { recursive: true });
    writeFileSync(join(home, 'workspaces', name, '.a2a', file), JSON.stringify({ v: 1, ...content }));
  };
  workspace('mine', 'workspace.json', { driver: { name: 'mine', apiKey: PLANTED.driver } });
  const args = ['-e', CHILD, '--', '--token', PLANTED.argument, `--api-key=${PLANTED.inArgument}`];
  workspace('child', 'workspace.json', { driver: { name: 'acp', command: process.execPath, args, env: ['DATABASE'] } });
  const url = peer.url(`/a2a?token=${PLANTED.agentQuery}`);
  workspace('demo', 'agents.json', { agents: [{ name: 'far', url }] });
  await server.open();
  const { bus } = server.switchboard;
  const events: Envelope[] = [];
  bus
    .join({ name: 'everything', consumes: [], observes: TOPIC_KINDS, produces: [] })
    .tap('>', (event) => void events.push(event));

  const answers: unknown[] = [];
  const ask = async (method: string, path: string, body?: object, key?: string): Promise<void> =>
    void answers.push(await server.call(method, path, body, key));
  const said: [string, string][] = [
    ['reader', 'hello'],
    ['reader', 'fail'],
    ['demo', 'refuse'],
    ['demo', 'throw'],
    ['demo', 'notify look; say done'],
    ['mine', 'hello'],
    ['child', 'hello'],
    ['far', 'hello'],
  ];
  for (const [agent, message] of said) await ask('POST', '/api/a2a/chat', { agent, message, workspace: 'demo' });
  await ask('GET', '/plugins/thrower');
  const hook = { id: 'w', url: `http://127.0.0.1:1/?token=${PLANTED.webhookQuery}` };
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: PLANTED.webhookQuery }] };
  const params = { message, configuration: { taskPushNotificationConfig: hook } };
  await ask(
    'POST',
    '/a2a?A2A-Version=1.0',
    { jsonrpc: '2.0', id: 1, method: 'SendMessage', params },
    server.home.keys['ann'],
  );
  for (const path of ['agents?probe=true&workspace=demo', 'plugins', 'tasks', 'sessions', 'pushes', 'watches'])
    await ask('GET', `/api/a2a/${path}`);
  await ask('GET', '/readyz');
  await bus.drain();
  await server.stop();
  await peer.stop();

  /** Names of the secrets in a text, as they are or in base64. */
  const found = (text: string, but: readonly string[] = []): string[] =>
    Object.entries(PLANTED)
      .filter(
        ([name, secret]) =>
          !but.includes(name) && [0, 1, 2].some((at) => text.includes(secret) || text.includes(base64Core(secret, at))),
      )
      .map(([name]) => name);
  const logged = JSON.stringify(server.logged);
  expect(logged).toContain('[redacted]');
  expect(found(logged)).toEqual([]);
  const shown = JSON.stringify(answers);
  for (const word of ['[redacted]', 'settings.json', '"name":"fails"']) expect(shown).toContain(word);
  // The caller's own message, which it gets back.
  expect(found(shown, ['webhookQuery'])).toEqual([]);
  expect(found(JSON.stringify(events), ['webhookQuery'])).toEqual([]);
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(home, name)).isFile(),
  );
  for (const name of files.filter((name) => !OWNERS.test(relative('.', name))))
    expect([name, ...found(readFileSync(join(home, name), 'latin1'), ['webhookQuery'])]).toEqual([name]);
});

/** The characters of base64 that a secret alone decides, with so many bytes before it in its group. */
const base64Core = (text: string, before: number): string =>
  Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
    .toString('base64')
    .slice(before === 0 ? 0 : 4, -4);
