import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskView } from '../../src/operator-wire.js';
import { type as typed } from '../support/fake-terminal.js';
import { OperatorServer } from '../support/operator-server.js';

const start = async () => {
  const server = await OperatorServer.start();
  return { server, type: (...argv: string[]) => typed(server.home.path, argv) };
};

/** A file of demo's owner. */
const write = ({ home }: OperatorServer, file: string, text: string): void =>
  writeFileSync(join(home.path, 'workspaces', 'demo', '.a2a', file), text);

describe('commands on a running server', () => {
  it('chat prints the answer', async () => {
    const { type } = await start();
    expect(await type('chat', '-a', 'demo', 'hello', 'you')).toMatchObject({
      code: 0,
      out: 'echo: hello you',
      err: '',
    });
  });

  it('chat goes on waiting for an answer that takes longer than one request', async () => {
    const server = await OperatorServer.start({ settings: { chatWaitSeconds: 0 } });
    const chat = typed(server.home.path, ['chat', '-a', 'manual', 'work']);
    const turn = await server.manual.next();
    turn.end({ kind: 'completed', parts: [{ text: 'at last' }] });
    expect(await chat).toMatchObject({ code: 0, out: 'at last' });
  });

  it('prints JSON where asked for, before or after the command', async () => {
    const { type } = await start();
    for (const argv of [
      ['--json', 'chat', '-a', 'demo', 'hi'],
      ['chat', '-a', 'demo', 'hi', '--json'],
    ]) {
      expect((await type(...argv)).json<TaskView>()).toMatchObject({ taskState: 'completed', response: 'echo: hi' });
    }
  });

  it('send returns at once, status and cancel find the task', async () => {
    const { server, type } = await start();
    const sent = await type('send', '-a', 'manual', 'work', '--json');
    const { cid, taskState } = sent.json<TaskView>();
    expect({ code: sent.code, taskState }).toEqual({ code: 0, taskState: 'submitted' });
    await server.manual.next();
    expect((await type('status', cid)).out).toMatch(/^working, agent manual/);
    expect(await type('cancel', cid, '--reason', 'enough')).toMatchObject({ code: 0, out: `Task ${cid} is canceled.` });
    const again = await type('status', cid);
    expect(again.code).toBe(1);
    expect(again.out).toContain('canceled');
  });

  it('questions are answered by their task', async () => {
    const { type } = await start();
    const asked = (await type('chat', '-a', 'demo', 'ask who?', '--json')).json<TaskView>();
    expect(asked.question).toBe('who?');
    expect((await type('answer', asked.cid, 'it', 'is', 'me')).out).toContain('you said: it is me');
    const approval = (await type('chat', '-a', 'demo', 'auth may I?', '--json')).json<TaskView>();
    expect(await type('approve', approval.cid)).toMatchObject({ code: 0 });
    const declined = (await type('chat', '-a', 'demo', 'auth may I?', '--json')).json<TaskView>();
    expect(await type('decline', declined.cid)).toMatchObject({ code: 1 });
  });

  it('a conversation keeps its context, answers questions in place, and survives a refusal', async () => {
    const { server } = await start();
    const input = ['hello', '', 'ask who?', 'me', 'auth may I?', 'y', 'fail oh no', 'bye', '/quit', 'never sent'];
    const talk = await typed(server.home.path, ['chat', '-a', 'demo'], { input });
    expect(talk.code).toBe(0);
    expect(talk.out.split('\n')).toEqual([
      'echo: hello',
      'who?',
      'you said: me',
      'may I?',
      expect.any(String),
      'oh no',
      expect.stringMatching(/^Task .* is failed\.$/),
      'echo: bye',
    ]);
    const { tasks, total } = (
      await server.get<{ tasks: { contextId: string }[]; total: number }>('/tasks?caller=operator')
    ).body;
    expect(total).toBe(5);
    expect(new Set(tasks.map(({ contextId }) => contextId)).size).toBe(1);
  });

  it.each([
    ['whose message failed', ['hello', 'fail oh no', 'bye'], 1],
    ['whose message was refused', ['hello', 'bye'], 6, 'nobody'],
    ['that went well', ['hello', 'ask who?'], 0],
  ])('a conversation from a pipe %s ends with that code', async (_what, input, code, agent = 'demo') => {
    const { server } = await start();
    expect(await typed(server.home.path, ['chat', '-a', agent], { input: [...input], piped: true })).toMatchObject({
      code,
    });
  });

  it('tells of an unknown task on standard error', async () => {
    const { type } = await start();
    const told = { code: 6, out: '', err: 'There is no task never-was.' };
    expect(await type('status', 'never-was')).toMatchObject(told);
  });

  it('a caller may be given an agent that nobody knows, and a warning says so', async () => {
    const { server, type } = await start();
    write(server, 'agents.json', '{"agents": [{"name": "far", "url": "http://127.0.0.1:9"}]}');
    const added = await type('callers', 'add', 'demo/bob', '--agents', 'demo, manual,far,dmeo');
    expect(added).toMatchObject({ code: 0, err: expect.stringMatching(/^warning: no agent "dmeo" is known now; .*$/) });
    expect(added.out).toContain('The key of demo/bob');
    expect(server.switchboard.core.callers.find('demo/bob')?.agents).toEqual(['demo', 'manual', 'far', 'dmeo']);
  });

  it('lists behind a file that can not be read say so, with its place, and fail', async () => {
    const { server, type } = await start();
    write(server, 'callers.json', '{\n  "callers": [}');
    const err = 'callers.json of demo: is not valid JSON at line 2, column 15; nobody is let in';
    expect(await type('callers', 'list')).toMatchObject({ code: 7, err });
    expect((await type('callers', 'list', 'demo', '--json')).json()).toEqual({ callers: [], problems: [err] });
    write(server, 'agents.json', '{"agents": [{"name": "far", "url": 7}]}');
    const agents = await type('agents');
    expect(agents).toMatchObject({ code: 7, err: 'agents.json of demo: entry 1 is skipped: "url" is not valid' });
    expect(agents.out).toMatch(/^demo /m);
  });

  it('tasks and agents are listed', async () => {
    const { type } = await start();
    await type('chat', '-a', 'demo', 'hello');
    await type('chat', '-a', 'demo', 'ask why?');
    const tasks = await type('tasks');
    expect(tasks.out).toContain('2 of 2');
    expect((await type('tasks', '--state', 'input-required')).out).toContain('1 of 1');
    const page = await type('tasks', '--limit', '1');
    const [, cursor = ''] = /--cursor (\S+)/.exec(page.out) ?? [];
    expect((await type('tasks', '--limit', '1', '--cursor', cursor)).out).toContain('completed');
    expect((await type('agents')).out).toMatch(/^AGENT .*\ndemo /);
  });

  it('callers are managed through the server', async () => {
    const { server, type } = await start();
    const { key } = (await type('callers', 'add', 'demo/bob', '--json')).json<{ key: string }>();
    const rotated = await type('callers', 'rotate', 'demo/bob');
    expect(rotated.err).toContain('old keys still work');
    expect((await type('callers', 'list')).out).toContain(`…${key.slice(-4)}, …`);
    expect((await type('callers', 'remove', 'demo/bob', '--key', key.slice(-4))).out).toContain('Removed 1');
    expect(await type('callers', 'remove', 'demo/bob')).toMatchObject({ code: 0, out: 'Removed demo/bob.' });
    expect(server.switchboard.core.callers.find('demo/bob')).toBeUndefined();
  });

  it.each<[string, number, string[]]>([
    ['an agent that fails', 1, ['chat', '-a', 'demo', 'fail no paper']],
    ['a command that does not exist', 2, ['bogus']],
    ['a missing argument', 2, ['status']],
    ['a bad value', 2, ['tasks', '--state', 'asleep']],
    ['a bad caller name', 2, ['callers', 'add', 'demo']],
    ['an unknown agent', 6, ['chat', '-a', 'nobody', 'hi']],
    ['an unknown task', 6, ['status', 'never-was']],
    ['a locked home', 7, ['rebuild']],
    ['help', 0, ['--help']],
  ])('ends for %s with code %i', async (_what, code, argv) => {
    const { type } = await start();
    expect((await type(...argv)).code).toBe(code);
  });

  it('takes a name for what it is, whatever it holds: no other caller than the named one goes', async () => {
    const { type } = await start();
    for (const name of ['demo/ann#x', 'demo/ann?x=1', 'demo/%61nn']) {
      expect((await type('callers', 'remove', name)).code).not.toBe(0);
    }
    expect((await type('callers', 'list')).out).toContain('demo/ann');
  });

  it('says what an address must look like, and repeats no password of it', async () => {
    const { type } = await start();
    for (const url of ['nonsense', 'file:///etc/passwd', 'http://me:sekret@127.0.0.1:9']) {
      const { code, err } = await type('tasks', '--url', url);
      expect(code).toBe(2);
      expect(err).toMatch(/--url takes an address such as/);
      expect(err).not.toContain('sekret');
    }
  });

  it('tells a wrong key, a busy context and silence apart', async () => {
    const { server, type } = await start();
    const env = { SWITCHBOARD_OPERATOR_KEY: 'wrong' };
    expect(await typed(server.home.path, ['tasks'], { env })).toMatchObject({ code: 4 });
    await type('send', '-a', 'manual', '-c', 'c', 'work');
    const busy = await type('send', '-a', 'manual', '-c', 'c', 'more');
    expect(busy.code).toBe(5);
    expect(busy.err).toContain('The task: ');
    expect(await type('tasks', '--url', 'http://127.0.0.1:9')).toMatchObject({ code: 3, out: '' });
  });

  it('says what to do next where it can tell', async () => {
    const { server, type } = await start();
    await type('callers', 'add', 'demo/ann');
    expect((await type('callers', 'add', 'demo/ann')).err).toContain('rotate its key');
    expect((await type('chat', '-a', 'nobody', 'hi')).err).toContain('switchboard agents');
    expect((await type('cancel', 'never-was')).err).toContain('switchboard tasks');
    const env = { SWITCHBOARD_OPERATOR_KEY: 'wrong' };
    expect((await typed(server.home.path, ['tasks'], { env })).err).toContain('data/operator.key');
    mkdirSync(join(server.home.path, 'plugins'));
    writeFileSync(join(server.home.path, 'plugins', 'late.js'), '');
    expect((await type('plugin', 'list')).out).toContain('plugins/late.js was added since the server started');
    expect((await type('plugin', 'test', 'late')).err).toContain('There is no late.test.ts');
  });

  it('sends the key of its home to no other machine', async () => {
    const { type } = await start();
    for (const host of ['http://switchboard.invalid', 'http://127.0.0.1.invalid'])
      expect(await type('tasks', '--url', host)).toMatchObject({ code: 4, out: '' });
    const refused = await type('tasks', '--url', 'http://me:hunter2-long@127.0.0.1:9');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).not.toContain('hunter2');
  });

  it('doctor finds a running server ready', async () => {
    const { server, type } = await start();
    const { code, out } = await type('doctor');
    expect(out).toContain(`server: ready at ${server.url}`);
    expect(code).toBe(0);
  });
});
