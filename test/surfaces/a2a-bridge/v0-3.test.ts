// The 0.3 translation by itself, compared with the SDK's own wherever that one says everything.
import { AgentCard, StreamResponse, Task as SdkTask, type StreamResponse as Event } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { ServerCallContext, type A2ARequestHandler } from '@a2a-js/sdk/server';
import { describe, expect, it } from '@jest/globals';
import { agentCard } from '../../../plugins/surfaces/a2a-bridge/card.js';
import { Fields } from '../../../plugins/surfaces/a2a-bridge/fields.js';
import { toSdkTask } from '../../../plugins/surfaces/a2a-bridge/to-sdk.js';
import { hybridCard, legacyCard, legacyRestCard } from '../../../plugins/surfaces/a2a-bridge/v0-3/legacy-card.js';
import { LEGACY_REST, LEGACY_RPC } from '../../../plugins/surfaces/a2a-bridge/v0-3/legacy-shape.js';
import { readLegacy } from '../../../plugins/surfaces/a2a-bridge/v0-3/read-legacy.js';
import type { WireEvent } from '../../../src/a2a-v0-3/wire.js';
import { createCapabilities } from '../../../src/capabilities.js';
import { TASK_STATES, type Part, type Task } from '../../../src/a2a-model.js';

const PARTS: Part[] = [
  { text: 'hi', metadata: { k: 1 } },
  { blob: 'b', size: 1, filename: 'f.bin', mediaType: 'image/png' },
  { url: 'https://x.example/f', filename: 'f' },
  { data: { a: 1 } },
  { data: [1, 2] },
  { data: null, metadata: { k: 1 } },
];
const task = (state: Task['status']['state'] = 'TASK_STATE_COMPLETED'): Task => ({
  id: 't',
  contextId: 'c',
  status: {
    state,
    timestamp: '2026-01-01T00:00:00.000Z',
    message: { messageId: 's', taskId: 't', contextId: 'c', role: 'ROLE_AGENT', parts: [{ text: '' }] },
  },
  artifacts: [{ artifactId: 'a', name: 'n', description: 'd', parts: PARTS, extensions: ['urn:x'] }],
  history: [{ messageId: 'm', role: 'ROLE_USER', parts: PARTS, referenceTaskIds: ['r'], metadata: { x: 1 } }],
  metadata: { y: 2 },
});
const sdkTask = (state?: Task['status']['state']): SdkTask => toSdkTask(task(state), () => Buffer.from('bytes'));

/** What the SDK's legacy adapter answers when its handler returns these. */
async function bySdk(method: string, handler: object): Promise<unknown> {
  const adapter = new LegacyJsonRpcTransportHandler({
    getAgentCard: () => Promise.resolve({ capabilities: { streaming: true } }),
    ...handler,
  } as unknown as A2ARequestHandler);
  const request = { jsonrpc: '2.0', id: 1, method, params: { id: 't' } };
  const answer = await adapter.handle(request, new ServerCallContext({}));
  if (!(Symbol.asyncIterator in answer)) return (answer as { result: unknown }).result;
  const results: unknown[] = [];
  for await (const event of answer) results.push((event as { result: unknown }).result);
  return results;
}
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('an answer for 0.3 over JSON-RPC', () => {
  it.each(TASK_STATES)('is the task that the SDK would write (%s)', async (state) => {
    const expected = await bySdk('tasks/get', { getTask: () => Promise.resolve(sdkTask(state)) });
    expect(json(LEGACY_RPC.result('GetTask', SdkTask.toJSON(sdkTask(state))))).toEqual(json(expected));
  });

  it('has the events that the SDK would write, and is final also when it asks its caller', async () => {
    const { artifacts, status } = sdkTask();
    const ids = { taskId: 't', contextId: 'c', metadata: { z: 1 } };
    const [artifact] = artifacts;
    const events: Event[] = [
      { payload: { $case: 'task', value: sdkTask('TASK_STATE_WORKING') } },
      { payload: { $case: 'artifactUpdate', value: { ...ids, artifact, append: true, lastChunk: false } } },
      { payload: { $case: 'artifactUpdate', value: { ...ids, artifact, append: false, lastChunk: true } } },
      {
        payload: {
          $case: 'statusUpdate',
          value: { ...ids, status: { state: 2, message: undefined, timestamp: '2026-01-01T00:00:00.000Z' } },
        },
      },
      { payload: { $case: 'statusUpdate', value: { ...ids, status } } },
    ];
    const expected = await bySdk('tasks/resubscribe', {
      async *resubscribe() {
        yield* events;
      },
    });
    const write = (event: Event) => LEGACY_RPC.event(StreamResponse.toJSON(event) as WireEvent);
    expect(json(events.map(write))).toEqual(json(expected));
    const asked = { ...ids, status: { ...sdkTask('TASK_STATE_INPUT_REQUIRED').status, state: 6 } };
    expect(write({ payload: { $case: 'statusUpdate', value: asked as never } })).toMatchObject({ final: true });
  });

  it('is a webhook in the old nesting', () => {
    const config = { taskId: 't', id: 'c', url: 'https://x.example', authentication: { scheme: 'Bearer' } };
    const expected = {
      taskId: 't',
      pushNotificationConfig: { id: 'c', url: 'https://x.example', authentication: { schemes: ['Bearer'] } },
    };
    expect(LEGACY_RPC.result('GetTaskPushNotificationConfig', config)).toEqual(expected);
    expect(LEGACY_RPC.result('ListTaskPushNotificationConfigs', { configs: [config] })).toEqual([expected]);
    expect(LEGACY_RPC.result('DeleteTaskPushNotificationConfig', {})).toBeNull();
    expect(LEGACY_REST.result('GetTaskPushNotificationConfig', config)).toEqual({
      name: 'tasks/t/pushNotificationConfigs/c',
      pushNotificationConfig: expected.pushNotificationConfig,
    });
  });
});

describe('an answer for 0.3 over REST', () => {
  it('is ProtoJSON of the old schema', () => {
    const written = LEGACY_REST.result('SendMessage', { task: SdkTask.toJSON(sdkTask('TASK_STATE_CANCELED')) });
    expect(json(written)).toMatchObject({
      task: {
        id: 't',
        status: { state: 'TASK_STATE_CANCELLED', message: { role: 'ROLE_AGENT', content: [{ text: '' }] } },
        artifacts: [
          {
            parts: [
              { text: 'hi', metadata: { k: 1 } },
              { file: { fileWithBytes: 'Ynl0ZXM=', mimeType: 'image/png', name: 'f.bin' } },
              { file: { fileWithUri: 'https://x.example/f', name: 'f' } },
              { data: { data: { a: 1 } } },
              { data: { data: { value: [1, 2] } }, metadata: { data_part_compat: true } },
              { data: { data: { value: null } }, metadata: { k: 1, data_part_compat: true } },
            ],
          },
        ],
      },
    });
    expect(JSON.stringify(written)).not.toMatch(/"(?:kind|mediaType|filename|raw)"/);
  });
});

describe('a 0.3 request in the spelling of 1.0', () => {
  const read = (params: object): unknown => json(readLegacy('SendMessage', Fields.of(params)));

  it('is the same from both bindings', () => {
    const ids = { messageId: 'm', contextId: 'c', taskId: 't', extensions: ['urn:x'], referenceTaskIds: ['r'] };
    const expected = {
      message: {
        ...ids,
        role: 'ROLE_USER',
        parts: [
          { text: 'hi', metadata: { k: 1 } },
          { raw: 'AA==', filename: 'f', mediaType: 'image/png' },
          { url: 'https://x.example' },
          { data: { a: 1 } },
          { data: 5 },
        ],
      },
      configuration: {
        acceptedOutputModes: ['text/plain'],
        returnImmediately: true,
        taskPushNotificationConfig: { url: 'u', authentication: { scheme: 'Bearer', credentials: 'x' } },
      },
    };
    const push = { url: 'u', authentication: { schemes: ['Bearer', 'Basic'], credentials: 'x' } };
    const configuration = { acceptedOutputModes: ['text/plain'], blocking: false, historyLength: 0 };
    const wrapped = { metadata: { data_part_compat: true } };
    const rpc = {
      message: {
        ...ids,
        kind: 'message',
        role: 'user',
        parts: [
          { kind: 'text', text: 'hi', metadata: { k: 1 } },
          { kind: 'file', file: { bytes: 'AA==', name: 'f', mimeType: 'image/png' } },
          { kind: 'file', file: { uri: 'https://x.example' } },
          { kind: 'data', data: { a: 1 } },
          { kind: 'data', data: { value: 5 }, ...wrapped },
        ],
      },
      configuration: { ...configuration, pushNotificationConfig: push },
    };
    const message = {
      ...ids,
      role: 'ROLE_USER',
      content: [
        { text: 'hi', metadata: { k: 1 } },
        { file: { fileWithBytes: 'AA==', name: 'f', mime_type: 'image/png' } },
        { file: { file_with_uri: 'https://x.example' } },
        { data: { data: { a: 1 } } },
        { data: { data: { value: 5 } }, ...wrapped },
      ],
    };
    expect(read(rpc)).toEqual(expected);
    const rest = { ...configuration, pushNotification: push };
    expect(read({ message, configuration: rest })).toEqual(expected);
    expect(read({ request: message, configuration: rest })).toEqual(expected);
  });

  it('names a webhook by the ids of its path, or of its parameters', () => {
    const name = { taskId: 't', id: 'c' };
    const named = (params: object): unknown => json(readLegacy('GetTaskPushNotificationConfig', Fields.of(params)));
    expect(named({ id: 't', pushNotificationConfigId: 'c' })).toEqual(name);
    expect(named(name)).toEqual(name);
  });

  it('waits unless it says that it does not', () => {
    const message = { messageId: 'm' };
    for (const blocking of [undefined, null, true]) {
      expect(read({ message, configuration: { blocking } })).toMatchObject({
        configuration: { returnImmediately: false },
      });
    }
  });

  it.each([
    [{ message: { role: 'agent' } }],
    [{ message: { role: 'ROLE_AGENT' } }],
    [{ message: { role: 1 } }],
    [{ message: { role: 'user', parts: [{ kind: 'image' }] } }],
    [{ message: { role: 'user', parts: [{ kind: 'file' }] } }],
    [{ message: { role: 'user', parts: ['hi'] } }],
    [{ message: 'hi' }],
    [{ message: {}, configuration: { blocking: 'no' } }],
    [{ message: {}, configuration: { historyLength: -1 } }],
  ])('is refused where it has none: %j', (params) => {
    expect(() => read(params)).toThrow(expect.objectContaining({ code: 'invalid-params' }));
  });
});

describe('the 0.3 card', () => {
  const words = {
    name: 'alpha',
    description: 'd',
    iconUrl: 'https://x.example/i',
    provider: { url: 'https://x.example', organization: 'X' },
    skills: [{ id: 's', name: 'S', description: 'd', tags: ['t'], examples: ['e'], outputModes: ['text/plain'] }],
  };
  const settings = {
    config: { extendedCards: true, idempotentSend: true, requiredExtensions: [], streaming: true },
    capabilities: createCapabilities(),
  };
  const card = agentCard(settings, words, { url: 'https://h.example/a2a' });

  it('is the one that the SDK would write, with the patch number of old', async () => {
    const expected = await bySdk('agent/getAuthenticatedExtendedCard', {
      getAuthenticatedExtendedAgentCard: () => Promise.resolve(AgentCard.fromJSON(card)),
    });
    // ProtoJSON leaves out what is false.
    const compared = JSON.stringify({ ...(expected as object), protocolVersion: '0.3.0' }).replace(
      ',"required":false',
      '',
    );
    expect(json(legacyCard(card))).toEqual(JSON.parse(compared));
  });

  it('has over REST the security members of the old schema', () => {
    expect(legacyRestCard(card)).toMatchObject({
      protocolVersion: '0.3.0',
      securitySchemes: card.securitySchemes,
      security: card.securityRequirements,
    });
  });

  it('is contained in the hybrid one, and so is that of 1.0', () => {
    const hybrid = hybridCard(card);
    const { capabilities, ...legacy } = legacyCard(card);
    expect(hybrid).toMatchObject(legacy);
    expect(hybrid).toMatchObject(card);
    expect(hybrid).toMatchObject({ capabilities: capabilities as object });
  });
});
