// Secrets planted in every place that may hold one, a run that tries to give each of them away, and then a search through
// everything that leaves the process or stays on disk.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pino } from 'pino';
import type { Envelope } from '../../src/bus/envelope.js';
import { TOPIC_KINDS } from '../../src/bus/topics.js';
import { RunFailure, type AgentInfo } from '../../src/executors/contract.js';
import { createSwitchboard } from '../../src/main.js';
import { definePlugin } from '../../src/plugin.js';
import { Receiver } from '../support/receiver.js';
import { makeTestHome, OPERATOR_KEY } from '../support/test-home.js';

const PLANTED = {
  operatorKey: OPERATOR_KEY,
  callerKey: 'key-of-ann-in-a-test',
  webhookSecret: 'whsec_cGxhbnRlZC13ZWJob29rLXNlY3JldA==',
  remoteKey: 'planted-remote-key-8c1f',
  remoteHeader: 'planted "header" välue\\1',
  modelKey: 'sk-planted-model-key-77aa',
  webhookToken: 'planted-webhook-token-0001',
  webhookCredentials: 'planted-webhook-credentials-0001',
};
/** What the webhook needs in order to be told; it stays in the task's own file and journal. */
const OF_THE_WEBHOOK: readonly string[] = [PLANTED.webhookToken, PLANTED.webhookCredentials];
const OWNERS = new Set([
  'switchboard.json',
  'workspaces/demo/.a2a/callers.json',
  'workspaces/demo/.a2a/agents.json',
  'data/operator.key',
]);

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Shows each secret in several spellings wherever an agent or a plugin can show something. */
const leaker = definePlugin({
  name: 'leaker',
  consumes: [],
  observes: ['task.updated'],
  produces: [],
  install({ core, bus, log }) {
    core.secrets.add(PLANTED.modelKey);
    const all = Object.values(PLANTED);
    const spelt = all.flatMap((secret) => [secret, JSON.stringify(secret), base64(`me:${secret}`)]).join(' | ');
    const agent = { name: 'leaker', kind: 'plugin', exposed: true, skills: [] } as const;
    const info = (): AgentInfo => ({ ...agent, skills: [] });
    core.registry.register({
      name: 'leaker',
      find: (name) => (name === 'leaker' ? info() : undefined),
      list: () => [info()],
      async run(prompt, handle) {
        const [part] = prompt.message.parts;
        const text = part && 'text' in part ? part.text : '';
        log.info({ headers: { 'x-any': [spelt] }, deep: { er: { still: { deeper: spelt } } } }, `about ${spelt}`);
        log.error({ err: new Error(spelt, { cause: new Error(spelt) }) }, 'an error');
        handle.status(spelt);
        handle.delta(spelt);
        handle.endMessage();
        const data = { [PLANTED.operatorKey]: [spelt] };
        handle.artifact({ artifactId: 'a', name: spelt, parts: [{ text: spelt }, { data }] });
        if (text === 'fail') throw new RunFailure(spelt);
        if (text === 'crash') throw new Error(spelt);
        if (text === 'ask') return { kind: 'question', question: spelt, from: 'caller' };
        return { kind: 'completed', parts: [{ text: spelt }] };
      },
    });
    // What a subscriber throws is an event, too.
    bus.subscribe('task.updated', () => {
      throw new Error(spelt);
    });
  },
});

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());

it('a secret that is planted in every place is in no log, event, answer or file but its own', async () => {
  const receiver = await new Receiver().start();
  receiver.respond = (_request, res) => void res.writeHead(500).end(Object.values(PLANTED).join());
  const home = makeTestHome({ agents: ['demo', 'leaker'], settings: { allowPrivate: ['127.0.0.1'] } });
  const a2a = join(home.path, 'workspaces', 'demo', '.a2a');
  const { callerKey: key, webhookSecret, remoteKey, remoteHeader } = PLANTED;
  const callers = [{ name: 'ann', keys: [{ key }], agents: ['demo', 'leaker'], webhookSecret }];
  writeFileSync(join(a2a, 'callers.json'), JSON.stringify({ v: 1, callers }));
  const remote = { name: 'far', url: 'https://far.example/', key: remoteKey, headers: { 'X-Extra': remoteHeader } };
  writeFileSync(join(a2a, 'agents.json'), JSON.stringify({ v: 1, agents: [remote] }));

  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const config = { home: home.path, host: '127.0.0.1', port: 0, logLevel: 'trace' } as const;
  const switchboard = await createSwitchboard({ config, log, plugins: [leaker] });
  const events: Envelope[] = [];
  const everything = { name: 'everything', consumes: [], observes: TOPIC_KINDS, produces: [] };
  switchboard.bus.join(everything).tap('>', (event) => void events.push(event));
  const { url } = await switchboard.start();

  const answers: string[] = [];
  const ask = async (method: string, path: string, body?: object, headers: object = { 'X-API-Key': key }) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    answers.push(text, JSON.stringify([...response.headers]));
    return text;
  };
  const operator = { 'X-API-Key': OPERATOR_KEY };
  const authentication = { scheme: 'Bearer', credentials: PLANTED.webhookCredentials };
  const taskPushNotificationConfig = { id: 'w', url: receiver.url('/'), token: PLANTED.webhookToken, authentication };
  for (const [at, text] of ['say', 'fail', 'crash', 'ask'].entries()) {
    const message = { messageId: `m${at}`, role: 'ROLE_USER', parts: [{ text }] };
    const params = { message, configuration: { taskPushNotificationConfig } };
    await ask('POST', '/agents/leaker/a2a', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params });
    const streamed = { message: { ...message, messageId: `s${at}` } };
    // A question keeps its stream open.
    if (text !== 'ask') await ask('POST', '/agents/leaker/a2a/message:stream', streamed);
    await ask('POST', '/api/a2a/chat', { agent: 'leaker', message: text }, operator);
  }
  await receiver.received(1);
  for (const path of ['/a2a/tasks', '/agents/leaker/a2a/tasks', '/agents/leaker/.well-known/agent-card.json']) {
    await ask('GET', path);
  }
  for (const path of ['agents', 'callers', 'tasks', 'sessions'])
    await ask('GET', `/api/a2a/${path}`, undefined, operator);
  // Keys in the wrong place, and requests that can't be read.
  await ask('GET', `/api/a2a/tasks?key=${OPERATOR_KEY}`);
  await ask('POST', '/a2a', { jsonrpc: '2.0', id: key, method: OPERATOR_KEY }, { 'X-API-Key': `${key}x` });
  await ask('GET', '/a2a/tasks', undefined, { Authorization: `Basic ${base64(`me:${key}`)}` });
  await switchboard.bus.drain();
  await switchboard.stop();
  await receiver.stop();

  /** Names of the secrets in a text, as they are or encoded. */
  const found = (text: string, secrets: readonly string[] = Object.values(PLANTED)): string[] =>
    secrets.filter((secret) =>
      [secret, JSON.stringify(secret).slice(1, -1), base64(`me:${secret}`), base64(secret)].some((form) =>
        text.includes(form),
      ),
    );
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.join('')).toContain('about [redacted]');
  expect(found(lines.join(''))).toEqual([]);
  expect(events.length).toBeGreaterThan(20);
  // The webhook's own secrets travel with the message that brings them.
  const shown = events.filter(({ topic }) => topic !== 'agent.prompt.request');
  expect(found(JSON.stringify(shown))).toEqual([]);
  expect(answers.join('')).toContain('[redacted]');
  expect(found(answers.join(''))).toEqual([]);
  const files = filesBelow(home.path);
  expect(files.some((file) => file.includes('.sqlite') || file.endsWith('.db'))).toBe(true);
  for (const file of files) {
    const name = relative(home.path, file);
    if (OWNERS.has(name)) continue;
    const ofTask = /\.a2a\/(tasks|journal)\//.test(name);
    const secrets = Object.values(PLANTED).filter((secret) => !ofTask || !OF_THE_WEBHOOK.includes(secret));
    expect([name, ...found(readFileSync(file, 'latin1'), secrets)]).toEqual([name]);
  }
  home.remove();
});
