import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { AppError, ERROR_CODES, type ErrorCode, type ErrorDetails } from '../../src/errors.js';
import { ERROR_TABLE } from '../../src/http/error-table.js';
import { createErrorWriters, requestId } from '../../src/http/error-writers.js';
import { createLogger } from '../../src/log.js';
import { Secrets } from '../../src/secrets/secrets.js';
import { serve, type Answer } from './serve.js';

const logged: string[] = [];
const writers = createErrorWriters(createLogger('error', new Secrets(), { write: (line) => void logged.push(line) }));

const write = async (binding: keyof typeof writers, error: unknown, body?: unknown): Promise<Answer> => {
  const app = express();
  app.use((req, res) => {
    req.body = body;
    writers[binding](error, req, res);
  });
  return (await serve(app))('/x');
};
const app = (code: ErrorCode, details?: ErrorDetails): AppError => new AppError(code, 'Said so.', details);

describe('the error table', () => {
  it.each([
    ['task-not-found', -32001, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    ['task-not-cancelable', -32002, 400, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'],
    ['push-not-supported', -32003, 400, 'FAILED_PRECONDITION', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['unsupported-operation', -32004, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'],
    ['content-type-not-supported', -32005, 400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['invalid-agent-response', -32006, 500, 'INTERNAL', 'INVALID_AGENT_RESPONSE'],
    ['extended-card-not-configured', -32007, 400, 'FAILED_PRECONDITION', 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'],
    ['extension-required', -32008, 400, 'FAILED_PRECONDITION', 'EXTENSION_SUPPORT_REQUIRED'],
    ['version-not-supported', -32009, 400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED'],
    ['invalid-params', -32602, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
  ] as const)('gives %s the codes of A2A 1.0', (code, rpc, http, status, reason) => {
    expect(ERROR_TABLE[code]).toMatchObject({ rpc, http, status, reason });
    expect(ERROR_TABLE[code].domain).toBeUndefined();
  });

  it.each(ERROR_CODES)('%s has a REST body whose code is its HTTP status, with an ErrorInfo', async (code) => {
    const { status, body } = await write('rest', app(code));
    expect(body.error.code).toBe(status);
    expect(body.error.details[0]).toMatchObject({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo' });
    expect(body.error.details[0].reason).toMatch(/^[A-Z_]+$/);
  });
});

describe('error writers', () => {
  it.each(ERROR_CODES)('give a 0.3 caller %s with a code that 0.3 knew, the same over both bindings', async (code) => {
    const rpc = (await write('legacyJsonRpc', app(code), { id: 'x' })).body;
    expect(rpc).toMatchObject({ jsonrpc: '2.0', id: 'x' });
    expect([-32008, -32009]).not.toContain(rpc.error.code);
    const rest = await write('legacyRest', app(code));
    expect(rest.status).toBe(ERROR_TABLE[code].http);
    expect(rest.body).toEqual(rpc.error);
  });

  it('show a refusal of the dispatcher as unsupported operation with the reason of the product', async () => {
    const { body } = await write('jsonRpc', app('busy', { taskId: 't1', retryAfter: 3 }), { id: 5 });
    expect(body).toMatchObject({ jsonrpc: '2.0', id: 5, error: { code: -32004 } });
    expect(body.error.data).toEqual([
      expect.objectContaining({ reason: 'UNSUPPORTED_OPERATION', domain: 'a2a-protocol.org' }),
      expect.objectContaining({
        reason: 'BUSY',
        domain: 'a2a-switchboard',
        metadata: { taskId: 't1', retryAfter: '3' },
      }),
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' },
    ]);
  });

  it('name the fields of bad parameters', async () => {
    const violations = [{ field: 'a.b', description: 'is wrong' }];
    const { status, body } = await write('jsonRpc', app('invalid-params', { violations }));
    expect(status).toBe(200);
    expect(body.id).toBeNull();
    expect(body.error.data[1]).toEqual({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: violations,
    });
  });

  it('say over JSON-RPC too by the HTTP status what the door refused', async () => {
    const unauthenticated = await write('jsonRpc', app('unauthenticated'));
    expect(unauthenticated.status).toBe(401);
    expect(unauthenticated.headers.get('www-authenticate')).toMatch(/^Bearer realm=/);
    const limited = await write('jsonRpc', app('rate-limited', { retryAfter: 2 }));
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2']);
  });

  it('never show what an internal error was about, but log it', async () => {
    for (const binding of ['jsonRpc', 'rest', 'operator'] as const) {
      logged.length = 0;
      const { text } = await write(binding, new TypeError('secret path /x'));
      expect(text).not.toContain('secret');
      expect(logged.join()).toContain('secret path');
    }
  });

  it("use the product's own codes on the operator's surface", async () => {
    const { status, body } = await write('operator', app('busy', { taskId: 't1' }));
    expect(status).toBe(409);
    expect(body).toEqual({ error: { code: 'busy', message: 'Said so.', taskId: 't1' } });
  });
});

describe('requestId', () => {
  it.each([
    [{ id: 'a' }, 'a'],
    [{ id: 0 }, 0],
    [{ id: 1.5 }, null],
    [{ id: 2 ** 60 }, null],
    [{ id: {} }, null],
    [{ id: 'x'.repeat(2000) }, null],
    [undefined, null],
    ['text', null],
  ])('of %j is %j', (body, id) => {
    expect(requestId(body)).toBe(id);
  });
});
