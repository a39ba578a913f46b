// The real server with agents that speak the Agent Client Protocol in processes of their own, well-behaved and not.
import { afterAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markedProcesses } from '../../plugins/executors/session-runner/drivers/acp/marked-processes.js';
import type { TaskView } from '../../src/operator-wire.js';
import { A2aClient, textMessage, type WireEvent, type WirePart, type WireTask } from '../support/a2a-client.js';
import { compileAcpAgent } from '../support/compiled-acp-agent.js';
import { OperatorServer } from '../support/operator-server.js';

const agent = compileAcpAgent();
afterAll(() => agent.remove());

interface Serve {
  flags?: string[];
  driver?: object;
}

/** A server whose workspace `demo` is the agent; with `--load` it keeps its conversations in the home. */
async function serve({ flags = [], driver = {} }: Serve = {}): Promise<OperatorServer> {
  const server = await OperatorServer.start();
  const store = ['--store', join(server.home.path, 'conversations.json')];
  const settings = { v: 1, driver: { ...agent.driver(['--http', ...store, ...flags]), ...driver } };
  writeFileSync(join(server.home.path, 'workspaces', 'demo', '.a2a', 'workspace.json'), JSON.stringify(settings));
  return server;
}

const clientOf = (server: OperatorServer): A2aClient => new A2aClient(server.url, server.home.keys.ann as string);
const said = async (server: OperatorServer, message: string, more: object = { contextId: 'c' }): Promise<string> =>
  (await server.chat(message, more)).body.response;
const reply = async (server: OperatorServer, { cid }: TaskView, more: object): Promise<TaskView> => {
  await server.post('/input', { cid, ...more });
  return (await server.get(`/task/${cid}?wait=20`)).body;
};
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
/** Ends with the test's own time limit. */
const gone = async (pid: number): Promise<void> => {
  while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
};

describe('an agent over A2A', () => {
  it('streams its answer; tools and plans show as working, thoughts do not', async () => {
    const server = await serve();
    const message = textMessage(randomUUID(), 'think aloud; plan the rest; tool search; say one; say two');
    const events: WireEvent[] = [];
    for await (const { event } of clientOf(server).stream('SendStreamingMessage', { message })) events.push(event);
    const status = events.flatMap(({ statusUpdate }) => statusUpdate?.status.message?.parts ?? []);
    expect(status).toEqual([{ text: 'plan: 1 of 2 done, next: the rest' }, { text: 'using search' }]);
    const pieces = events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts ?? []);
    expect(pieces.map((part) => ('text' in part ? part.text : '')).join('')).toBe('onetwo');
    // The first event is the task with the words it was asked.
    expect(JSON.stringify(events.slice(1))).not.toMatch(/aloud|arguments/);
  });

  it('is told who asks and which tools it has, and standing words once', async () => {
    const server = await serve();
    writeFileSync(join(server.home.path, 'workspaces', 'demo', 'PERSONA.md'), 'You are brief.');
    const ask = async (text: string): Promise<string> => {
      const message = textMessage(randomUUID(), text, { contextId: 'c' });
      const { task } = await clientOf(server).rpc<{ task: WireTask }>('SendMessage', { message });
      return JSON.stringify(task.artifacts);
    };
    const first = await ask('seen');
    for (const words of ['You are brief.', 'third party', 'request_input', 'Local time'])
      expect(first).toContain(words);
    const second = await ask('seen');
    expect(second).toContain('third party');
    expect(second).not.toContain('You are brief.');
  });

  it('is not told of tools that it can’t reach', async () => {
    const server = await serve({ driver: agent.driver() });
    const message = textMessage(randomUUID(), 'seen');
    const { task } = await clientOf(server).rpc<{ task: WireTask }>('SendMessage', { message });
    expect(JSON.stringify(task.artifacts)).toContain('third party');
    expect(JSON.stringify(task.artifacts)).not.toContain('request_input');
  });

  it('gets files as it takes them: within the prompt, or as a link into the workspace', async () => {
    const files: WirePart[] = [
      { text: 'blocks' },
      { raw: Buffer.from('png').toString('base64'), filename: 'a.png', mediaType: 'image/png' },
      { raw: Buffer.from('words').toString('base64'), filename: 'a.txt', mediaType: 'text/plain' },
      { raw: Buffer.from('zip').toString('base64'), filename: 'a.zip', mediaType: 'application/zip' },
    ];
    const blocks = async (flags: string[]): Promise<string> => {
      const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [...files].reverse() };
      const server = await serve({ flags });
      return JSON.stringify(
        (await clientOf(server).rpc<{ task: WireTask }>('SendMessage', { message })).task.artifacts,
      );
    };
    expect(await blocks(['--images', '--embeds'])).toMatch(
      /text resource_link=file:\/\/\/[^ ]*\/inbox\/[^ ]*a\.zip resource=words image"/,
    );
    expect(await blocks([])).toMatch(/resource_link=[^ ]*a\.zip resource_link=[^ ]*a\.txt resource_link=[^ ]*a\.png/);
  });

  it('runs in the workspace, with its own session tools, and sends through them', async () => {
    const server = await serve();
    expect(await said(server, 'cwd')).toBe(join(server.home.path, 'workspaces', 'demo'));
    const { body } = await server.chat('call send {"text": "a gift"}', { contextId: 'c' });
    expect(body).toMatchObject({ response: 'The text was sent.', artifacts: [{ parts: [{ text: 'a gift' }] }] });
    expect(await said(server, 'call rm {"path": "/"}')).toBe('There is no tool named rm.');
  });

  it('ends its turn with a question, and the answer reaches it after a restart, without the past being shown again', async () => {
    let server = await serve({ flags: ['--load'] });
    const { body } = await server.chat('say hold on; ask which colour?', { contextId: 'c' });
    expect(body).toMatchObject({ taskState: 'input-required', question: 'which colour?' });
    server = await server.restart();
    expect(await reply(server, body, { answer: 'blue' })).toMatchObject({
      taskState: 'completed',
      response: 'you said: blue',
    });
    expect(await said(server, 'recall')).toContain('which colour?');
  });

  it('is made to stop when it goes on after a question', async () => {
    const server = await serve();
    const { body } = await server.chat('ask-on which colour?; say more', { contextId: 'c' });
    expect(body).toMatchObject({ taskState: 'input-required', question: 'which colour?', response: '' });
    expect((await reply(server, body, { answer: 'red' })).response).toBe('you said: red');
  });

  it('without a memory of its own it is told what was said before', async () => {
    let server = await serve();
    await server.chat('say the word is swordfish', { contextId: 'c' });
    server = await server.restart();
    expect(await said(server, 'seen')).toContain('assistant: the word is swordfish');
  });
});

describe('permissions', () => {
  it.each([
    ['allow', 'rm x: my-allow_once'],
    ['deny', 'rm x: my-reject_once'],
  ])('the policy %s decides at once', async (permissions, answer) => {
    const server = await serve({ driver: { permissions } });
    expect(await said(server, 'permit rm x')).toBe(answer);
  });

  it('a third party gets nothing done to the switchboard’s own files, whatever the policy', async () => {
    const server = await serve({ driver: { permissions: 'allow' } });
    const message = textMessage(randomUUID(), 'permit cat .A2A/callers.json');
    const { task } = await clientOf(server).rpc<{ task: WireTask }>('SendMessage', { message });
    expect(JSON.stringify(task.artifacts)).toContain('my-reject_once');
  });

  it.each([
    ['approve', 'before rm x: my-allow_once'],
    ['decline', 'before rm x: my-reject_once'],
  ])('the operator is asked, and the same work goes on: %s', async (decision, answer) => {
    const server = await serve();
    const { body } = await server.chat('say before ; permit rm x', { contextId: 'c' });
    expect(body).toMatchObject({ taskState: 'auth-required', question: 'The agent asks for permission: rm x' });
    expect(await reply(server, body, { decision })).toMatchObject({ taskState: 'completed' });
    const task = await server.get<TaskView>(`/task/${body.cid}`);
    expect(`before ${task.body.response.replace('before', '').trim()}`).toBe(answer);
  });

  it('two requests at once are two decisions', async () => {
    const server = await serve();
    const { body } = await server.chat('permit-both first second', { contextId: 'c' });
    const second = await reply(server, body, { decision: 'approve' });
    expect([body.question, second.question]).toEqual([
      'The agent asks for permission: first',
      'The agent asks for permission: second',
    ]);
    const done = await reply(server, second, { decision: 'decline' });
    expect(done.response).toContain('second: my-reject_once');
  });

  it.each([
    ['approve', 'rm x: my-allow_once'],
    ['decline', 'The operator has declined it (decline). Do without it, and say what that means for the task.'],
  ])('a decision after a restart is told to the resumed session: %s', async (decision, answer) => {
    let server = await serve({ flags: ['--resume'] });
    const { body } = await server.chat('permit rm x', { contextId: 'c' });
    server = await server.restart();
    const done = await reply(server, body, { decision });
    expect(done.response.split('\n').at(-1)).toBe(answer);
    // What was granted was granted once.
    expect((await server.chat('permit rm x', { contextId: 'c' })).body.taskState).toBe('auth-required');
  });

  it('a task cancelled while it waits leaves the conversation usable', async () => {
    const server = await serve();
    const { body } = await server.chat('permit rm x', { contextId: 'c' });
    await server.post(`/task/${body.cid}/cancel`, {});
    expect(await said(server, 'say next')).toBe('next');
  });
});

describe('agents that misbehave', () => {
  it('a turn is cancelled in the middle, also with an agent that does not listen', async () => {
    const server = await serve();
    for (const text of ['say begun; hang', 'say begun; deaf']) {
      const { body } = await server.post('/delegate', { agent: 'demo', message: text, contextId: text.slice(-4) });
      const follower = server.switchboard.core.ledger.follow(body.cid);
      for (;;)
        if (
          (await follower.next())?.event !== undefined &&
          server.switchboard.core.ledger.get(body.cid)?.task.artifacts?.length
        )
          break;
      follower.close();
      const canceled = await server.post(`/task/${body.cid}/cancel`, {});
      expect(canceled.body.taskState).toBe('canceled');
    }
    await server.switchboard.bus.drain();
  });

  it.each([
    ['dies', 'exit 3', 'The agent’s process ended in the middle of its work (exit code 3).'],
    ['closes its output', 'close-output', 'The agent broke off the connection; it was ended.'],
    ['sends too much at once', 'big 40000000', 'The agent sent a message that is too large; it was ended.'],
  ])(
    'one that %s fails its turn with a reason, and the next turn takes the conversation up again',
    async (_how, text, reason) => {
      const server = await serve({ flags: ['--load'] });
      await said(server, 'say remember me');
      expect((await said(server, text)).replace("'", '’')).toBe(reason);
      expect(await said(server, 'recall')).toContain('remember me');
    },
  );

  it.each([
    ['is not there', { command: 'no-such-agent', args: [] }, [], 'The agent\'s program "no-such-agent" was not found.'],
    ['may not be run', { command: '/etc/passwd', args: [] }, [], 'The agent\'s program "/etc/passwd" may not be run.'],
    ['dies at once', {}, ['--die'], "The agent's process ended before it was ready (exit code 3)."],
    ['wants a login', {}, ['--login'], 'The agent wants a login: log in with its own command, as the same user.'],
    [
      'is of tomorrow',
      {},
      ['--protocol', '2'],
      'The agent speaks version 2 of the Agent Client Protocol; here it is 1.',
    ],
    [
      'lacks the model',
      { model: 'big' },
      [],
      'The agent does not take the model "big". The agent reported an error: no such method',
    ],
  ])('one that %s is told of in plain words', async (_how, driver, flags, reason) => {
    const server = await serve({ flags, driver });
    expect(await said(server, 'say hello')).toBe(reason);
  });

  it.each([
    ['greets and complains', ['--noise', '--complain', '2000000'], 'say fine'],
    ['prints no messages', [], 'noise 100000; say fine'],
    ['says what nobody understands', [], 'odd; say fine'],
  ])('one that %s works all the same', async (_how, flags, text) => {
    const server = await serve({ flags });
    expect(await said(server, text)).toBe('fine');
  });

  it.each([
    ['nonsense', 'The agent stopped for a reason that is not known here: nonsense.'],
    ['refusal', 'The agent refuses to go on with this.'],
    ['max_tokens', 'half'],
  ])('the end of a turn for the reason %s is understood', async (reason, answer) => {
    const server = await serve();
    expect(await said(server, `say half; stop ${reason}`)).toBe(answer);
  });

  it('no child or grandchild is left by a stop, by a death, or by one that hangs on', async () => {
    const server = await serve({ flags: ['--stubborn'] });
    const child = Number(await said(server, 'pid'));
    const grandchildren = [Number(await said(server, 'fork')), Number(await said(server, 'fork detached'))];
    const other = Number(await said(server, 'fork detached', { contextId: 'd' }));
    await said(server, 'exit 1', { contextId: 'd' });
    await gone(other);
    await server.switchboard.stop();
    expect(isAlive(child)).toBe(false);
    for (const pid of grandchildren) await gone(pid);
    expect(markedProcesses('').filter((pid) => [child, other, ...grandchildren].includes(pid))).toEqual([]);
  });
});
