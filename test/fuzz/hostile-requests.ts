// Requests as an attacker or a broken client would send them: each begins as a good one and is then damaged in its
// values, its text, its headers, its method or its address.
import fc from 'fast-check';
import { OPERATOR_KEY } from '../support/test-home.js';
import { DATES, hostileJson, hostileText, hostileValue, PATH_TRICKS } from './hostile-values.js';
import type { RawRequest } from './raw-request.js';

/** What a request may name that exists. */
export interface Known {
  key: string;
  /** A task that waits for an answer. */
  waiting: string;
  /** A task that is completed. */
  completed: string;
  maxBodyBytes: number;
}

interface Good {
  method: string;
  path: string;
  body?: unknown;
  operator?: boolean;
  /** Of A2A 0.3. */
  legacy?: boolean;
}

/** Damage. */
type Mutation = (request: RawRequest) => RawRequest;

export function hostileRequest(known: Known): fc.Arbitrary<RawRequest> {
  return fc
    .tuple(goodRequest(known), fc.array(valueDamage, { maxLength: 3 }), fc.array(mutation(known), { maxLength: 2 }))
    .map(([good, damages, mutations]) => {
      const body = damages.reduce<unknown>((value, damage) => damage(value), good.body);
      const request: RawRequest = {
        method: good.method,
        path: good.path,
        headers: {
          'X-API-Key': good.operator === true ? OPERATOR_KEY : known.key,
          'A2A-Version': good.legacy === true ? '0.3' : '1.0',
          ...(good.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(good.body === undefined ? {} : { body: Buffer.from(hostileJson(body)) }),
      };
      return mutations.reduce((damaged, mutate) => mutate(damaged), request);
    });
}

let messages = 0;
const message = (more: object = {}) => ({
  messageId: `fuzz-${process.pid}-${++messages}`,
  role: 'ROLE_USER',
  parts: [{ text: 'hello' }],
  ...more,
});

const legacyMessage = (parts: unknown[] = [{ kind: 'text', text: 'hello' }], more: object = {}) => ({
  ...message(),
  kind: 'message',
  role: 'user',
  parts,
  ...more,
});

function goodRequest({ waiting, completed }: Known): fc.Arbitrary<Good> {
  const id = fc.oneof(fc.constantFrom(waiting, completed), hostileText);
  const inPath = id.map((text) => encodeURIComponent(Buffer.from(text).toString()));
  const rpc = (method: string, params: unknown): Good => ({
    method: 'POST',
    path: '/a2a',
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
  const old = (good: Good): Good => ({ ...good, legacy: true });
  const oldParts = [
    { kind: 'file', file: { bytes: 'aGVsbG8=', name: 'a.txt', mimeType: 'text/plain' } },
    { kind: 'data', data: { value: [1] }, metadata: { data_part_compat: true } },
  ];
  const parts = [
    { raw: 'aGVsbG8=', filename: 'a.txt', mediaType: 'text/plain' },
    { data: { a: [1, 2] } },
    { url: 'https://example.org/x.txt' },
  ];
  return fc.oneof(
    fc.constant(0).map(() => rpc('SendMessage', { message: message() })),
    fc.constant(0).map(() => rpc('SendMessage', { message: message({ parts }), configuration: { historyLength: 1 } })),
    hostileText.map((filename) => rpc('SendMessage', { message: message({ parts: [{ raw: 'aGk=', filename }] }) })),
    hostileText.map((contextId) => rpc('SendMessage', { message: message({ contextId }) })),
    fc.constant(0).map(() => rpc('SendStreamingMessage', { message: message({ metadata: { skill: 'chat' } }) })),
    id.map((taskId) => rpc('SendMessage', { message: message({ taskId }) })),
    id.map((taskId) => rpc('GetTask', { id: taskId, historyLength: 2 })),
    id.map((taskId) => rpc('CancelTask', { id: taskId === waiting ? completed : taskId })),
    id.map((taskId) => rpc('SubscribeToTask', { id: taskId })),
    fc
      .constantFrom(...DATES)
      .map((date) => rpc('ListTasks', { pageSize: 10, status: 'TASK_STATE_WORKING', statusTimestampAfter: date })),
    hostileText.map((pageToken) => rpc('ListTasks', { pageToken, includeArtifacts: true })),
    id.map((taskId) => rpc('CreateTaskPushNotificationConfig', { taskId, url: 'https://example.org/hook' })),
    fc.constant(rpc('GetExtendedAgentCard', {})),
    hostileText.map((name) => rpc(name, { message: message() })),
    fc
      .constantFrom(
        '/a2a/message:send',
        '/a2a/message:stream',
        '/agents/demo/a2a/message:send',
        '/a2a/demo/message:send',
      )
      .map((path) => ({ method: 'POST', path, body: { message: message() } })),
    fc.constant(0).map(() => old(rpc('message/send', { message: legacyMessage(), configuration: { blocking: true } }))),
    fc.constant(0).map(() => old(rpc('message/stream', { message: legacyMessage(oldParts) }))),
    id.map((taskId) => old(rpc('message/send', { message: legacyMessage(undefined, { taskId }) }))),
    id.map((taskId) => old(rpc('tasks/get', { id: taskId, historyLength: 0 }))),
    id.map((taskId) => old(rpc('tasks/resubscribe', { id: taskId }))),
    id.map((taskId) => old(rpc('tasks/pushNotificationConfig/get', { id: taskId, pushNotificationConfigId: taskId }))),
    fc.constant(0).map(() =>
      old({
        method: 'POST',
        path: '/a2a/v1/message:send',
        body: { message: { ...message(), parts: undefined, content: [{ text: 'hello' }] } },
      }),
    ),
    inPath.map((text) => old({ method: 'GET', path: `/a2a/v1/tasks/${text}?historyLength=${text}` })),
    inPath.map((text) => ({ method: 'GET', path: `/a2a/tasks/${text}?historyLength=1` })),
    inPath.map((text) => ({ method: 'GET', path: `/a2a/tasks/${text}:subscribe` })),
    inPath.map((text) => ({
      method: 'POST',
      path: `/a2a/tasks/${text}:cancel${text === waiting ? 'x' : ''}`,
      body: {},
    })),
    inPath.map((text) => ({ method: 'GET', path: `/a2a/tasks?pageSize=${text}&status=${text}&contextId=${text}` })),
    inPath.map((text) => ({ method: 'GET', path: `/a2a/tasks?pageToken=${text}&statusTimestampAfter=${text}` })),
    inPath.map((text) => ({ method: 'GET', path: `/a2a/tasks/${text}/pushNotificationConfigs/${text}` })),
    inPath.map((text) => ({
      method: 'POST',
      path: `/agents/${text}/a2a`,
      body: { jsonrpc: '2.0', id: 'x', method: 'ListTasks', params: {} },
    })),
    inPath.map((text) => ({ method: 'GET', path: `/agents/${text}/.well-known/agent-card.json` })),
    fc
      .constantFrom('/.well-known/agent-card.json', '/a2a/extendedAgentCard', '/healthz', '/readyz', '/')
      .map((path) => ({ method: 'GET', path })),
    fc.oneof(fc.constant('demo'), hostileText).map((agent) => ({
      method: 'POST',
      path: '/api/a2a/chat',
      body: { agent, message: 'hello' },
      operator: true,
    })),
    fc.oneof(fc.constant('demo'), hostileText).map((agent) => ({
      method: 'POST',
      path: '/api/a2a/delegate',
      body: { agent, parts: [{ text: 'hi' }], contextId: agent },
      operator: true,
    })),
    id.map((cid) => ({
      method: 'POST',
      path: '/api/a2a/input',
      body: { cid, answer: 'large', requestId: cid },
      operator: true,
    })),
    inPath.map((text) => ({ method: 'GET', path: `/api/a2a/task/${text}?wait=${text.slice(0, 3)}`, operator: true })),
    inPath.map((text) => ({
      method: 'GET',
      path: `/api/a2a/tasks?cursor=${text}&state=${text}&since=${text}`,
      operator: true,
    })),
    inPath.map((text) => ({ method: 'GET', path: `/api/a2a/callers?workspace=${text}`, operator: true })),
    hostileText.map((name) => ({
      method: 'POST',
      path: '/api/a2a/callers',
      body: { workspace: 'demo', name: `${name}/`, note: name },
      operator: true,
    })),
  );
}

/** Replaces, removes or adds one member somewhere in a JSON value. */
const valueDamage: fc.Arbitrary<(value: unknown) => unknown> = fc
  .record({
    steps: fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 6 }),
    kind: fc.constantFrom('replace', 'replace', 'remove', 'add'),
    name: fc.constantFrom(
      'id',
      'taskId',
      'contextId',
      'tenant',
      'metadata',
      'parts',
      'raw',
      'url',
      'data',
      '__proto__',
      'x',
    ),
    with: hostileValue,
  })
  .map((damage) => (value: unknown) => {
    if (value === undefined) return value;
    const copy = structuredClone(value);
    let parent = copy;
    for (const step of damage.steps) {
      if (typeof parent !== 'object' || parent === null) return damage.with;
      const members = Object.keys(parent);
      const name = members[step % Math.max(1, members.length)];
      const holder = parent as Record<string, unknown>;
      const below = name === undefined ? undefined : holder[name];
      if (typeof below === 'object' && below !== null && step !== damage.steps.at(-1)) {
        parent = below;
        continue;
      }
      if (damage.kind === 'add' || name === undefined) {
        Object.defineProperty(holder, damage.name, { value: damage.with, enumerable: true, configurable: true });
      } else if (damage.kind === 'remove') delete holder[name];
      else holder[name] = damage.with;
      return copy;
    }
    return copy;
  });

function mutation({ maxBodyBytes }: Known): fc.Arbitrary<Mutation> {
  const header = (name: string, values: readonly string[]): fc.Arbitrary<Mutation> =>
    fc
      .constantFrom(...values)
      .map((value): Mutation => (request) => ({ ...request, headers: { ...request.headers, [name]: value } }));
  const body =
    (damage: (bytes: Buffer) => Buffer): Mutation =>
    (request) =>
      request.body === undefined ? request : { ...request, body: damage(request.body) };
  return fc.oneof(
    header('Content-Type', [
      'text/plain',
      'application/json; charset=utf-16',
      'multipart/form-data; boundary=x',
      '',
      'application/a2a+json',
      'a',
      'application/json;;;',
      'APPLICATION/JSON',
    ]),
    header('A2A-Version', ['0.3', '99.0', '', '1.0.7', '1', 'one', '1.0, 0.3', '-1.0']),
    header('A2A-Extensions', ['', ',,,', 'urn:x', 'a'.repeat(5_000)]),
    header('X-API-Key', ['', 'wrong', 'k'.repeat(7_000), '\u00e9', '__proto__']),
    header('Authorization', ['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer wrong', 'bearer\twrong']),
    header('Last-Event-ID', ['', '0', 'x.1', '.', 'a.b.c', '1.99999999999999999999', '1.-1', 'x'.repeat(5_000)]),
    header('Idempotency-Key', ['', 'same', 'same', 'k'.repeat(5_000), '..', '__proto__']),
    header('Content-Encoding', ['gzip', 'br', 'identity', 'x']),
    header('Accept', ['text/html', 'text/event-stream', '*/*;q=0']),
    header('X-Forwarded-For', ['127.0.0.1', "'; drop table tasks; --"]),
    fc
      .constantFrom('GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'PROPFIND')
      .map((method): Mutation => (request) => ({ ...request, method })),
    fc
      .constantFrom(...PATH_TRICKS)
      .map((trick): Mutation => (request) => ({ ...request, path: `${request.path}/${encodeURIComponent(trick)}` })),
    fc
      .constantFrom(
        '%',
        '%zz',
        '%00',
        '%ff',
        '%c0%af',
        '//',
        ';a=b',
        '?',
        '?a=%',
        '?a[b]=1&a[b]=2',
        '?__proto__[x]=1',
        '#x',
        `?q=${'x'.repeat(9_000)}`,
      )
      .map((end): Mutation => (request) => ({ ...request, path: request.path + end })),
    fc
      .constantFrom('/', '//', '/./', '/%2e%2e/', '/A2A')
      .map((start): Mutation => (request) => ({ ...request, path: start + request.path.slice(1) })),
    fc.nat({ max: 400 }).map((at) => body((bytes) => bytes.subarray(0, at % (bytes.length + 1)))),
    fc
      .tuple(fc.nat({ max: 400 }), fc.nat({ max: 255 }))
      .map(([at, byte]) =>
        body((bytes) =>
          Buffer.concat([
            bytes.subarray(0, at % (bytes.length + 1)),
            Buffer.from([byte]),
            bytes.subarray(at % (bytes.length + 1)),
          ]),
        ),
      ),
    fc
      .constantFrom('null', '[]', '[{}]', '"x"', '1', '', ' ', '{', '}', '{}{}', '\ufeff{}', '[1,2', 'true')
      .map((text) => body(() => Buffer.from(text))),
    fc.constant(body((bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le'))),
    fc.constant(body((bytes) => Buffer.concat([Buffer.from([0xff, 0xfe, 0xc0, 0x80]), bytes]))),
    fc.constant(body((bytes) => Buffer.from(`[${bytes.toString('utf8')},${bytes.toString('utf8')}]`))),
    fc.constant(body((bytes) => Buffer.from(bytes.toString('utf8').replace('{', '{"jsonrpc":"1.0","message":1,')))),
    fc.constant(body((bytes) => Buffer.concat([bytes, Buffer.alloc(maxBodyBytes, 0x20)]))),
  );
}
