// The requests that loads are made of. `ID` in a body stands for an id that is new with each request.
export interface RequestShape {
  body: string;
  /** A right answer contains this. */
  expect: string;
}

const call = (method: string, params: unknown, id = '1'): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

const message = (text: string) => ({ message: { messageId: 'ID', role: 'ROLE_USER', parts: [{ text }] } });

/** A blocking send; both agents answer with one artifact. */
export const send: RequestShape = { body: call('SendMessage', message('hello')), expect: 'TASK_STATE_COMPLETED' };

/** A streamed send; both agents answer with fifty chunks: 53 events. */
export const stream: RequestShape = {
  body: call('SendStreamingMessage', message('stream 50')),
  expect: 'TASK_STATE_COMPLETED',
};

/** One page of a list; `total` must be the number of all matches (the last member of the answer). */
export const list = (filter: Record<string, unknown>, total: number): RequestShape => ({
  body: call('ListTasks', filter, 'ID'),
  expect: `"totalSize":${total}}`,
});
