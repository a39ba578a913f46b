// What is said over each binding in each version for its golden file.
export interface Exchange {
  /** The operation's name in 1.0. */
  operation: string;
  request: { method: string; path: string; body?: unknown };
  response: { status: number; type: string | null; body?: unknown; events?: unknown[] };
}

export interface Recorder {
  exchanges: Exchange[];
  /** The body of the answer; the first event's of a stream. */
  record(operation: string, request: Exchange['request']): Promise<Any>;
}
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- ids are dug out of answers of every shape
type Any = any;

let messages = 0;
const messageId = (): string => `m-${++messages}`;
const CONTEXT = 'golden-context';

const PARTS_1_0 = [{ text: 'file out.txt some words; data {"n":[1,null]}; say done' }];
const FILES_1_0 = [
  { text: 'look', mediaType: 'text/markdown', metadata: { k: 1 } },
  { raw: 'AP8H', filename: 'a.bin', mediaType: 'image/png' },
  { data: { a: null } },
];

export async function rpc10({ record }: Recorder): Promise<void> {
  const call = (method: string, params?: object) =>
    record(method, { method: 'POST', path: '/a2a', body: { jsonrpc: '2.0', id: 1, method, params } });
  const message = (parts: unknown, more: object = {}) => ({
    message: { messageId: messageId(), role: 'ROLE_USER', parts, contextId: `${CONTEXT}-1`, ...more },
  });
  await call('SendMessage', message(PARTS_1_0));
  await call('SendMessage', message(FILES_1_0, { extensions: ['urn:x'], referenceTaskIds: ['t'] }));
  const asked = (await call('SendMessage', message([{ text: 'ask which' }]))).result.task;
  await call('SendStreamingMessage', message([{ text: 'that' }], { taskId: asked.id }));
  const open = (await call('SendMessage', message([{ text: 'auth may I' }]))).result.task;
  await call('GetTask', { id: open.id, historyLength: 1 });
  await call('CancelTask', { id: open.id });
  await call('SubscribeToTask', { id: open.id });
  await call('ListTasks', { contextId: `${CONTEXT}-1`, pageSize: 100, includeArtifacts: true });
  await call('ListTasks', { pageSize: 0 });
  await call('GetTask', { id: 'unknown' });
  await call('GetExtendedAgentCard');
}

export async function rest10({ record }: Recorder): Promise<void> {
  const post = (operation: string, path: string, body?: object) =>
    record(operation, { method: 'POST', path: `/a2a${path}`, body });
  const get = (operation: string, path: string) => record(operation, { method: 'GET', path: `/a2a${path}` });
  const message = (parts: unknown, more: object = {}) => ({
    message: { messageId: messageId(), role: 'ROLE_USER', parts, contextId: `${CONTEXT}-2`, ...more },
  });
  await post('SendMessage', '/message:send', message(PARTS_1_0));
  await post('SendMessage', '/message:send', message(FILES_1_0, { extensions: ['urn:x'], referenceTaskIds: ['t'] }));
  const { task: asked } = await post('SendMessage', '/message:send', message([{ text: 'ask which' }]));
  await post('SendStreamingMessage', '/message:stream', message([{ text: 'that' }], { taskId: asked.id }));
  const { task: open } = await post('SendMessage', '/message:send', message([{ text: 'auth may I' }]));
  await get('GetTask', `/tasks/${open.id}?historyLength=1`);
  await post('CancelTask', `/tasks/${open.id}:cancel`);
  await get('SubscribeToTask', `/tasks/${open.id}:subscribe`);
  await get('ListTasks', `/tasks?contextId=${CONTEXT}-2&pageSize=100&includeArtifacts=true`);
  await get('ListTasks', '/tasks?pageSize=0');
  await get('GetTask', '/tasks/unknown');
  await get('GetExtendedAgentCard', '/extendedAgentCard');
}

export async function rpc03({ record }: Recorder): Promise<void> {
  const call = (operation: string, method: string, params?: object) =>
    record(operation, { method: 'POST', path: '/a2a', body: { jsonrpc: '2.0', id: 'x', method, params } });
  const message = (parts: unknown, more: object = {}) => ({
    message: { kind: 'message', messageId: messageId(), role: 'user', parts, contextId: `${CONTEXT}-3`, ...more },
  });
  const text = (value: string) => [{ kind: 'text', text: value }];
  await call('SendMessage', 'message/send', message(text('file out.txt some words; data [1]; say done')));
  const file = { kind: 'file', file: { bytes: 'AP8H', name: 'a.bin', mimeType: 'image/png' } };
  await call('SendMessage', 'message/send', message([file, { kind: 'data', data: { a: 1 } }]));
  const { result: asked } = await call('SendMessage', 'message/send', message(text('ask which')));
  await call('SendStreamingMessage', 'message/stream', message(text('that'), { taskId: asked.id }));
  await call('SendStreamingMessage', 'message/stream', message(text('ask again')));
  const { result: open } = await call('SendMessage', 'message/send', message(text('auth may I')));
  await call('GetTask', 'tasks/get', { id: open.id, historyLength: 1 });
  await call('CancelTask', 'tasks/cancel', { id: open.id });
  await call('SubscribeToTask', 'tasks/resubscribe', { id: open.id });
  await call('GetTask', 'tasks/get', { id: 'unknown' });
  await call('SendMessage', 'message/send', message([]));
  await call('GetExtendedAgentCard', 'agent/getAuthenticatedExtendedCard');
}

export async function rest03({ record }: Recorder): Promise<void> {
  const post = (operation: string, path: string, body?: object) =>
    record(operation, { method: 'POST', path: `/a2a/v1${path}`, body });
  const get = (operation: string, path: string) => record(operation, { method: 'GET', path: `/a2a/v1${path}` });
  const message = (content: unknown, more: object = {}) => ({
    message: { messageId: messageId(), role: 'ROLE_USER', content, contextId: `${CONTEXT}-4`, ...more },
  });
  await post('SendMessage', '/message:send', message([{ text: 'file out.txt some words; data [1]; say done' }]));
  const file = { file: { fileWithBytes: 'AP8H', name: 'a.bin', mimeType: 'image/png' } };
  await post('SendMessage', '/message:send', message([file, { data: { data: { a: 1 } } }]));
  const { task: asked } = await post('SendMessage', '/message:send', message([{ text: 'ask which' }]));
  await post('SendStreamingMessage', '/message:stream', message([{ text: 'that' }], { taskId: asked.id }));
  await post('SendStreamingMessage', '/message:stream', message([{ text: 'ask again' }]));
  const { task: open } = await post('SendMessage', '/message:send', message([{ text: 'auth may I' }]));
  await get('GetTask', `/tasks/${open.id}?historyLength=1`);
  await post('CancelTask', `/tasks/${open.id}:cancel`);
  await get('SubscribeToTask', `/tasks/${open.id}:subscribe`);
  await get('GetTask', '/tasks/unknown');
  await post('SendMessage', '/message:send', message([]));
  await get('GetExtendedAgentCard', '/card');
}
