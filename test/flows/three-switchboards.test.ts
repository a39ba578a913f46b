// Three switchboards in a row, each on its own home, with the official client at the outer end: what happens at the far
// end is seen at the near one, and what is said at the near one arrives at the far one.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TaskState, type StreamResponse, type Task } from '@a2a-js/sdk';
import {
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from '@a2a-js/sdk/client';
import { describe, expect, test } from '@jest/globals';
import type { AgentsAnswer } from '../../src/operator-wire.js';
import { OperatorServer } from '../support/operator-server.js';
import { sendRequest, textPart } from '../support/sdk-request.js';

const KEY = 'key-of-ann-in-a-test';
const POLL_MS = 10;

/** `outer` calls `middle`, which calls the agents of `inner`. The last one's `demo` does what the message says. */
async function inARow(
  more: object = {},
): Promise<{ outer: OperatorServer; middle: OperatorServer; inner: OperatorServer }> {
  const inner = await OperatorServer.start({ agents: ['demo', 'manual'] });
  const next = (server: OperatorServer, agent: string): Record<string, unknown> => ({
    agents: [{ name: 'next', url: `${server.url}/agents/${agent}`, key: KEY }],
    followSeconds: 30,
    ...more,
  });
  const middle = await OperatorServer.start({ agents: ['demo', 'next'], settings: next(inner, 'demo') });
  const outer = await OperatorServer.start({ agents: ['demo', 'next'], settings: next(middle, 'next') });
  return { outer, middle, inner };
}

const connect = (server: OperatorServer, rest = false): Promise<Client> => {
  const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
    headers: () => Promise.resolve({ 'X-API-Key': KEY }),
    shouldRetryWithHeaders: () => Promise.resolve(undefined),
  });
  const cardFetch = (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
    fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), 'X-API-Key': KEY } });
  const transport = rest ? new RestTransportFactory({ fetchImpl }) : new JsonRpcTransportFactory({ fetchImpl });
  const factory = new ClientFactory({ transports: [transport] });
  return cardFetch(`${server.url}/agents/next/.well-known/agent-card.json`, { headers: { 'A2A-Version': '1.0' } })
    .then((answer) => answer.json())
    .then(async (card) => {
      const { AgentCard } = await import('@a2a-js/sdk');
      return factory.createFromAgentCard(AgentCard.fromJSON(card));
    });
};

const request = (text: string, ...rest: [ids?: { taskId?: string; contextId?: string }, returnImmediately?: boolean]) =>
  sendRequest([textPart(text)], ...rest);

const answerOf = (task: Task): string =>
  task.artifacts
    .flatMap((artifact) => artifact.parts)
    .map((part) => (part.content?.$case === 'text' ? part.content.value : ''))
    .join('');

const get = (client: Client, id: string): Promise<Task> => client.getTask({ tenant: '', id, historyLength: undefined });

async function inState(client: Client, id: string, state: TaskState): Promise<Task> {
  for (;;) {
    const task = await get(client, id);
    if (task.status?.state === state) return task;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

describe.each([
  ['JSON-RPC', false],
  ['HTTP+JSON', true],
])('three switchboards in a row, over %s', (_name, rest) => {
  test('let progress, artifacts, files, data and the end through, as a stream', async () => {
    const { outer } = await inARow();
    const client = await connect(outer, rest);
    const events: StreamResponse[] = [];
    const script =
      'wait 400; tool lookup; wait 400; say found; file notes.txt the bytes; data {"n":9007199254740991}; say all done';
    for await (const event of client.sendMessageStream(request(script))) events.push(event);
    const seen = JSON.stringify(events.map(({ payload }) => payload));
    expect(seen).toContain('using lookup');
    const last = events.at(-1)?.payload;
    expect(last).toMatchObject({ $case: 'statusUpdate', value: { status: { state: TaskState.TASK_STATE_COMPLETED } } });
    const { id } = (events[0]?.payload as { value: Task }).value;
    const task = await get(client, id);
    expect(answerOf(task)).toBe('all done');
    const parts = task.artifacts.flatMap((artifact) => artifact.parts);
    const file = parts.find(({ filename }) => filename === 'notes.txt');
    expect(file?.content?.$case === 'raw' && Buffer.from(file.content.value).toString()).toBe('the bytes');
    expect(parts.find(({ content }) => content?.$case === 'data')?.content?.value).toEqual({ n: 9007199254740991 });
    // One switchboard finds nothing wrong with another: no extension that was asked for is missing, for instance.
    const { body } = await outer.get<AgentsAnswer>('/agents');
    const next = body.agents.find(({ name }) => name === 'next')?.remote;
    expect([next?.reachable, next?.problem]).toEqual(['yes', undefined]);
  });

  test('carry a question out and its answer in, to the same task', async () => {
    const { outer, inner } = await inARow();
    const client = await connect(outer, rest);
    const asked = (await client.sendMessage(request('say first; ask which one?'))) as Task;
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(asked.status?.message?.parts[0]?.content?.value).toBe('which one?');
    const ids = { taskId: asked.id, contextId: asked.contextId };
    const answered = (await client.sendMessage(request('the red one', ids))) as Task;
    expect([answered.id, answered.status?.state]).toEqual([asked.id, TaskState.TASK_STATE_COMPLETED]);
    expect(JSON.stringify(answered)).toContain('you said: the red one');
    const { body } = await inner.get<{ total: number }>('/tasks');
    expect(body.total).toBe(1);
  });

  test('show that the far end waits for an authorization, and go on when that is given', async () => {
    const { outer, inner } = await inARow();
    const client = await connect(outer, rest);
    const { id } = (await client.sendMessage(request('auth may I?; say I may', {}, true))) as Task;
    const waiting = await inState(client, id, TaskState.TASK_STATE_AUTH_REQUIRED);
    expect(waiting.status?.message?.parts[0]?.content?.value).toBe('may I?');
    const { body } = await inner.get<{ tasks: { cid: string }[] }>('/tasks?state=auth-required');
    await inner.post('/input', { cid: body.tasks[0]?.cid, decision: 'approve' });
    expect(answerOf(await inState(client, id, TaskState.TASK_STATE_COMPLETED))).toBe('I may');
  });

  test('carry a cancel to the far end, and its confirmation back', async () => {
    const { outer, inner } = await inARow();
    const client = await connect(outer, rest);
    const { id } = (await client.sendMessage(request('say begun; wait 60000', {}, true))) as Task;
    const far = async (state: string): Promise<number> =>
      (await inner.get<{ total: number }>(`/tasks?state=${state}`)).body.total;
    while ((await far('working')) === 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    while (!JSON.stringify(await get(client, id)).includes('begun'))
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const canceled = await client.cancelTask({ tenant: '', id, metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(await far('canceled')).toBe(1);
  });

  test('let a client that lost its stream subscribe again, and call its webhook', async () => {
    const { outer, inner } = await inARow({ allowPrivate: ['*'] });
    const client = await connect(outer, rest);
    const { id } = (await client.sendMessage(request('ask ready?', {}, true))) as Task;
    await inState(client, id, TaskState.TASK_STATE_INPUT_REQUIRED);
    const config = {
      tenant: '',
      taskId: id,
      id: 'hook',
      url: 'https://8.8.8.8/hook',
      token: 't',
      authentication: undefined,
    };
    expect(await client.createTaskPushNotificationConfig(config)).toMatchObject({ id: 'hook', taskId: id });
    const subscribed = client.resubscribeTask({ tenant: '', id });
    const first = await subscribed.next();
    expect((first.value as StreamResponse).payload).toMatchObject({ $case: 'task', value: { id } });
    await client.cancelTask({ tenant: '', id, metadata: undefined });
    const others: StreamResponse[] = [];
    for await (const event of subscribed) others.push(event);
    expect(others.at(-1)?.payload).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_CANCELED } } });
    expect((await inner.get<{ total: number }>('/tasks')).body.total).toBe(1);
  });
});

describe('a prompt that goes in circles', () => {
  /** A names B, and B names A's agents. */
  async function pair(): Promise<{ a: OperatorServer; b: OperatorServer }> {
    const b = await OperatorServer.start({ agents: ['demo', 'back', 'other'] });
    const a = await OperatorServer.start({
      agents: ['demo', 'manual', 'b'],
      settings: { agents: [{ name: 'b', url: `${b.url}/agents/demo`, key: KEY }] },
    });
    const entry = (name: string, agent: string): object => ({ name, url: `${a.url}/agents/${agent}`, key: KEY });
    const folder = join(b.home.path, 'workspaces', 'demo', '.a2a');
    writeFileSync(
      join(folder, 'agents.json'),
      JSON.stringify({ v: 1, agents: [entry('back', 'demo'), entry('other', 'manual')] }),
    );
    writeFileSync(
      join(folder, 'workspace.json'),
      JSON.stringify({ v: 1, driver: { name: 'scripted' }, callAgents: ['back', 'other'] }),
    );
    return { a, b };
  }

  test('is refused when it comes back to the same agent, which is named', async () => {
    const { a, b } = await pair();
    writeFileSync(
      join(b.home.path, 'workspaces', 'demo', '.a2a', 'script.json'),
      JSON.stringify({ v: 1, rules: [{ match: 'round', reply: 'call back hello' }] }),
    );
    const { body } = await a.chat('call b round');
    expect(body.taskState).toBe('failed');
    expect(body.response).toMatch(/came back to demo, which it has passed before/);
  });

  test('goes to another agent of the first switchboard, as a further hop', async () => {
    const { a, b } = await pair();
    writeFileSync(
      join(b.home.path, 'workspaces', 'demo', '.a2a', 'script.json'),
      JSON.stringify({ v: 1, rules: [{ match: 'round', reply: 'call other hello' }] }),
    );
    const chat = a.chat('call b round');
    const turn = await a.manual.next();
    expect(turn.prompt.chain).toHaveLength(2);
    expect(new Set(turn.prompt.chain.map(({ switchboard }) => switchboard)).size).toBe(2);
    turn.end({ kind: 'completed', parts: [{ text: 'from the other one' }] });
    expect((await chat).body.response).toMatch(/from the other one/);
  });
});
