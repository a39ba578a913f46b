import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorServer } from '../support/operator-server.js';

describe('operator chat', () => {
  it('waits for the answer and says all there is to say about it', async () => {
    const server = await OperatorServer.start();
    const { status, body } = await server.chat('hello');
    expect(status).toBe(200);
    expect(body).toEqual({
      cid: body.taskId,
      taskId: expect.stringMatching(/^[a-z0-9-]+$/),
      contextId: expect.any(String),
      agent: 'demo',
      taskState: 'completed',
      done: true,
      pending: false,
      response: 'echo: hello',
      parts: [{ text: 'echo: hello' }],
      pollUrl: `${server.url}/api/a2a/task/${body.cid}`,
    });
  });

  it('goes on in the same context', async () => {
    const server = await OperatorServer.start();
    const first = await server.chat('hello', { contextId: 'Talk_1' });
    const second = await server.chat('again', { contextId: 'Talk_1' });
    expect([first.body.contextId, second.body.contextId]).toEqual(['Talk_1', 'Talk_1']);
    expect(second.body.cid).not.toBe(first.body.cid);
  });

  it('answers with what it has when the wait is over, and the poll brings the rest', async () => {
    const server = await OperatorServer.start();
    const running = server.post('/chat', { agent: 'manual', message: 'work', waitSeconds: 0 });
    const turn = await server.manual.next();
    const { body, status } = await running;
    expect(status).toBe(200);
    expect(body).toMatchObject({ done: false, pending: true, response: '' });
    const poll = server.get(`/task/${body.cid}?wait=30`);
    turn.end({ kind: 'completed', parts: [{ text: 'finished' }] });
    expect((await poll).body).toMatchObject({ taskState: 'completed', done: true, response: 'finished' });
  });

  it('returns a waiting chat the moment the task settles', async () => {
    const server = await OperatorServer.start();
    const chat = server.post('/chat', { agent: 'manual', message: 'work', waitSeconds: 30 });
    const turn = await server.manual.next();
    turn.handle.delta('half ');
    turn.handle.delta('done');
    turn.end({ kind: 'completed' });
    expect((await chat).body).toMatchObject({ taskState: 'completed', response: 'half done' });
  });

  it('reports submitted with returnImmediately, and for delegated work with 202', async () => {
    const server = await OperatorServer.start();
    const chat = await server.chat('hello', { returnImmediately: true });
    expect(chat).toMatchObject({ status: 200, body: { taskState: 'submitted', pending: true, done: false } });
    const delegated = await server.post('/delegate', { agent: 'demo', message: 'hello' });
    expect(delegated).toMatchObject({ status: 202, body: { taskState: 'submitted', pending: true } });
    const { body } = await server.get(`/task/${delegated.body.cid}?wait=30`);
    expect(body).toMatchObject({ taskState: 'completed', response: 'echo: hello' });
  });

  it('says 502 with the reason when the agent fails, and 200 when the failure is polled', async () => {
    const server = await OperatorServer.start();
    const { status, body } = await server.chat('fail out of paper');
    expect(status).toBe(502);
    expect(body).toMatchObject({ taskState: 'failed', done: true, response: 'out of paper' });
    expect(body.error?.message).toBe('out of paper');
    expect(await server.get(`/task/${body.cid}`)).toMatchObject({ status: 200, body: { taskState: 'failed' } });
  });

  it('says 409 and names the running task when the context is busy', async () => {
    const server = await OperatorServer.start();
    const running = await server.post('/delegate', { agent: 'manual', message: 'work', contextId: 'c' });
    const { status, body } = await server.post('/chat', { agent: 'manual', message: 'more', contextId: 'c' });
    expect(status).toBe(409);
    expect(body.error).toMatchObject({ code: 'busy', taskId: running.body.cid });
  });

  it('says 429 with the time to wait when a limit is reached', async () => {
    const server = await OperatorServer.start({
      settings: { quota: { liveTasksPerCaller: 1, liveTasks: 100, concurrentTurns: 100 } },
    });
    await server.post('/delegate', { agent: 'manual', message: 'work' });
    for (const path of ['/chat', '/delegate']) {
      const { status, body, headers } = await server.post(path, { agent: 'manual', message: 'more' });
      expect(status).toBe(429);
      expect(body).toMatchObject({ taskState: 'rejected', done: true, error: { code: 'quota' } });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('says 429 when requests come too fast', async () => {
    const server = await OperatorServer.start({ settings: { rate: { perMinute: 1, burst: 1 } } });
    await server.chat('hello');
    const { status, body, headers } = await server.chat('hello');
    expect(status).toBe(429);
    expect(body.error?.code).toBe('rate-limited');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('carries files both ways', async () => {
    const server = await OperatorServer.start();
    const raw = Buffer.from('some bytes').toString('base64');
    const sent = await server.post('/chat', {
      agent: 'manual',
      parts: [{ text: 'see file' }, { raw, filename: 'a.txt', mediaType: 'text/plain' }, { data: { n: 1 } }],
      returnImmediately: true,
    });
    const turn = await server.manual.next();
    const [text, file, data] = turn.prompt.message.parts;
    expect([text, data]).toEqual([{ text: 'see file' }, { data: { n: 1 } }]);
    expect(file).toMatchObject({ blob: expect.any(String), size: 10, filename: 'a.txt' });
    turn.handle.artifact({ artifactId: 'copy', name: 'copy', parts: [file as NonNullable<typeof file>] });
    turn.end({ kind: 'completed', parts: [{ text: 'copied' }] });
    const { body } = await server.get(`/task/${sent.body.cid}?wait=30`);
    expect(body.response).toBe('copied');
    expect(body.artifacts).toEqual([
      { artifactId: 'copy', name: 'copy', parts: [{ raw, filename: 'a.txt', mediaType: 'text/plain' }] },
    ]);
  });
});

describe('operator questions and approvals', () => {
  it('shows the question, and takes its answer', async () => {
    const server = await OperatorServer.start();
    const asked = await server.chat('ask your name?');
    expect(asked).toMatchObject({
      status: 200,
      body: { taskState: 'input-required', done: false, pending: false, question: 'your name?' },
    });
    const { cid, requestId } = asked.body;
    expect(requestId).toEqual(expect.any(String));
    const answered = await server.post('/input', { cid, requestId, answer: 'Ann' });
    expect(answered).toMatchObject({ status: 200, body: { cid, taskState: 'completed', response: 'you said: Ann' } });
    expect(answered.body.question).toBeUndefined();
  });

  it('takes a chat message with the taskId as the answer', async () => {
    const server = await OperatorServer.start();
    const { body } = await server.chat('ask your name?');
    const answered = await server.post('/chat', { message: 'Ann', taskId: body.cid });
    expect(answered.body).toMatchObject({ cid: body.cid, contextId: body.contextId, response: 'you said: Ann' });
  });

  it.each([
    ['approve', 'completed'],
    ['decline', 'rejected'],
  ])('lets the operator %s what a caller started', async (decision, taskState) => {
    const server = await OperatorServer.start({ callers: ['ann'] });
    const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'auth may I?; say thanks' }] };
    const headers = { 'X-API-Key': server.home.keys['ann'] as string, 'A2A-Version': '1.0' };
    const call = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
    const sent = await server.call<{ result: { task: { id: string } } }>('POST', '/a2a', call, headers);
    const cid = sent.body.result.task.id;
    expect((await server.get(`/task/${cid}`)).body).toMatchObject({ taskState: 'auth-required', question: 'may I?' });
    const decided = await server.post('/input', { cid, decision });
    expect(decided.body).toMatchObject({ cid, taskState, done: true });
  });

  it('refuses an answer of the wrong kind, to another question, or to none', async () => {
    const server = await OperatorServer.start();
    const { cid } = (await server.chat('ask your name?')).body;
    expect(await server.post('/input', { cid, decision: 'approve' })).toMatchObject({ status: 400 });
    expect(await server.post('/input', { cid })).toMatchObject({ status: 400 });
    expect(await server.post('/input', { cid, requestId: 'other', answer: 'x' })).toMatchObject({ status: 409 });
    expect((await server.get(`/task/${cid}`)).body.taskState).toBe('input-required');
    await server.post('/input', { cid, answer: 'x' });
    expect(await server.post('/input', { cid, answer: 'x' })).toMatchObject({ status: 409 });
    const approval = (await server.chat('auth may I?')).body;
    expect(await server.post('/input', { cid: approval.cid, answer: 'yes' })).toMatchObject({ status: 400 });
    expect(await server.post('/input', { cid: 'nothing', answer: 'x' })).toMatchObject({ status: 404 });
  });

  it('keeps a question over a restart', async () => {
    const before = await OperatorServer.start();
    const { cid } = (await before.chat('ask your name?')).body;
    const after = await before.restart();
    expect((await after.get(`/task/${cid}`)).body).toMatchObject({
      taskState: 'input-required',
      question: 'your name?',
    });
    const answered = await after.post('/input', { cid, answer: 'Ann' });
    expect(answered.body).toMatchObject({ taskState: 'completed', response: 'you said: Ann' });
  });

  it('leaves no file behind when the message is refused', async () => {
    const server = await OperatorServer.start();
    const parts = [{ raw: Buffer.from('refused bytes').toString('base64') }];
    const refused = await server.post('/chat', { agent: 'demo', skill: 'none', parts });
    expect(refused.status).toBe(400);
    const blobs = join(server.home.path, 'data', 'operator', 'blobs');
    expect(readdirSync(blobs)).toEqual([]);
    expect((await server.post('/chat', { agent: 'demo', parts })).status).toBe(200);
    expect(readdirSync(blobs)).toHaveLength(1);
  });
});
