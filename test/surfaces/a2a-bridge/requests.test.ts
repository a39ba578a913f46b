import { describe, expect, it } from '@jest/globals';
import { Fields } from '../../../plugins/surfaces/a2a-bridge/fields.js';
import { readOperation } from '../../../plugins/surfaces/a2a-bridge/operation.js';
import { readPageToken, writePageToken } from '../../../plugins/surfaces/a2a-bridge/page-token.js';
import { negotiateVersion } from '../../../plugins/surfaces/a2a-bridge/protocol-version.js';
import { matchLegacyRest, matchRest } from '../../../plugins/surfaces/a2a-bridge/rest-route.js';
import { readEnvelope } from '../../../plugins/surfaces/a2a-bridge/rpc-envelope.js';
import { lastEventSeq } from '../../../plugins/surfaces/a2a-bridge/task-stream.js';
import { parseTimestamp } from '../../../plugins/surfaces/a2a-bridge/timestamp.js';

const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
};

describe('a JSON-RPC envelope', () => {
  const good = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: {} };
  it.each([
    [undefined, 'parse-error'],
    [[], 'invalid-request'],
    [[good], 'invalid-request'],
    ['x', 'invalid-request'],
    [null, 'invalid-request'],
    [{ ...good, jsonrpc: '1.0' }, 'invalid-request'],
    [{ ...good, jsonrpc: undefined }, 'invalid-request'],
    [{ ...good, id: {} }, 'invalid-request'],
    [{ ...good, id: [] }, 'invalid-request'],
    [{ ...good, id: true }, 'invalid-request'],
    [{ ...good, id: 1.5 }, 'invalid-request'],
    [{ ...good, id: 'x'.repeat(5000) }, 'invalid-request'],
    [{ ...good, method: 5 }, 'invalid-request'],
    [{ ...good, method: '' }, 'invalid-request'],
    [{ ...good, method: 'message/send' }, 'method-not-found'],
    [{ ...good, method: 'constructor' }, 'method-not-found'],
    [{ ...good, params: [] }, 'invalid-params'],
    [{ ...good, params: 'x' }, 'invalid-params'],
    [{ ...good, params: undefined }, 'invalid-params'],
  ])('%j is refused as %s', (body, code) => {
    expect(codeOf(() => readEnvelope(body, '1.0'))).toBe(code);
  });

  it('has an id, null included, or is a notification', () => {
    expect(readEnvelope(good, '1.0')).toMatchObject({ id: 1, notification: false, name: 'GetTask' });
    expect(readEnvelope({ ...good, id: null }, '1.0')).toMatchObject({ id: null, notification: false });
    expect(readEnvelope({ jsonrpc: '2.0', method: 'GetTask', params: {} }, '1.0')).toMatchObject({
      notification: true,
    });
  });

  it('names its method as its version does', () => {
    const old = { ...good, method: 'tasks/get', params: { id: 't', historyLength: 0 } };
    expect(readEnvelope(old, '0.3').name).toBe('GetTask');
    expect(readEnvelope(old, '0.3').params.raw('historyLength')).toBeUndefined();
    expect(codeOf(() => readEnvelope(old, '1.0'))).toBe('method-not-found');
    expect(codeOf(() => readEnvelope(good, '0.3'))).toBe('method-not-found');
    expect(codeOf(() => readEnvelope({ ...good, method: 'tasks/list' }, '0.3'))).toBe('method-not-found');
  });

  it('needs no params for the extended card', () => {
    expect(readEnvelope({ jsonrpc: '2.0', id: 1, method: 'GetExtendedAgentCard' }, '1.0').name).toBe(
      'GetExtendedAgentCard',
    );
  });
});

describe('a REST path', () => {
  it.each([
    ['POST', '/message:send', { name: 'SendMessage' }],
    ['POST', '/message%3Asend', { name: 'SendMessage' }],
    ['POST', '/message:stream', { name: 'SendStreamingMessage' }],
    ['GET', '/tasks', { name: 'ListTasks' }],
    ['GET', '/tasks/', { name: 'ListTasks' }],
    ['POST', '/message:send/', { name: 'SendMessage' }],
    ['GET', '/tasks/t1/', { name: 'GetTask', taskId: 't1' }],
    ['GET', '/tasks/t1', { name: 'GetTask', taskId: 't1' }],
    ['POST', '/tasks/t1:cancel', { name: 'CancelTask', taskId: 't1' }],
    ['POST', '/tasks/t1%3Acancel', { name: 'CancelTask', taskId: 't1' }],
    ['GET', '/tasks/t1:subscribe', { name: 'SubscribeToTask', taskId: 't1' }],
    ['POST', '/tasks/t1:subscribe', { name: 'SubscribeToTask', taskId: 't1' }],
    ['POST', '/tasks/t1/pushNotificationConfigs', { name: 'CreateTaskPushNotificationConfig', taskId: 't1' }],
    [
      'DELETE',
      '/tasks/t1/pushNotificationConfigs/c%2D1',
      { name: 'DeleteTaskPushNotificationConfig', taskId: 't1', configId: 'c-1' },
    ],
    ['GET', '/extendedAgentCard', { name: 'GetExtendedAgentCard' }],
    ['GET', '/beta/tasks', { name: 'ListTasks', tenant: 'beta' }],
    ['POST', '/beta/tasks/t1:cancel', { name: 'CancelTask', tenant: 'beta', taskId: 't1' }],
    ['GET', '/beta/extendedAgentCard', { name: 'GetExtendedAgentCard', tenant: 'beta' }],
    ['GET', '/v1/tasks', { name: 'ListTasks', tenant: 'v1' }],
  ])('%s %s is an operation', (method, path, route) => {
    expect(matchRest(method, path)).toEqual(route);
  });

  it.each([
    ['GET', '/', 'not-found'],
    ['GET', '/nothing', 'not-found'],
    ['GET', '/constructor', 'not-found'],
    ['POST', '/tasks/t1:explode', 'not-found'],
    ['POST', '/tasks/:cancel', 'not-found'],
    ['GET', '/a/b/tasks', 'not-found'],
    ['GET', '/message:send', 'method-not-allowed'],
    ['DELETE', '/tasks/t1', 'method-not-allowed'],
    ['GET', '/tasks/%ff', 'invalid-request'],
  ])('%s %s is refused as %s', (method, path, code) => {
    expect(codeOf(() => matchRest(method, path))).toBe(code);
  });
});

describe('a REST path of 0.3', () => {
  it.each([
    ['POST', '/v1/message:send', { name: 'SendMessage' }],
    ['POST', '/v1/message%3Astream', { name: 'SendStreamingMessage' }],
    ['GET', '/v1/tasks/t1', { name: 'GetTask', taskId: 't1' }],
    ['POST', '/v1/tasks/t1:cancel', { name: 'CancelTask', taskId: 't1' }],
    ['GET', '/v1/tasks/t1:subscribe', { name: 'SubscribeToTask', taskId: 't1' }],
    ['POST', '/v1/tasks/t1:subscribe/', { name: 'SubscribeToTask', taskId: 't1' }],
    ['GET', '/v1/card', { name: 'GetExtendedAgentCard' }],
  ])('%s %s is an operation', (method, path, route) => {
    expect(matchLegacyRest(method, path)).toEqual(route);
  });

  it.each([
    ['GET', '/v1/tasks', 'not-found'],
    ['GET', '/v1/extendedAgentCard', 'not-found'],
    ['POST', '/message:send', 'not-found'],
    ['POST', '/alpha/v1/message:send', 'not-found'],
    ['PUT', '/v1/tasks/t1', 'method-not-allowed'],
  ])('%s %s is refused as %s', (method, path, code) => {
    expect(codeOf(() => matchLegacyRest(method, path))).toBe(code);
  });
});

describe('the parameters of ListTasks', () => {
  const rules = {
    maxPartBytes: 1,
    accepts: () => true,
    urlProblem: () => undefined,
    pushNotifications: true,
    version: '1.0' as const,
  };
  const read = (params: object): unknown =>
    codeOf(() => {
      const operation = readOperation('ListTasks', Fields.of(params), rules);
      return 'list' in operation && operation.list;
    });

  it('have their defaults', () => {
    expect(read({})).toEqual({ pageSize: 50, historyLength: 0, includeArtifacts: false });
    expect(read({ status: 'TASK_STATE_UNSPECIFIED', pageToken: '', contextId: null })).toEqual(read({}));
  });

  it.each([
    [{ pageSize: 0 }],
    [{ pageSize: -1 }],
    [{ pageSize: 101 }],
    [{ pageSize: 1.5 }],
    [{ pageSize: 'many' }],
    [{ historyLength: -5 }],
    [{ status: 'TASK_STATE_RUNNING' }],
    [{ status: 'completed' }],
    [{ status: 99 }],
    [{ statusTimestampAfter: 1700000000 }],
    [{ statusTimestampAfter: '2026-02-30T00:00:00Z' }],
    [{ statusTimestampAfter: '2026-01-01T00:00:00' }],
    [{ contextId: '../x' }],
    [{ includeArtifacts: 'yes' }],
  ])('%j are refused', (params) => {
    expect(read(params)).toBe('invalid-params');
  });

  it('are text in a query', () => {
    const query = Fields.ofQuery({ pageSize: '7', includeArtifacts: 'true', status: 'TASK_STATE_WORKING' });
    expect(readOperation('ListTasks', query, rules)).toMatchObject({
      list: { pageSize: 7, includeArtifacts: true, state: 'TASK_STATE_WORKING' },
    });
  });
});

describe('a timestamp', () => {
  it.each([
    ['2026-01-02T03:04:05Z', Date.parse('2026-01-02T03:04:05Z')],
    ['2026-01-02t03:04:05.5z', Date.parse('2026-01-02T03:04:05.500Z')],
    ['2026-01-02T03:04:05.0001Z', Date.parse('2026-01-02T03:04:05.001Z')],
    ['2026-01-02T03:04:05+02:30', Date.parse('2026-01-02T00:34:05Z')],
    ['2024-02-29T00:00:00Z', Date.parse('2024-02-29T00:00:00Z')],
    ['2025-02-29T00:00:00Z', undefined],
    ['2026-13-01T00:00:00Z', undefined],
    ['2026-01-01T24:00:00Z', undefined],
    ['2026-01-01T00:00:00', undefined],
    ['2026-01-01', undefined],
    ['yesterday', undefined],
  ])('%s is %j', (text, millis) => {
    expect(parseTimestamp(text)).toBe(millis);
  });
});

describe('a page token', () => {
  const position = { statusAt: 1_700_000_000_000, taskId: 'a-b_c' };
  it('leads back to its position in the same list only', () => {
    const token = writePageToken(position, 'ann');
    expect(readPageToken(token, 'ann')).toEqual(position);
    expect(codeOf(() => readPageToken(token, 'bob'))).toBe('invalid-params');
  });

  it.each(['x', '', '....', Buffer.from('a.1.t').toString('base64url')])(
    'that was made up (%s) is refused',
    (token) => {
      expect(codeOf(() => readPageToken(token, 'ann'))).toBe('invalid-params');
    },
  );
});

describe('the protocol version', () => {
  it.each([
    ['1.0', undefined, '1.0'],
    ['1.0.7', undefined, '1.0'],
    [undefined, '1.0', '1.0'],
    ['1.0', '99.0', '1.0'],
    ['99.0', '1.0', 'version-not-supported'],
    ['0.3', undefined, '0.3'],
    ['0.3.0', undefined, '0.3'],
    [undefined, undefined, '0.3'],
    ['', '', '0.3'],
    ['0.2', undefined, 'version-not-supported'],
    ['1', undefined, 'version-not-supported'],
    ['1.0x', undefined, 'version-not-supported'],
    ['1.0, 0.3', undefined, 'version-not-supported'],
  ])('by header %s and query %s is %s', (header, query, result) => {
    expect(codeOf(() => negotiateVersion(header, query))).toBe(result);
  });
});

describe('a Last-Event-ID', () => {
  it.each([
    ['b1.7', 7],
    ['b1.0', 0],
    ['b2.7', undefined],
    ['b1.-7', undefined],
    ['b1.7x', undefined],
    ['b1', undefined],
    [undefined, undefined],
  ])('%s is position %j', (header, seq) => {
    expect(lastEventSeq(header, 'b1')).toBe(seq);
  });
});
