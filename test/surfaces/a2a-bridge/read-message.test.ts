import { describe, expect, it } from '@jest/globals';
import { Fields } from '../../../plugins/surfaces/a2a-bridge/fields.js';
import { acceptsMode, INPUT_MODES } from '../../../plugins/surfaces/a2a-bridge/input-modes.js';
import { readSend, type SendRequest } from '../../../plugins/surfaces/a2a-bridge/read-message.js';
import { AppError } from '../../../src/errors.js';

const rules = {
  maxPartBytes: 8,
  accepts: (type: string) => type === 'application/x-known' || acceptsMode(type, INPUT_MODES),
  urlProblem: (url: string) => (url.startsWith('https://') ? undefined : 'must be an https URL'),
  pushNotifications: true,
  version: '1.0' as const,
};
const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
const read = (change: object, rest: object = {}): SendRequest =>
  readSend(Fields.of({ message: { ...message, ...change }, ...rest }), rules);
const refusal = (work: () => unknown): { code: string; field?: string } => {
  try {
    work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, field: error.details.violations?.[0]?.field };
  }
  return { code: 'accepted' };
};

describe('a message', () => {
  it.each([
    [{ messageId: undefined }, 'message.messageId'],
    [{ messageId: '' }, 'message.messageId'],
    [{ messageId: 5 }, 'message.messageId'],
    [{ messageId: 'a\nb' }, 'message.messageId'],
    [{ messageId: 'x'.repeat(300) }, 'message.messageId'],
    [{ role: undefined }, 'message.role'],
    [{ role: 'ROLE_AGENT' }, 'message.role'],
    [{ role: 'user' }, 'message.role'],
    [{ role: 'ROLE_UNSPECIFIED' }, 'message.role'],
    [{ parts: undefined }, 'message.parts'],
    [{ parts: [] }, 'message.parts'],
    [{ parts: 'text' }, 'message.parts'],
    [{ parts: [null] }, 'message.parts[0]'],
    [{ contextId: '../x' }, 'message.contextId'],
    [{ contextId: 'x'.repeat(101) }, 'message.contextId'],
    [{ contextId: 7 }, 'message.contextId'],
    [{ metadata: [] }, 'message.metadata'],
    [{ extensions: 'x' }, 'message.extensions'],
    [{ referenceTaskIds: [1] }, 'message.referenceTaskIds'],
    [{ metadata: { 'switchboard.chain': 'x' } }, 'message.metadata.switchboard.chain'],
    [{ metadata: { skill: 1 } }, 'message.metadata.skill'],
  ])('with %j is refused by the name of its field', (change, field) => {
    expect(refusal(() => read(change))).toEqual({ code: 'invalid-params', field });
  });

  it('is required', () => {
    expect(refusal(() => readSend(Fields.of({ message: null }), rules))).toMatchObject({ field: 'message' });
  });

  it.each([['../etc'], ['A'], ['x'.repeat(200)]])('naming the impossible task %s names no task', (taskId) => {
    expect(refusal(() => read({ taskId })).code).toBe('task-not-found');
  });

  it('is read in camelCase and in snake_case, with null as unset and unknown fields ignored', () => {
    const snake = readSend(
      Fields.of({
        message: { message_id: 'm', role: 1, parts: [{ text: 'a', media_type: 'text/plain' }], context_id: 'c', x: 1 },
        configuration: { history_length: 2, return_immediately: true },
      }),
      rules,
    );
    expect(snake).toMatchObject({ historyLength: 2, returnImmediately: true });
    expect(snake.message).toEqual({
      messageId: 'm',
      role: 'ROLE_USER',
      contextId: 'c',
      parts: [{ text: 'a', mediaType: 'text/plain' }],
    });
    expect(read({ contextId: null, taskId: '', metadata: null }).message).toEqual(message);
  });

  it("carries what the switchboard reads in its own metadata or the request's, which goes first", () => {
    const chain = [{ switchboard: 's', agent: 'a' }];
    expect(read({ metadata: { skill: 'm', subject: 'b', 'switchboard.chain': chain } })).toMatchObject({
      skill: 'm',
      subject: 'b',
      chain,
    });
    expect(read({ metadata: { skill: 'm' } }, { metadata: { skill: 'r' } })).toMatchObject({ skill: 'r', chain: [] });
  });

  it.each([
    [{ historyLength: -1 }, 'configuration.historyLength'],
    [{ historyLength: 1.5 }, 'configuration.historyLength'],
    [{ returnImmediately: 'yes' }, 'configuration.returnImmediately'],
    [{ acceptedOutputModes: 'text/plain' }, 'configuration.acceptedOutputModes'],
  ])('with configuration %j is refused', (configuration, field) => {
    expect(refusal(() => read({}, { configuration }))).toEqual({ code: 'invalid-params', field });
  });

  it('keeps a history length of 0 apart from none', () => {
    expect(read({}, { configuration: { historyLength: 0 } }).historyLength).toBe(0);
    expect(read({}, { configuration: {} }).historyLength).toBeUndefined();
  });

  it('with a webhook is refused where nobody sends push notifications', () => {
    const params = { message, configuration: { taskPushNotificationConfig: { url: 'https://x.example' } } };
    const silent = { ...rules, pushNotifications: false };
    expect(refusal(() => readSend(Fields.of(params), silent)).code).toBe('push-not-supported');
  });

  it('brings a webhook along', () => {
    const config = {
      id: 'c-1',
      url: 'https://x.example/hook',
      token: 't 1',
      authentication: { scheme: 'Bearer', credentials: 'abc.def==' },
    };
    const inline = (taskPushNotificationConfig: object): unknown =>
      read({}, { configuration: { taskPushNotificationConfig } }).pushConfig;
    expect(inline({ ...config, taskId: '', tenant: '', unknown: 1 })).toEqual({ ...config, version: '1.0' });
    expect(inline({ url: config.url, id: '', token: null })).toEqual({ url: config.url, version: '1.0' });
    expect(inline({ url: config.url, authentication: { scheme: 'Bearer' } })).toEqual({
      url: config.url,
      version: '1.0',
      authentication: { scheme: 'Bearer' },
    });
  });

  it.each([
    [{ url: undefined }, 'url'],
    [{ url: '' }, 'url'],
    [{ url: 5 }, 'url'],
    [{ url: 'http://x.example' }, 'url'],
    [{ url: `https://x.example/${'x'.repeat(2048)}` }, 'url'],
    [{ taskId: 't1' }, 'taskId'],
    [{ id: 'a.b' }, 'id'],
    [{ id: '../x' }, 'id'],
    [{ id: 'x'.repeat(65) }, 'id'],
    [{ token: 'a\r\nX-Evil: 1' }, 'token'],
    [{ token: ' a' }, 'token'],
    [{ token: '\u00e9' }, 'token'],
    [{ token: 'x'.repeat(1025) }, 'token'],
    [{ authentication: 'Bearer x' }, 'authentication'],
    [{ authentication: {} }, 'authentication.scheme'],
    [{ authentication: { credentials: 'x' } }, 'authentication.scheme'],
    [{ authentication: { scheme: 'Bearer x' } }, 'authentication.scheme'],
    [{ authentication: { scheme: 'Bearer\r\n' } }, 'authentication.scheme'],
    [{ authentication: { scheme: 'Basic', credentials: 'a\nb' } }, 'authentication.credentials'],
    [{ authentication: { scheme: 'Basic', credentials: 'a\u0000b' } }, 'authentication.credentials'],
  ])('with the webhook %j is refused', (change, field) => {
    const configuration = { taskPushNotificationConfig: { url: 'https://x.example', ...change } };
    expect(refusal(() => read({}, { configuration }))).toEqual({
      code: 'invalid-params',
      field: `configuration.taskPushNotificationConfig.${field}`,
    });
  });
});

describe('a part', () => {
  const part = (value: unknown): unknown => read({ parts: [value] }).message.parts[0];

  it.each([
    [{ text: '' }, { text: '' }],
    [{ data: null }, { data: null }],
    [
      { url: 'https://x.example/f', filename: 'f', mediaType: 'text/csv' },
      { url: 'https://x.example/f', filename: 'f', mediaType: 'text/csv' },
    ],
    [{ data: 3, text: null }, { data: 3 }],
    [{ text: 'a', data: null }, { text: 'a' }],
    [
      { raw: 'AP8H', filename: 'f', mediaType: 'image/png' },
      { bytes: Buffer.from([0, 255, 7]), filename: 'f', mediaType: 'image/png' },
    ],
    [{ raw: 'AA' }, { bytes: Buffer.from([0]) }],
    [{ raw: '-_8=' }, { bytes: Buffer.from([0xfb, 0xff]) }],
    [{ raw: '' }, { bytes: Buffer.alloc(0) }],
    [
      { text: 'a', mediaType: 'Text/Markdown; charset=utf-8' },
      { text: 'a', mediaType: 'Text/Markdown; charset=utf-8' },
    ],
    [
      { text: 'a', mediaType: 'application/x-known' },
      { text: 'a', mediaType: 'application/x-known' },
    ],
    [
      { text: 'a', metadata: { k: 1 } },
      { text: 'a', metadata: { k: 1 } },
    ],
  ])('%j is read', (value, expected) => {
    expect(part(value)).toEqual(expected);
  });

  it.each([
    [{}, 'invalid-params'],
    [{ text: null }, 'invalid-params'],
    [{ text: 'a', raw: 'AA==' }, 'invalid-params'],
    [{ text: 'a', data: 1 }, 'invalid-params'],
    [{ text: 5 }, 'invalid-params'],
    [{ raw: 'A' }, 'invalid-params'],
    [{ raw: 'A===' }, 'invalid-params'],
    [{ raw: 'AA=' }, 'invalid-params'],
    [{ raw: 'A A=' }, 'invalid-params'],
    [{ raw: '****' }, 'invalid-params'],
    [{ raw: Buffer.alloc(9).toString('base64') }, 'invalid-params'],
    [{ url: 'http://x.example/f' }, 'invalid-params'],
    [{ url: `https://x.example/${'x'.repeat(2048)}` }, 'invalid-params'],
    [{ url: '' }, 'invalid-params'],
    [{ text: 'a', mediaType: 'application/x-foo' }, 'content-type-not-supported'],
    [{ text: 'a', mediaType: 'nonsense' }, 'content-type-not-supported'],
  ])('%j is refused as %s', (value, code) => {
    expect(refusal(() => part(value)).code).toBe(code);
  });
});
