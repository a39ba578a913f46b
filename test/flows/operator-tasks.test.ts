import type { TasksAnswer } from '../../src/operator-wire.js';
import { OperatorServer } from '../support/operator-server.js';

interface SessionList {
  sessions: { contextId: string; tasks: number; caller: string; lastTask: { cid: string } }[];
  nextCursor?: string;
}

describe('reading a task', () => {
  it('is unknown only for what never existed', async () => {
    const server = await OperatorServer.start();
    for (const cid of ['never-was', '..%2F..%2Fswitchboard', 'A'.repeat(300)]) {
      const { status, body } = await server.get(`/task/${cid}?wait=1`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ taskState: 'unknown', done: false, pending: false });
    }
  });

  it('survives a restart', async () => {
    const before = await OperatorServer.start();
    const { body } = await before.chat('say one; say two');
    expect(body.response).toBe('two');
    const after = await before.restart();
    const { pollUrl, ...same } = (await after.get(`/task/${body.cid}`)).body;
    expect({ ...same, pollUrl: body.pollUrl }).toEqual(body);
    expect(pollUrl).toBe(`${after.url}/api/a2a/task/${body.cid}`);
  });
});

describe('cancelling', () => {
  it('reaches the agent and is final', async () => {
    const server = await OperatorServer.start();
    const { cid } = (await server.post('/delegate', { agent: 'manual', message: 'work' })).body;
    const turn = await server.manual.next();
    const canceled = await server.post(`/task/${cid}/cancel`, { reason: 'no longer needed' });
    expect(canceled).toMatchObject({ status: 200, body: { cid, taskState: 'canceled', done: true } });
    expect(turn.handle.signal.aborted).toBe(true);
    expect(await server.post(`/task/${cid}/cancel`, {})).toMatchObject({ status: 200 });
  });

  it('is refused for a task that has ended, and for none', async () => {
    const server = await OperatorServer.start();
    const { cid } = (await server.chat('hello')).body;
    const late = await server.post(`/task/${cid}/cancel`, {});
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'task-not-cancelable', taskId: cid } } });
    expect(await server.post('/task/never-was/cancel', {})).toMatchObject({ status: 404 });
  });
});

describe('lists', () => {
  const names = (page: TasksAnswer): string[] => page.tasks.map(({ cid }) => cid);

  it('show tasks of all callers by state, agent and context, page by page', async () => {
    const server = await OperatorServer.start();
    const cids: string[] = [];
    for (const contextId of ['a', 'b', 'c', 'd']) cids.push((await server.chat('hello', { contextId })).body.cid);
    const asked = (await server.chat('ask why?', { contextId: 'a' })).body.cid;
    const all = (await server.get<TasksAnswer>('/tasks')).body;
    expect(all).toMatchObject({ total: 5 });
    expect(names(all)).toEqual(expect.arrayContaining([...cids, asked]));
    expect(all.tasks[0]).toMatchObject({ caller: 'operator', agent: 'demo', contextId: expect.any(String) });

    const byState = (await server.get<TasksAnswer>('/tasks?state=input-required')).body;
    expect(names(byState)).toEqual([asked]);
    const byContext = (await server.get<TasksAnswer>('/tasks?contextId=a&agent=demo')).body;
    expect(new Set(names(byContext))).toEqual(new Set([cids[0], asked]));
    expect((await server.get<TasksAnswer>('/tasks?agent=other')).body).toEqual({ tasks: [], total: 0 });

    const paged: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: TasksAnswer = (
        await server.get<TasksAnswer>(`/tasks?pageSize=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      ).body;
      expect(page.tasks.length).toBeLessThanOrEqual(2);
      paged.push(...names(page));
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(names(all));
  });

  it.each(['cursor=zzz', 'pageSize=0', 'pageSize=101', 'pageSize=x', 'state=sleeping', 'since=yesterday'])(
    'refuse %s',
    async (query) => {
      const server = await OperatorServer.start();
      const { status, body } = await server.get(`/tasks?${query}`);
      expect({ status, code: body.error?.code }).toEqual({ status: 400, code: 'invalid-params' });
    },
  );

  it('show each conversation once, also over pages', async () => {
    const server = await OperatorServer.start();
    for (const contextId of ['a', 'b', 'a', 'c', 'a']) await server.chat('hello', { contextId });
    const { sessions } = (await server.get<SessionList>('/sessions')).body;
    expect(sessions.map(({ contextId, tasks }) => [contextId, tasks]).sort()).toEqual([
      ['a', 3],
      ['b', 1],
      ['c', 1],
    ]);
    const paged: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: SessionList = (
        await server.get<SessionList>(`/sessions?pageSize=1${cursor === '' ? '' : `&cursor=${cursor}`}`)
      ).body;
      paged.push(...page.sessions.map(({ contextId }) => contextId));
      cursor = page.nextCursor;
    }
    expect(paged.sort()).toEqual(['a', 'b', 'c']);
  });

  it('name the agents', async () => {
    const server = await OperatorServer.start();
    const { body } = await server.get<{ agents: { name: string; cardUrl: string }[] }>('/agents');
    expect(body.agents.map(({ name }) => name).sort()).toEqual(['demo', 'manual']);
    expect(body.agents.find(({ name }) => name === 'demo')?.cardUrl).toBe(
      `${server.url}/agents/demo/.well-known/agent-card.json`,
    );
  });
});
