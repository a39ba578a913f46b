// gRPC of 0.3, called by the stub that the SDK generated from its schema.
import { decodeErrorInfo, decodeStatus } from '@a2a-js/sdk/errors/grpc';
import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { IDEMPOTENT_SEND } from '../../../src/extension-uris.js';
import { KEYS, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import type { Any } from './binding.js';
import { grpcAddress } from './grpc-binding.js';
import { refusal, said, say, text, useLegacyStub, USER, type LegacyMethod as Method } from './legacy-grpc-stub.js';

const server = useBridgeServer({ grpcPort: 0 });
const stub = useLegacyStub(server, KEYS.bob);

const taskOf = async (request: Any): Promise<Any> => (await stub.call('sendMessage', request)).payload.value;

const reasonOf = ({ metadata }: ServiceError): string => {
  const [info] = decodeStatus(metadata.get('grpc-status-details-bin')[0] as Buffer).details;
  return decodeErrorInfo(info?.value as Buffer).reason;
};

describe('gRPC', () => {
  it('[C4] A stub of 0.3 sends, streams, reads, cancels and subscribes by resource names. (0.3)', async () => {
    const sent = await stub.call('sendMessage', say('hello'));
    expect(sent.payload).toMatchObject({ $case: 'task', value: { status: { state: 3 } } });
    const { id, history } = sent.payload.value;
    expect(history[0]).toMatchObject({ role: USER, content: [text('hello')] });
    expect(await stub.call('getTask', { name: `tasks/${id}`, historyLength: 1 })).toMatchObject({
      id,
      status: { state: 3, timestamp: expect.stringMatching(/Z$/) },
      history: [{ role: expect.any(Number) }],
    });

    const streamed = await stub.events('sendStreamingMessage', say('stream 2'));
    expect(streamed[0]).toMatchObject({ $case: 'task' });
    expect(streamed.at(-1)).toMatchObject({ $case: 'statusUpdate', value: { final: true, status: { state: 3 } } });
    expect(streamed.map(({ $case }) => $case)).toContain('artifactUpdate');

    const asked = await taskOf(say('ask Which?'));
    expect(asked.status).toMatchObject({ state: 6, update: { role: 2, content: [text('Which?')] } });
    const subscription = stub.open('taskSubscription', { name: `tasks/${asked.id}` });
    const followed = (async () => {
      const all: Any[] = [];
      for await (const { payload } of subscription) all.push(payload);
      return all;
    })();
    await new Promise((resolve) => subscription.once('metadata', resolve));
    expect(await stub.call('cancelTask', { name: `tasks/${asked.id}` })).toMatchObject({ status: { state: 5 } });
    expect((await followed).map(({ $case, value }) => [$case, value.status.state])).toEqual([
      ['task', 6],
      ['statusUpdate', 5],
    ]);
  });

  it('[C4][C8] Files come and go as bytes, addresses are fetched, data is an object. (0.3)', async () => {
    const bytes = Buffer.from([0, 255, 7]);
    const file = (one: Any): Any => ({ part: { $case: 'file', value: { file: one, mimeType: 'image/png' } } });
    const data = (value: Any): Any => ({ part: { $case: 'data', value: { data: value } } });
    const content = [text('echo'), file({ $case: 'fileWithBytes', value: bytes }), data({ a: [1, null, { b: 'c' }] })];
    const task = await taskOf(said(content));
    expect(task.history[0].content).toEqual(content);
    const given = await taskOf(say('data {"n": [1.5, true]}'));
    expect(given.artifacts.at(-1).parts[0]).toEqual(data({ n: [1.5, true] }));
    const wrapped = await taskOf(say('data [1]'));
    expect(wrapped.artifacts.at(-1).parts[0]).toEqual(data({ value: [1] }));
    const refused = await refusal(
      stub.call('sendMessage', said([file({ $case: 'fileWithUri', value: 'http://10.0.0.1/x' })])),
    );
    expect([refused.code, reasonOf(refused)]).toEqual([status.INVALID_ARGUMENT, 'INVALID_PARAMS']);
  });

  it('[C4][C10] With a configuration, a send waits if blocking is set; without one, it waits. (0.3)', async () => {
    const configuration = { acceptedOutputModes: [], pushNotification: undefined, historyLength: 0 };
    const asked = (blocking: boolean, value: string): Promise<Any> =>
      taskOf({ ...say(value), configuration: { ...configuration, blocking } });
    expect((await asked(true, 'wait 20; say done')).status.state).toBe(3);
    expect((await taskOf(say('wait 20; say done'))).status.state).toBe(3);
    const task = await asked(false, 'wait 60000');
    expect([1, 2]).toContain(task.status.state);
    await stub.call('cancelTask', { name: `tasks/${task.id}` });
  });

  it('[C4][C12] Webhooks are named below their task, and keep their secrets. (0.3)', async () => {
    const { id } = await taskOf(say('ask x'));
    const parent = `tasks/${id}`;
    const nameOf = (config: string): string => `${parent}/pushNotificationConfigs/${config}`;
    const authentication = { schemes: ['Bearer', 'Basic'], credentials: 'secret' };
    const config = { id: '', url: 'https://8.8.8.8/hook', token: 'known', authentication };
    const created = await stub.call('createTaskPushNotificationConfig', {
      parent,
      configId: 'one',
      config: { name: nameOf('one'), pushNotificationConfig: config },
    });
    const shown = { ...config, id: 'one', token: '', authentication: { schemes: ['Bearer'], credentials: '' } };
    expect(created).toEqual({ name: nameOf('one'), pushNotificationConfig: shown });
    const second = { name: '', pushNotificationConfig: { ...config, id: 'two' } };
    // The one form of the parent is in the schema's comment, the other in its annotation.
    const other = { parent: `${parent}/pushNotificationConfigs`, configId: '', config: second };
    expect(await stub.call('createTaskPushNotificationConfig', other)).toMatchObject({ name: nameOf('two') });
    expect(await stub.call('getTaskPushNotificationConfig', { name: nameOf('two') })).toMatchObject({
      name: nameOf('two'),
    });
    // Without an id, the first is meant.
    expect(await stub.call('getTaskPushNotificationConfig', { name: nameOf('') })).toMatchObject({
      name: nameOf('one'),
    });
    const list = async (): Promise<string[]> =>
      (await stub.call('listTaskPushNotificationConfig', { parent, pageSize: 0, pageToken: '' })).configs.map(
        ({ name }: Any) => name,
      );
    expect(await list()).toEqual([nameOf('one'), nameOf('two')]);
    expect(await stub.call('deleteTaskPushNotificationConfig', { name: nameOf('one') })).toEqual({});
    expect(await list()).toEqual([nameOf('two')]);
    const two = { parent, configId: 'other', config: second };
    expect((await refusal(stub.call('createTaskPushNotificationConfig', two))).code).toBe(status.INVALID_ARGUMENT);
  });

  it('[C4][C12] Webhooks are listed in pages where a size is asked for. (0.3)', async () => {
    const { id } = await taskOf(say('ask x'));
    const parent = `tasks/${id}`;
    for (const configId of ['a', 'b', 'c']) {
      const config = { name: '', pushNotificationConfig: { id: '', url: 'https://8.8.8.8/hook', token: '' } };
      await stub.call('createTaskPushNotificationConfig', { parent, configId, config });
    }
    const page = async (pageSize: number, pageToken = ''): Promise<[string[], string]> => {
      const request = { parent, pageSize, pageToken };
      const { configs, nextPageToken } = await stub.call('listTaskPushNotificationConfig', request);
      return [configs.map((one: Any) => one.pushNotificationConfig.id), nextPageToken];
    };
    const [first, token] = await page(2);
    expect([first, await page(2, token)]).toEqual([
      ['a', 'b'],
      [['c'], ''],
    ]);
    for (const size of [0, 3, 1000]) expect(await page(size)).toEqual([['a', 'b', 'c'], '']);
    const refusals = await Promise.all([page(-1), page(2, 'no token')].map(refusal));
    expect(refusals.map(({ code }) => code)).toEqual([status.INVALID_ARGUMENT, status.INVALID_ARGUMENT]);
    const read = async (query: string): Promise<Any> => {
      const headers = { 'A2A-Version': '0.3' };
      const path = `/a2a/v1/${parent}/pushNotificationConfigs?${query}`;
      return (await server.send('GET', path, { key: KEYS.bob, headers })).json;
    };
    const { configs, nextPageToken } = await read('page_size=2');
    expect([configs.length, nextPageToken]).toEqual([2, token]);
    expect((await read(`pageSize=2&pageToken=${token}`)).configs).toHaveLength(1);
  });

  it('[C4][C14][C15] GetAgentCard gives the card of the key, with gRPC among its interfaces. (0.3)', async () => {
    const card = await stub.call('getAgentCard', {});
    expect(card).toMatchObject({
      name: 'alpha',
      protocolVersion: '0.3.0',
      preferredTransport: 'JSONRPC',
      supportsAuthenticatedExtendedCard: true,
      capabilities: { streaming: true, pushNotifications: true },
      securitySchemes: { apiKey: { scheme: { $case: 'apiKeySecurityScheme', value: { name: 'X-API-Key' } } } },
    });
    expect(card.security.map(({ schemes }: Any) => Object.keys(schemes))).toEqual([['apiKey'], ['bearer']]);
    expect(card.skills.length).toBeGreaterThan(0);
    const read = async (path: string, version: string): Promise<Any> =>
      (await server.send('GET', path, { key: '', headers: { 'A2A-Version': version } })).json;
    const grpc = { url: await grpcAddress(server), transport: 'GRPC' };
    expect(card.additionalInterfaces).toContainEqual(grpc);
    for (const version of ['0.3', '']) {
      expect((await read('/.well-known/agent-card.json', version)).additionalInterfaces).toContainEqual(grpc);
      // This service has no tenant: the key of another workspace would reach that one instead.
      expect((await read('/agents/beta/.well-known/agent-card.json', version)).additionalInterfaces).not.toContainEqual(
        grpc,
      );
    }
  });

  it('[C4][C17] The version and the extensions are read from the metadata, under the names of 0.3. (0.3)', async () => {
    const get = (entries: Record<string, string>, initial?: Metadata): Promise<Any> =>
      stub.call('getTask', { name: 'tasks/none', historyLength: 0 }, entries, initial);
    for (const version of ['', '0.3', '0.3.0']) {
      expect((await refusal(get({ 'a2a-version': version }))).code).toBe(status.NOT_FOUND);
    }
    const other = await refusal(get({ 'a2a-version': '1.0' }));
    expect([other.code, reasonOf(other)]).toEqual([status.UNIMPLEMENTED, 'VERSION_NOT_SUPPORTED']);
    const initial = new Metadata();
    await refusal(get({ 'x-a2a-extensions': `urn:other, ${IDEMPOTENT_SEND}` }, initial));
    expect(initial.get('x-a2a-extensions')).toEqual([IDEMPOTENT_SEND]);
  });

  it('[C4][C18] A wrong key, an unknown task and a bad name are refused by their codes and reasons. (0.3)', async () => {
    const { id } = await taskOf(say('hello'));
    const theirs = { 'x-api-key': KEYS.betaBob };
    const named = (name: string): Any => ({ name, parent: name, historyLength: 0, configId: '', config: undefined });
    const refusals: [Method, Any, Record<string, string>, status, string][] = [
      ['getTask', named(`tasks/${id}`), { 'x-api-key': 'wrong' }, status.UNAUTHENTICATED, 'UNAUTHENTICATED'],
      ['getTask', named(`tasks/${id}`), { 'x-api-key': '' }, status.UNAUTHENTICATED, 'UNAUTHENTICATED'],
      ['getTask', named('tasks/unknown'), {}, status.NOT_FOUND, 'TASK_NOT_FOUND'],
      ['getTask', named(`tasks/${id}`), theirs, status.NOT_FOUND, 'TASK_NOT_FOUND'],
      ['cancelTask', named(`tasks/${id}`), {}, status.FAILED_PRECONDITION, 'TASK_NOT_CANCELABLE'],
      ['sendMessage', say('x', { taskId: id }), {}, status.UNIMPLEMENTED, 'UNSUPPORTED_OPERATION'],
      ['sendMessage', { request: undefined }, {}, status.INVALID_ARGUMENT, 'INVALID_PARAMS'],
      ['sendMessage', say('x', { role: 2 }), {}, status.INVALID_ARGUMENT, 'INVALID_PARAMS'],
      ['sendMessage', say('x', { role: 7 }), {}, status.INVALID_ARGUMENT, 'INVALID_PARAMS'],
      ['sendMessage', said([{}]), {}, status.INVALID_ARGUMENT, 'INVALID_PARAMS'],
    ];
    const badNames = ['', id, 'tasks', 'tasks/', `tasks/${id}/`, `tasks/${id}/x`, `/tasks/${id}`, `Tasks/${id}`];
    const badConfigs = [`tasks/${id}`, `tasks/${id}/pushNotificationConfigs/a/b`, 'tasks//pushNotificationConfigs/a'];
    for (const name of badNames) refusals.push(['getTask', named(name), {}, status.INVALID_ARGUMENT, 'INVALID_PARAMS']);
    for (const name of badNames) {
      refusals.push(['createTaskPushNotificationConfig', named(name), {}, status.INVALID_ARGUMENT, 'INVALID_PARAMS']);
    }
    for (const name of badConfigs) {
      refusals.push(['getTaskPushNotificationConfig', named(name), {}, status.INVALID_ARGUMENT, 'INVALID_PARAMS']);
      refusals.push(['deleteTaskPushNotificationConfig', named(name), {}, status.INVALID_ARGUMENT, 'INVALID_PARAMS']);
    }
    for (const [method, request, entries, code, reason] of refusals) {
      const error = await refusal(stub.call(method, request, entries));
      expect([method, request, error.code, reasonOf(error)]).toEqual([method, request, code, reason]);
    }
    const subscription = stub.open('taskSubscription', named('tasks/unknown'));
    const error = await refusal((async () => subscription[Symbol.asyncIterator]().next())());
    expect([error.code, reasonOf(error)]).toEqual([status.NOT_FOUND, 'TASK_NOT_FOUND']);
  });
});
