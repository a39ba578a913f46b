// Sessions that ask other agents: the owner's own, and where its workspace allows it a caller's. What takes longer than
// the turn that asked comes back to the same conversation, also over a restart.
import { afterEach, describe, expect, test } from '@jest/globals';
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TasksAnswer, TaskView } from '../../src/operator-wire.js';
import { A2aClient } from '../support/a2a-client.js';
import { FakeOpenAi, textOf } from '../support/fake-openai.js';
import { OperatorServer } from '../support/operator-server.js';
import { SkippingClock } from '../support/skipping-clock.js';
import { SdkPeer, type SdkPeerOptions } from '../support/peers/sdk-peer.js';

const peers: SdkPeer[] = [];
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.stop();
});

const KEY = 'the-key-of-far-agents';

type StartOptions = SdkPeerOptions & { followSeconds?: number; clock?: SkippingClock };

async function start({ followSeconds = 5, clock, ...options }: StartOptions = {}) {
  const peer = await new SdkPeer({ key: KEY, ...options }).start();
  peers.push(peer);
  const server = await OperatorServer.start({ settings: { followSeconds } }, undefined, clock);
  const files = join(server.home.path, 'workspaces', 'demo');
  const write = (name: string, value: unknown): void => writeFileSync(join(files, '.a2a', name), JSON.stringify(value));
  write('agents.json', { v: 1, agents: [{ name: 'far', url: peer.url, key: KEY }] });
  return { peer, server, files, write };
}

const say = (server: OperatorServer, message: string, more: object = {}): Promise<TaskView> =>
  server.chat(message, more).then(({ body }) => body);

/** The conversation's newest task once there are so many. */
async function nthTask(server: OperatorServer, contextId: string, count: number): Promise<TaskView> {
  for (;;) {
    const { body } = await server.get<TasksAnswer>(`/tasks?contextId=${contextId}&agent=demo`);
    const newest = body.tasks.find(({ done }) => done);
    if (body.total >= count && newest && body.tasks.every(({ pending }) => !pending)) {
      return (await server.get(`/task/${body.tasks[0]!.cid}?wait=10`)).body;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("the owner's session", () => {
  test('asks an agent of its workspace and reads the answer, the files saved in the inbox', async () => {
    const { server, files, peer } = await start();
    expect((await say(server, 'call far hello there')).response).toMatch(/^far answered .*\n\necho: hello there$/);
    const { response } = await say(server, 'call far file');
    const path = /\[file: (inbox\/a2a\/[a-z0-9_-]+\/notes\.txt) \(text\/plain, 15 bytes\)\]/.exec(response)?.[1];
    expect(readFileSync(join(files, path as string), 'utf8')).toBe('bytes of a file');
    expect(readdirSync(join(files, path as string, '..'))).toEqual(['notes.txt']);
    const [first] = peer.executor.begun;
    expect(first?.metadata?.['switchboard.chain']).toHaveLength(1);
  });

  test.each([
    ['call nobody hello', 'There is no agent "nobody" that you can call. You can call: far, manual.'],
    ['call far fail no paper', 'no paper'],
    ['call demo hello', 'There is no agent "demo" that you can call. You can call: far, manual.'],
  ])('is told readably why a call did not work: %s', async (words, reason) => {
    const { server } = await start();
    const { taskState, response } = await say(server, words);
    expect([taskState, response.includes(reason)]).toEqual(['failed', true]);
  });

  test('is told that the key was rejected, that nobody is there, and that its file can not be read', async () => {
    const { server, peer, files, write } = await start();
    write('agents.json', { v: 1, agents: [{ name: 'far', url: peer.url, key: 'another-key-altogether' }] });
    const rejected = await say(server, 'call far hello');
    expect(rejected.response).toMatch(/far rejected the key \(401\)/);
    expect(JSON.stringify(rejected)).not.toContain('another-key-altogether');
    write('agents.json', { v: 1, agents: [{ name: 'far', url: 'http://127.0.0.1:9' }] });
    expect((await say(server, 'call far hello')).response).toMatch(/far .*(reach|connection|refused)/i);
    writeFileSync(join(files, '.a2a', 'agents.json'), '{ "agents": [');
    expect((await say(server, 'call other hello')).response).toMatch(/You can call: far, manual\. agents\.json .*\.$/);
  });

  test('is told later what took longer, in the same conversation and once', async () => {
    const { server, peer } = await start({ followSeconds: 0.2 });
    const asked = await say(server, 'call far hold on');
    expect(asked.response).toMatch(/^far is still at work .* its result arrives by itself\.$/);
    peer.executor.releaseAll();
    const told = await nthTask(server, asked.contextId as string, 2);
    expect(told.response).toMatch(/^echo: \[What became of a request .*far/);
    expect(told.response).toMatch(/no instructions\.\]\n\nfar answered .*\n\nheld: on$/);
    const { body } = await server.get<TasksAnswer>(`/tasks?contextId=${asked.contextId}&agent=demo`);
    expect(body.total).toBe(2);
  });

  test('is told over a restart, and when the turn that asked was interrupted', async () => {
    const { server, peer } = await start({ followSeconds: 30 });
    const asked = await say(server, 'call far hold on', { returnImmediately: true });
    await peer.executor.whenBegun(1);
    const again = await server.restart();
    peer.executor.releaseAll();
    const told = await nthTask(again, asked.contextId as string, 2);
    expect(told.response).toContain('held: on');
    const third = await again.restart();
    const { body } = await third.get<TasksAnswer>(`/tasks?contextId=${asked.contextId}&agent=demo`);
    expect(body.total).toBe(2);
  });

  test('is told of a question with the way to answer it, and the answer reaches the same task', async () => {
    const { server, peer } = await start();
    const { response } = await say(server, 'call far ask which one?');
    expect(response).toMatch(/^far asks .*\n\nwhich one\?\n\nTo answer, use the tool a2a .* taskId "([a-z0-9_-]+)"/);
    expect(peer.executor.begun).toHaveLength(1);
  });

  test('whose turn is canceled cancels what it asked for', async () => {
    const { server, peer } = await start({ followSeconds: 30 });
    const asked = await say(server, 'call far hold on', { returnImmediately: true });
    await peer.executor.whenBegun(1);
    await server.post(`/task/${asked.cid}/cancel`, {});
    const called = async (): Promise<string | undefined> =>
      (await server.get<TasksAnswer>('/tasks?agent=far')).body.tasks[0]?.taskState;
    while ((await called()) !== 'canceled') await new Promise((resolve) => setTimeout(resolve, 20));
    const { body } = await server.get<TasksAnswer>(`/tasks?contextId=${asked.contextId}&agent=demo`);
    expect(body.total).toBe(1);
  });
});

describe("a caller's session", () => {
  const ask = async (server: OperatorServer, text: string): Promise<string> => {
    const client = new A2aClient(server.url, server.home.keys['ann'] as string);
    const message = { messageId: `m-${text}`, role: 'ROLE_USER', parts: [{ text }] };
    const { task } = await client.rpc<{ task: { status: object; artifacts?: object[] } }>('SendMessage', { message });
    return JSON.stringify(task);
  };

  test('calls only the agents that its workspace names, although the caller itself may not use them', async () => {
    const { server, write } = await start();
    expect(await ask(server, 'call far hello')).toContain('Calling other agents is not available here');
    write('workspace.json', { v: 1, driver: { name: 'scripted' }, callAgents: ['far'] });
    expect(await ask(server, 'call far hello again')).toContain('echo: hello again');
    write('workspace.json', { v: 1, driver: { name: 'scripted' }, callAgents: ['else'] });
    expect(await ask(server, 'call far once more')).toContain('You can call none');
    const direct = new A2aClient(server.url, server.home.keys['ann'] as string, '/agents/far/a2a');
    await expect(direct.rpc('ListTasks', {})).rejects.toThrow();
  });
});

describe("a plugin's agent", () => {
  test('whose call outlives its wait is told nothing later, and nothing is kept to be told', async () => {
    const { server, peer } = await start();
    const { calls, ledger } = server.switchboard.core;
    await server.post('/chat', { agent: 'manual', message: 'work', returnImmediately: true });
    const { prompt: asker, handle } = await server.manual.next();
    const { task } = await calls.call({
      asker,
      surface: 'plugin',
      lookIn: 'demo',
      agent: 'far',
      parts: () => [{ text: 'hold on' }],
      seconds: 0,
      signal: handle.signal,
    });
    expect([task.status.state, ledger.replies.open()]).toEqual(['TASK_STATE_WORKING', []]);
    await peer.executor.whenBegun(1);
    peer.executor.releaseAll();
    expect((await server.get(`/task/${task.id}?wait=10`)).body.taskState).toBe('completed');
    expect(ledger.replies.open()).toEqual([]);
    expect((await calls.look(task.id, asker)).task.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await server.get<TasksAnswer>('/tasks?agent=manual')).body.total).toBe(1);
  });
});

describe('a model', () => {
  /** Has the owner's session use the tool once; what the model is told. */
  async function useTool(
    { server, write }: Awaited<ReturnType<typeof start>>,
    endpoint: FakeOpenAi,
    args: object,
    contextId?: string,
  ): Promise<string> {
    const driver = { name: 'llm', baseUrl: endpoint.baseUrl, model: 'fake-1' };
    write('workspace.json', { v: 1, driver });
    endpoint.script({ calls: [{ name: 'a2a', args }] }, { text: 'ok' });
    endpoint.requests.length = 0;
    await say(server, 'please', contextId === undefined ? {} : { contextId });
    const result = endpoint.requests.at(-1)?.body.messages.findLast(({ role }) => role === 'tool');
    return result ? textOf(result) : 'nothing';
  }

  test('lists agents, sends files of the workspace, looks after a task and cancels it', async () => {
    const clock = new SkippingClock();
    // Longer than a busy machine takes for an answer; shorter than the operator's own wait.
    const world = await start({ followSeconds: 20, clock });
    const { files, peer, server } = world;
    const endpoint = await FakeOpenAi.start();
    try {
      const use = (args: object): Promise<string> => useTool(world, endpoint, args);
      /** What is told of work that goes on when the time is up. */
      const begin = async (text: string): Promise<string> => {
        const count = peer.executor.begun.length + 1;
        const told = use({ action: 'send', agent: 'far', text });
        await peer.executor.whenBegun(count);
        clock.skip(20_000);
        return told;
      };
      expect(await use({ action: 'agents' })).toMatch(/^- far: reachable \(A2A 1\.0 over JSONRPC.*\); .*skills: /m);
      mkdirSync(join(files, 'notes'));
      writeFileSync(join(files, 'notes', 'plan.md'), 'the plan');
      writeFileSync(join(server.home.path, 'outside.txt'), 'outside');
      symlinkSync(join(server.home.path, 'outside.txt'), join(files, 'link.txt'));
      symlinkSync(server.home.path, join(files, 'up'));
      linkSync(join(server.home.path, 'outside.txt'), join(files, 'twin.txt'));
      const send = (file: string): object => ({ action: 'send', agent: 'far', text: 'say ok', files: [file] });
      for (const path of [
        '../../switchboard.json',
        'link.txt',
        'up/outside.txt',
        'twin.txt',
        'notes',
        '.a2a/agents.json',
      ])
        expect(await use(send(path))).toMatch(/can't be sent: it/);
      expect(peer.executor.begun).toHaveLength(0);
      expect(await use(send('notes/plan.md'))).toMatch(/^far answered/);
      expect(peer.executor.begun[0]?.parts[1]).toMatchObject({ filename: 'plan.md', mediaType: 'text/markdown' });

      const held = await begin('hold on');
      const taskId = /task ([a-z0-9_-]+)/.exec(held)?.[1];
      expect(await use({ action: 'status', taskId })).toMatch(/still at work/);
      peer.executor.releaseAll();
      expect(await use({ action: 'status', taskId })).toMatch(/^far answered [^]*held: on$/);
      const second = /task ([a-z0-9_-]+)/.exec(await begin('hold it'))?.[1];
      expect(await use({ action: 'cancel', taskId: second })).toMatch(/was canceled/);
      expect(await use({ action: 'status', taskId: 'of-somebody-else' })).toMatch(/There is no task of-somebody-else/);
      expect(await use({ action: 'dance' })).toMatch(/must be agents, send, status or cancel/);
    } finally {
      await endpoint.stop();
    }
  });
});
