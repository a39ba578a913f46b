// Files that a message only points to: fetched the guarded way by the agent that is asked, or refused.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendParams, useBridgeServer } from '../surfaces/a2a-bridge/bridge-server.js';
import { Receiver } from '../support/receiver.js';

const server = useBridgeServer({ allowPrivate: ['127.0.0.1'], maxPartBytes: 100 });
const guarded = useBridgeServer();
const receiver = new Receiver();
beforeAll(() => receiver.start());
afterAll(() => receiver.stop());
beforeEach(() => {
  receiver.requests.length = 0;
  receiver.respond = (_request, res) =>
    void res.writeHead(200, { 'Content-Type': 'text/csv; charset=utf-8' }).end('a,b');
});

const inbox = (): string[] => {
  try {
    return readdirSync(join(server.workspace('alpha'), 'inbox'));
  } catch {
    return [];
  }
};
const ask = (...parts: object[]) => server.rpc('SendMessage', sendParams('', { parts: [{ text: 'see' }, ...parts] }));
const taskOf = async (...parts: object[]) => (await ask(...parts)).json.result.task;

describe('a part with a url', () => {
  it('is saved to the inbox before the agent reads the message', async () => {
    const task = await taskOf(
      { url: receiver.url('/files/%E2%82%AC%20list.csv?key=secret') },
      { url: receiver.url('/x'), filename: '../named.bin', mediaType: 'application/octet-stream' },
    );
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    const { text } = task.artifacts[0].parts[0];
    expect(text).toMatch(/^echo: see\n\n\[file: inbox\/a2a-bob-\d{8}T\d{6}Z-\S* ?list\.csv \(text\/csv, 3 bytes\)\]/);
    expect(text).toContain('-named.bin (application/octet-stream, 3 bytes)]');
    expect(text).not.toContain('secret');
    expect(receiver.requests.map(({ method, path }) => [method, path])).toEqual([
      ['GET', '/files/%E2%82%AC%20list.csv?key=secret'],
      ['GET', '/x'],
    ]);
    const saved = inbox().find((name) => name.endsWith('named.bin')) ?? '';
    expect(readFileSync(join(server.workspace('alpha'), 'inbox', saved), 'utf8')).toBe('a,b');
    const { history } = (await server.rpc('GetTask', { id: task.id })).json.result;
    expect(history[0].parts[2]).toMatchObject({ url: receiver.url('/x'), filename: '../named.bin' });
  });

  it.each([
    ['answers with an error', 'status 404', { status: 404 }],
    ['redirects', 'redirects are not followed', { status: 302, headers: { Location: 'http://169.254.169.254/' } }],
    [
      'is too large as declared',
      'larger than 100 bytes',
      { headers: { 'Content-Length': '101' }, body: 'x'.repeat(101) },
    ],
    ['is too large as it turns out', 'larger than 100 bytes', { body: 'x'.repeat(101) }],
    ['breaks off', 'no connection could be made, or it broke', { headers: { 'Content-Length': '50' }, destroy: true }],
  ])('that %s fails the task in words, and leaves nothing behind', async (_how, words, answer: Answered) => {
    const before = inbox();
    receiver.respond = (_request, res) => {
      res.writeHead(answer.status ?? 200, answer.headers);
      if (answer.destroy) res.write('x', () => res.destroy());
      else res.end(answer.body ?? '');
    };
    const { status } = await taskOf({ url: receiver.url('/f?key=secret') });
    expect(status.state).toBe('TASK_STATE_FAILED');
    const { text } = status.message.parts[0];
    expect(text).toContain(words);
    expect(text).toContain(`127.0.0.1:${receiver.port}`);
    expect(text).not.toContain('secret');
    expect(inbox()).toEqual(before);
    expect((await taskOf({ data: 1 })).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('is given up when the task is canceled', async () => {
    receiver.respond = () => undefined;
    const params = sendParams('', { parts: [{ url: receiver.url('/slow') }] }, { returnImmediately: true });
    const { id, contextId } = (await server.rpc('SendMessage', params)).json.result.task;
    await receiver.received(1);
    expect((await server.rpc('CancelTask', { id })).json.result.status.state).toBe('TASK_STATE_CANCELED');
    receiver.respond = (_request, res) => void res.end('x');
    // Its context is free again as soon as the run has stopped.
    for (;;) {
      const { json } = await server.rpc('SendMessage', sendParams('hi', { contextId }));
      if (json.result) break;
      expect(json.error.message).toMatch(/running|busy/i);
    }
  });

  it.each([
    'https://169.254.169.254/latest/meta-data',
    'http://169.254.169.254/latest/meta-data',
    'https://[::ffff:10.0.0.1]/x',
    'http://example.com/x',
    'https://user:secret@8.8.8.8/x',
    'ftp://8.8.8.8/x',
    'file:///etc/passwd',
    'x',
  ])('that may not be fetched (%s) is invalid params, and nothing is created', async (url) => {
    const before = (await guarded.rpc('ListTasks', {})).json.result.totalSize;
    const { json } = await guarded.rpc('SendMessage', sendParams('', { parts: [{ text: 'a' }, { url }] }));
    expect(json.error.code).toBe(-32602);
    expect(json.error.data[1].fieldViolations[0].field).toBe('message.parts[1].url');
    expect((await guarded.rpc('ListTasks', {})).json.result.totalSize).toBe(before);
  });

  it('is one of at most twenty', async () => {
    const parts = Array.from({ length: 21 }, (_, i) => ({ url: receiver.url(`/${i}`) }));
    expect((await ask(...parts)).json.error.code).toBe(-32602);
    expect(receiver.requests).toEqual([]);
  });
});

interface Answered {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  destroy?: boolean;
}
