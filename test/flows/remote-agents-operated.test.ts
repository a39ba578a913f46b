// Agents elsewhere as their operator handles them, over HTTP and by commands: who is there, a test, what is followed, and
// how the server's own health shows them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { AgentsAnswer, TaskView, WatchesAnswer } from '../../src/operator-wire.js';
import { type as typed } from '../support/fake-terminal.js';
import { OperatorServer } from '../support/operator-server.js';
import { MisbehavingPeer } from '../support/peers/misbehaving-peer.js';
import { SdkPeer } from '../support/peers/sdk-peer.js';

const stopping: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const peer of stopping.splice(0)) await peer.stop();
});

/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/** `far` in the home's list, `near` in the workspace's, both the official SDK's server; `gone` is not there. */
async function start(more: object[] = []) {
  const peer = await new SdkPeer().start();
  stopping.push(peer);
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const agents = [{ name: 'far', url: peer.url }, { name: 'gone', url: NOWHERE }, ...more];
  const server = await OperatorServer.start({ settings: { agents, followSeconds: 5 } }, log);
  const write = (text: string): void =>
    writeFileSync(join(server.home.path, 'workspaces', 'demo', '.a2a', 'agents.json'), text);
  write(JSON.stringify({ v: 1, agents: [{ name: 'near', url: peer.url, description: 'next door' }] }));
  const type = (...argv: string[]) => typed(server.home.path, argv);
  return { peer, server, lines, write, type };
}

/** Work that goes on at `far`. */
async function hold(peer: SdkPeer, server: OperatorServer, more: object = {}): Promise<string> {
  const count = peer.executor.begun.length + 1;
  const { body } = await server.chat('hold on', { agent: 'far', returnImmediately: true, ...more });
  await peer.executor.whenBegun(count);
  return body.cid;
}

async function following(server: OperatorServer, count: number): Promise<WatchesAnswer> {
  for (;;) {
    const { body } = await server.get<WatchesAnswer>('/watches?state=following');
    if (body.total === count) return body;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('the list of agents', () => {
  test('shows agents elsewhere with versions, bindings and skills once they were asked, and why one is not reached', async () => {
    const { server, peer } = await start();
    const { body } = await server.get<AgentsAnswer>('/agents?probe=true');
    const of = (name: string) => body.agents.find((agent) => agent.name === name);
    expect(of('far')).toMatchObject({
      kind: 'remote',
      skills: [{ id: 'script' }],
      remote: { url: `${peer.url}/`, reachable: 'yes', protocols: ['1.0'], lastSeen: expect.any(String) },
    });
    expect(of('far')?.remote?.bindings).toEqual(['JSONRPC', 'HTTP+JSON', 'GRPC']);
    expect(of('far')?.remote).not.toHaveProperty('workspace');
    expect(of('near')?.remote).toMatchObject({ workspace: 'demo', reachable: 'yes' });
    expect(of('gone')?.remote).toMatchObject({
      reachable: 'no',
      problem: expect.stringMatching(/could not be reached/),
    });
    expect(of('demo')).not.toHaveProperty('remote');
  });

  test('tells that agents.json can not be read, and keeps the agents it read last', async () => {
    const { server, write } = await start();
    await server.get('/agents?workspace=demo');
    write('{ "agents": [');
    const { body } = await server.get<AgentsAnswer>('/agents?workspace=demo');
    expect(body.problems).toEqual([expect.stringMatching(/^agents\.json /)]);
    expect(body.agents.map(({ name }) => name)).toContain('near');
    expect((await server.get('/agents?workspace=nobody')).status).toBe(404);
  });

  test('by command says the same', async () => {
    const { type } = await start();
    const { code, out } = await type('agents', '--probe');
    expect(code).toBe(0);
    expect(out).toMatch(/^far +remote +yes +yes, 1\.0 JSONRPC\+HTTP\+JSON\+GRPC +script /m);
    expect(out).toMatch(/^gone +remote +yes +no /m);
    expect(out).toMatch(/^gone: gone could not be reached/m);
    expect((await type('agents', '-w', 'demo')).out).toMatch(/^near .* next door$/m);
  });

  test('has an agent of a name that is taken once, with one warning in the log', async () => {
    const { server, lines } = await start([{ name: 'demo', url: NOWHERE }]);
    for (let i = 0; i < 3; i++) await server.get('/agents');
    const { body } = await server.get<AgentsAnswer>('/agents');
    expect(body.agents.filter(({ name }) => name === 'demo')).toMatchObject([{ executor: 'session-runner' }]);
    const warnings = lines.filter((line) => line.includes('this name is taken already'));
    expect(warnings.map((line) => JSON.parse(line) as object)).toMatchObject([
      { agent: 'demo', executor: 'a2a-home-executor' },
    ]);
    expect((await server.chat('hello')).body.response).toBe('echo: hello');
  });

  test('has a workspace’s own agent of a taken name for those who name the workspace, and the other for the rest', async () => {
    const { server, peer, write } = await start();
    write(JSON.stringify({ v: 1, agents: [{ name: 'manual', url: peer.url }] }));
    const own = await server.chat('say mine', { agent: 'manual', workspace: 'demo' });
    expect(own.body).toMatchObject({ taskState: 'completed', response: 'mine' });
    const { body } = await server.chat('work', { agent: 'manual', returnImmediately: true });
    const turn = await server.manual.next();
    expect(turn.prompt.cid).toBe(body.cid);
    turn.end({ kind: 'completed' });
  });
});

describe('a test of an agent', () => {
  test('asks it, is marked as a test, and tells what it says or why it does not', async () => {
    const { server, peer } = await start();
    const { status, body } = await server.post('/agents/far/test', { message: 'say hi' });
    expect([status, body.taskState, body.response]).toEqual([200, 'completed', 'hi']);
    expect((await server.post('/agents/near/test', { workspace: 'demo' })).body.response).toMatch(
      /^echo: This is a test/,
    );
    expect((await server.post('/agents/gone/test', {})).body).toMatchObject({ taskState: 'failed' });
    expect((await server.post('/agents/near/test', {})).status).toBe(404);
    expect(peer.executor.begun).toHaveLength(2);
    expect(server.switchboard.core.ledger.get(body.cid)?.envelope.synthetic).toBe(true);
  });

  test('by command ends with 0 only when it worked', async () => {
    const { type } = await start();
    expect(await type('agents', 'test', 'far', 'say', 'hi')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^far: completed\n/),
    });
    const failed = await type('agents', 'test', 'gone');
    expect([failed.code, failed.out]).toEqual([1, expect.stringMatching(/gone could not be reached/)]);
    expect((await type('agents', 'test', 'nobody')).code).not.toBe(0);
  });
});

describe('the list of watches', () => {
  test('has what is followed, by agent, caller and state, page by page, until it ends', async () => {
    const { server, peer } = await start();
    const first = await hold(peer, server);
    const second = await hold(peer, server);
    const { watches } = await following(server, 2);
    expect(watches.map(({ cid }) => cid)).toEqual([first, second]);
    expect(watches[0]).toMatchObject({ agent: 'far', caller: 'operator', state: 'following', taskState: 'working' });
    const count = async (query: string): Promise<number> =>
      (await server.get<WatchesAnswer>(`/watches${query}`)).body.total;
    expect(
      await Promise.all(['?agent=far', '?agent=near', '?caller=operator', '?caller=x', '?state=sending'].map(count)),
    ).toEqual([2, 0, 2, 0, 0]);
    const { body: page } = await server.get<WatchesAnswer>('/watches?pageSize=1');
    const { body: next } = await server.get<WatchesAnswer>(`/watches?pageSize=1&cursor=${page.nextCursor}`);
    expect([page.watches[0]?.cid, next.watches[0]?.cid, next.nextCursor]).toEqual([first, second, undefined]);
    expect((await server.get('/watches?cursor=nonsense')).status).toBe(400);
    peer.executor.releaseAll();
    await server.get(`/task/${first}?wait=20`);
    await server.get(`/task/${second}?wait=20`);
    await following(server, 0);
  });

  test('by command, with a cancel that ends one', async () => {
    const { server, peer, type } = await start();
    const cid = await hold(peer, server);
    await following(server, 1);
    const { out } = await type('watches');
    expect(out).toMatch(new RegExp(`^${cid} +far +following +working +operator `, 'm'));
    expect(out).toMatch(/^1 of 1$/m);
    expect(await type('cancel', cid)).toMatchObject({ code: 0, out: `Task ${cid} is canceled.` });
    expect((await type('watches', '--agent', 'far')).out).toContain('0 of 0');
  });
});

describe('a prompt that names a skill and no agent', () => {
  test('goes to the agent elsewhere that offers it, and to nobody when none does', async () => {
    const { server, peer } = await start();
    await server.get('/agents?probe=true');
    const { body } = await server.post<TaskView>('/chat', { skill: 'script', message: 'say by skill' });
    expect(body).toMatchObject({ taskState: 'completed', response: 'by skill', agent: 'far' });
    expect(peer.executor.begun[0]?.metadata).toMatchObject({ skill: 'script' });
    expect((await server.post('/chat', { skill: 'juggling', message: 'x' })).status).toBe(404);
    expect((await server.post('/chat', { agent: 'far', skill: 'juggling', message: 'x' })).status).toBe(400);
  });
});

describe('the health of the server', () => {
  type Ready = { status: string; remoteAgents: { name: string; reachable: string; problem?: string }[] };
  const metric = async (server: OperatorServer, name: string): Promise<string | undefined> => {
    const answer = await fetch(`${server.url}/metrics`, { headers: { 'X-API-Key': 'operator-key-of-a-test' } });
    const text = await answer.text();
    return text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1];
  };

  test('names agents elsewhere that are not reached or left alone, and stays ready', async () => {
    const { server, type } = await start();
    for (let i = 0; i < 5; i++) await server.get('/agents?probe=true');
    const { status, body } = await server.call<Ready>('GET', '/readyz');
    expect([status, body.status]).toEqual([200, 'ready']);
    expect(body.remoteAgents).toMatchObject([
      { name: 'far', reachable: 'yes' },
      { name: 'gone', reachable: 'no', problem: expect.any(String), leftAloneUntil: expect.any(String) },
      { name: 'near', workspace: 'demo', reachable: 'yes' },
    ]);
    expect(await metric(server, 'switchboard_remote_agents{reachable="yes"}')).toBe('2');
    expect(await metric(server, 'switchboard_remote_agents{reachable="no"}')).toBe('1');
    expect(await metric(server, 'switchboard_remote_agents_left_alone')).toBe('1');
    const { code, out } = await type('doctor');
    expect(code).toBe(0);
    expect(out).toMatch(/^ok +agents: far is reachable$/m);
    expect(out).toMatch(/^warning agents: gone: gone could not be reached: .* it is not asked before 20/m);
    expect((await server.call('GET', '/readyz', undefined, {})).body).toEqual({ status: 'ready' });
  });

  test('names a card that can not be had anew, while calls still work by the last good one', async () => {
    const peer = await new MisbehavingPeer().start();
    stopping.push(peer);
    peer.cardHeaders = { 'cache-control': 'no-cache' };
    const settings = { agents: [{ name: 'odd', url: peer.url }], followSeconds: 1 };
    const server = await OperatorServer.start({ settings });
    await server.get('/agents?probe=true');
    peer.from('card', 'html');
    const { body: begun } = await server.chat('work', { agent: 'odd', returnImmediately: true });
    await following(server, 1);
    const { body } = await server.call<Ready>('GET', '/readyz');
    expect(body.remoteAgents).toMatchObject([{ reachable: 'yes', problem: expect.stringMatching(/no agent card/) }]);
    expect(await metric(server, 'switchboard_remote_agents_with_problem')).toBe('1');
    await server.post(`/task/${begun.cid}/cancel`, {});
  });
});
