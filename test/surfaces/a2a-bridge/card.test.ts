import { StreamResponse } from '@a2a-js/sdk';
import { describe, expect, it } from '@jest/globals';
import { agentCard } from '../../../plugins/surfaces/a2a-bridge/card.js';
import { IDEMPOTENT_SEND } from '../../../src/extension-uris.js';
import { eventJson } from '../../../plugins/surfaces/a2a-bridge/event-json.js';
import { toSdkEvent, toSdkTask } from '../../../plugins/surfaces/a2a-bridge/to-sdk.js';
import { createCapabilities } from '../../../src/capabilities.js';
import type { Part, StreamEvent, Task } from '../../../src/a2a-model.js';

describe('a card', () => {
  const capabilities = createCapabilities();
  const settings = {
    config: { extendedCards: true, idempotentSend: true, requiredExtensions: [], streaming: true },
    capabilities,
  };
  const card = agentCard(
    settings,
    { name: 'alpha', description: '', skills: [] },
    { url: 'https://h.example/agents/alpha/a2a' },
  );

  it('has every required member, filled', () => {
    for (const member of ['supportedInterfaces', 'defaultInputModes', 'defaultOutputModes', 'skills']) {
      expect((card[member] as unknown[]).length).toBeGreaterThan(0);
    }
    expect(card).toMatchObject({ name: 'alpha', version: '1.0.0', description: expect.stringMatching(/./) });
    for (const skill of card['skills'] as { tags: string[] }[]) expect(skill.tags.length).toBeGreaterThan(0);
  });

  it('declares exactly what is served', () => {
    expect(card['supportedInterfaces']).toEqual(
      ['1.0', '0.3'].flatMap((protocolVersion) =>
        ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({
          url: 'https://h.example/agents/alpha/a2a',
          protocolBinding,
          protocolVersion,
        })),
      ),
    );
    expect(card['capabilities']).toMatchObject({ streaming: true, pushNotifications: false, extendedAgentCard: true });
    expect(card['securitySchemes']).toMatchObject({
      apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
      bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
    });
  });

  it('offers push notifications once somebody sends them', () => {
    const sending = createCapabilities();
    sending.provide('push-notifications');
    const live = { ...settings, capabilities: sending };
    const offered = agentCard(live, { name: 'alpha', description: '', skills: [] }, { url: 'https://h.example/a2a' });
    expect(offered['capabilities']).toMatchObject({ pushNotifications: true });
  });

  it('follows the configuration', () => {
    const config = {
      extendedCards: false,
      idempotentSend: true,
      requiredExtensions: [IDEMPOTENT_SEND, 'urn:unknown'],
      streaming: false,
    };
    const shown = agentCard(
      { config, capabilities },
      { name: 'a', description: 'd' },
      { url: 'https://h.example/a2a' },
    ).capabilities;
    expect(shown).toMatchObject({ extendedAgentCard: false, streaming: false });
    expect(shown?.['extensions']).toEqual([expect.objectContaining({ uri: IDEMPOTENT_SEND, required: true })]);
  });

  it("shows the owner's words and nothing that was not asked for", () => {
    const words = {
      name: 'a',
      description: 'd',
      version: '2.0.0',
      skills: [{ id: 's', name: 'S', description: '', tags: [], driver: 'secret-driver' }],
      model: 'secret-model',
      key: 'secret-key',
      home: '/secret/path',
    };
    const text = JSON.stringify(agentCard(settings, words, { url: 'https://h.example/a2a' }));
    expect(text).toContain('"version":"2.0.0"');
    expect(text).toContain('"tags":["s"]');
    expect(text).not.toContain('secret');
  });
});

describe('an event as JSON', () => {
  const read = (): Buffer => Buffer.from('y');
  const ids = { taskId: 't', contextId: 'c' };
  const message = { messageId: 'm', ...ids, role: 'ROLE_AGENT' as const, parts: [{ text: '' }, { data: null }] };
  const status = { state: 'TASK_STATE_INPUT_REQUIRED' as const, timestamp: '2026-01-01T00:00:00.000Z' };
  const chunk = (parts: Part[], append = false, lastChunk = false): StreamEvent => ({
    artifactUpdate: { ...ids, artifact: { artifactId: 'a', name: 'n', parts }, append, lastChunk },
  });
  const events: StreamEvent[] = [
    { statusUpdate: { ...ids, status } },
    { statusUpdate: { ...ids, status: { ...status, message: { ...message, metadata: { k: 1 } } } } },
    { statusUpdate: { ...ids, status: { ...status, message: { ...message, parts: [{ blob: 'b', size: 1 }] } } } },
    chunk([{ text: 'x', mediaType: 'text/plain' }], true),
    chunk([{ data: { a: [1] } }, { url: 'https://x.example' }], false, true),
    chunk([{ blob: 'b', size: 1, filename: 'f' }]),
    { task: { id: 't', contextId: 'c', status, artifacts: [], history: [message] } },
  ];

  it.each(events)('is what the SDK would write (%#)', (event) => {
    const wire = StreamResponse.toJSON(toSdkEvent(event, read));
    expect(JSON.parse(JSON.stringify(eventJson(event, read)))).toEqual(JSON.parse(JSON.stringify(wire)));
  });
});

describe('the model as the SDK sees it', () => {
  const task: Task = {
    id: 't',
    contextId: 'c',
    status: { state: 'TASK_STATE_AUTH_REQUIRED', timestamp: '2026-01-01T00:00:00.000Z' },
    artifacts: [
      {
        artifactId: 'a',
        parts: [
          { blob: 'x', size: 1, filename: 'f.bin' },
          { blob: 'gone', size: 1, filename: 'g.bin' },
        ],
      },
    ],
    history: ['1', '2', '3'].map((messageId) => ({ messageId, role: 'ROLE_USER', parts: [{ data: null }] })),
  };
  const read = (blob: string): Buffer | undefined => (blob === 'x' ? Buffer.from('y') : undefined);

  it('has its files inline, and a sentence where one is gone', () => {
    const [there, gone] = toSdkTask(task, read).artifacts[0]?.parts ?? [];
    expect(there?.content).toEqual({ $case: 'raw', value: Buffer.from('y') });
    expect(gone?.content).toEqual({ $case: 'text', value: expect.stringContaining('g.bin') });
  });

  it.each([
    [undefined, ['1', '2', '3']],
    [0, []],
    [2, ['2', '3']],
    [9, ['1', '2', '3']],
  ])('shows with historyLength %j the messages %j', (historyLength, ids) => {
    expect(toSdkTask(task, read, { historyLength }).history.map(({ messageId }) => messageId)).toEqual(ids);
  });

  it('numbers states and keeps flags of chunks', () => {
    expect(toSdkTask(task, read).status?.state).toBe(8);
    const chunk = {
      taskId: 't',
      contextId: 'c',
      artifact: { artifactId: 'a', parts: [] },
      append: true,
      lastChunk: false,
    };
    expect(toSdkEvent({ artifactUpdate: chunk }, read).payload).toMatchObject({
      $case: 'artifactUpdate',
      value: { append: true, lastChunk: false },
    });
  });
});
