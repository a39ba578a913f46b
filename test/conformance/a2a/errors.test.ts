// The errors of the protocol: provoked where this product can be made to fail like that, and always written alike.
import { connect } from 'node:net';
import { decodeErrorInfo, decodeStatus } from '@a2a-js/sdk/errors/grpc';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { grpcStatus } from '../../../plugins/surfaces/a2a-bridge/grpc/grpc-status.js';
import { errorAnswer } from '../../../src/http/error-bodies.js';
import { AppError, type ErrorCode } from '../../../src/errors.js';
import { sendParams, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { bindings } from './binding.js';

const server = useBridgeServer({ grpcPort: 0, maxBodyBytes: 5000 });

/** Row, name, code of JSON-RPC, HTTP status, google.rpc status, reason. */
const TABLE: [
  string,
  ErrorCode,
  number,
  number,
  'NOT_FOUND' | 'FAILED_PRECONDITION' | 'INVALID_ARGUMENT' | 'INTERNAL',
  string,
][] = [
  ['170', 'task-not-found', -32001, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
  ['171', 'task-not-cancelable', -32002, 400, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'],
  ['172', 'push-not-supported', -32003, 400, 'FAILED_PRECONDITION', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['173', 'unsupported-operation', -32004, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'],
  ['174', 'content-type-not-supported', -32005, 400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'],
  ['175', 'invalid-agent-response', -32006, 500, 'INTERNAL', 'INVALID_AGENT_RESPONSE'],
  ['176', 'extended-card-not-configured', -32007, 400, 'FAILED_PRECONDITION', 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'],
  ['177', 'extension-required', -32008, 400, 'FAILED_PRECONDITION', 'EXTENSION_SUPPORT_REQUIRED'],
  ['178', 'version-not-supported', -32009, 400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED'],
];
const info = (reason: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'a2a-protocol.org',
});

describe('JSON-RPC', () => {
  it.each(TABLE)(
    '[%s] The error %s has the code %i, and HTTP stays 200. (§5.4)',
    (_row, code, rpc, _http, _status, reason) => {
      const { status, body } = errorAnswer('jsonRpc', new AppError(code, 'Said so.'), 'x');
      expect(status).toBeUndefined();
      expect(body).toEqual({
        jsonrpc: '2.0',
        id: 'x',
        error: { code: rpc, message: 'Said so.', data: [info(reason)] },
      });
    },
  );
});

describe('gRPC', () => {
  it.each(TABLE)(
    '[%s][79] The error %s is in JSON-RPC %i, in HTTP %i and here the status %s, with its reason in the details. (§5.4, §10.6)',
    (_row, code, _rpc, _http, name, reason) => {
      const { details, metadata, ...told } = grpcStatus(new AppError(code, 'Said so.'));
      expect([told.code, details]).toEqual([status[name], 'Said so.']);
      const blob = decodeStatus(metadata.get('grpc-status-details-bin')[0] as Buffer);
      expect(blob).toMatchObject({ code: told.code, message: 'Said so.' });
      expect(blob.details[0]?.typeUrl).toBe('type.googleapis.com/google.rpc.ErrorInfo');
      const value = blob.details[0]?.value as Buffer;
      expect(decodeErrorInfo(value)).toEqual({ reason, domain: 'a2a-protocol.org', metadata: {} });
    },
  );
});

describe('HTTP+JSON', () => {
  it.each(TABLE)(
    '[%s] The error %s is in JSON-RPC %i and here the status %i, %s. (§5.4)',
    (_row, code, _rpc, http, name, reason) => {
      const answer = errorAnswer('rest', new AppError(code, 'Said so.'), null);
      expect(answer).toEqual({
        status: http,
        type: 'application/json',
        body: { error: { code: http, status: name, message: 'Said so.', details: [info(reason)] } },
      });
    },
  );
});

const overHttp = bindings(server).filter(({ isHttp }) => isHttp);
describe.each(overHttp.map(({ name }) => [name] as const))('%s', (name) => {
  const rpc = name === 'JSON-RPC';
  const path = rpc ? '/a2a' : '/a2a/message:send';
  const list = rpc ? { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} } : (sendParams('x') as object);

  it('[180] What the framework refuses is in the shape of the binding too, with a code, a message and a reason. (§3.3.2)', async () => {
    const refused: [number, Promise<{ status: number; json: unknown; headers: Headers }>][] = [
      [401, server.send('POST', path, { key: '', body: list })],
      [404, rpc ? server.send('POST', '/agents/nobody/a2a', { body: list }) : server.send('GET', '/a2a/nothing')],
      [405, server.send('PUT', path, { body: list })],
      [413, server.send('POST', path, { body: { ...list, x: 'y'.repeat(6000) } })],
      [415, server.send('POST', path, { body: 'x', headers: { 'Content-Type': 'text/plain' } })],
      [415, server.send('POST', path, { body: list, headers: { 'Content-Type': 'application/json; charset=latin1' } })],
      [415, server.send('POST', path, { body: list, headers: { 'Content-Encoding': 'gzip' } })],
      [400, server.send('GET', rpc ? '/agents/%ff/a2a' : '/a2a/tasks/%ff')],
    ];
    for (const [expected, answer] of refused) {
      const { status, json, headers } = await answer;
      expect([status, headers.get('content-type')]).toEqual([expected, 'application/json']);
      const { error } = json as { error: { code: number; message: string; data: unknown[]; details: unknown[] } };
      if (rpc) expect(json).toMatchObject({ jsonrpc: '2.0', id: null });
      else expect(error.code).toBe(expected);
      expect(error).toMatchObject({ code: expect.any(Number), message: expect.stringMatching(/./) });
      expect((rpc ? error.data : error.details)[0]).toMatchObject({ reason: expect.stringMatching(/^[A-Z_]+$/) });
    }
  });

  it('[180] Header fields that are too large are refused in the shape of the binding. (§3.3.2)', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(20_000)}\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
    const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) as object;
    expect(body).toMatchObject(rpc ? { jsonrpc: '2.0', id: null, error: { code: -32600 } } : { error: { code: 431 } });
  });
});

describe.each(bindings(server).map((binding) => [binding.name, binding] as const))('%s', (name, binding) => {
  it('[180] A parameter that is refused is named; a refusal that passes by itself says what it waits for. (§3.3.2)', async () => {
    const { error } = await binding.call('SendMessage', sendParams('x', { parts: [{ url: 'ftp:x' }] }));
    expect(error?.details[1].fieldViolations).toEqual([
      { field: 'message.parts[0].url', description: expect.stringMatching(/./) },
    ]);
    const contextId = `busy-${name[0]}`;
    const running = binding.call('SendMessage', sendParams('wait 60000', { contextId }));
    let task: { id: string } | undefined;
    while (!task) [task] = (await binding.call('ListTasks', { contextId })).result.tasks;
    const busy = (await binding.call('SendMessage', sendParams('x', { contextId }))).error;
    expect(busy?.details[1]).toMatchObject({
      reason: 'BUSY',
      domain: 'a2a-switchboard',
      metadata: { taskId: task.id },
    });
    await binding.call('CancelTask', { id: task.id });
    await running;
  });
});
