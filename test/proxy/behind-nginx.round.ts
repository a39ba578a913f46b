// The switchboard as it is published: nginx in front with TLS, a path, buffering, compression and little patience.
// `npm run proxy` runs it; it needs nginx and openssl.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role, type Task as SdkTask } from '@a2a-js/sdk';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import {
  ClientFactory as OldFactory,
  DefaultAgentCardResolver as OldResolver,
  JsonRpcTransportFactory as OldJsonRpc,
  RestTransportFactory as OldRest,
} from 'a2a-sdk-0.3/client';
import type { Task as OldTask } from 'a2a-sdk-0.3';
import { Agent, fetch as undiciFetch } from 'undici';
import { textMessage } from '../support/a2a-client.js';
import { ensureBuilt, startSwitchboard } from '../support/compiled-server.js';
import type { ServerChild } from '../support/server-child.js';
import { makeTestHome, type TestHome } from '../support/test-home.js';
import { freePort, startNginx, type Nginx } from './nginx.js';
import { SseReader, type Frame } from './sse-reader.js';

/** Longer than the heartbeat, as it is unless configured, and not by much. */
const READ_TIMEOUT = 10;

let nginx: Nginx;
let hub: ServerChild;
let silent: ServerChild;
const homes: TestHome[] = [];
let agent: Agent;
let key = '';
let base = '';

beforeAll(async () => {
  ensureBuilt();
  const port = await freePort();
  base = `https://127.0.0.1:${port}/hub`;
  const start = (settings: Record<string, unknown>): Promise<ServerChild> => {
    const home = makeTestHome({ settings });
    homes.push(home);
    key = home.keys['ann'] as string;
    return startSwitchboard({ home: home.path });
  };
  hub = await start({ publicUrl: `${base}/` });
  silent = await start({ publicUrl: 'https://agents.example/hub', heartbeatSeconds: 3600 });
  nginx = await startNginx(port, [
    { path: '/hub/', backend: hub.url, readTimeoutSeconds: READ_TIMEOUT },
    { path: '/silent/', backend: silent.url, readTimeoutSeconds: 1 },
  ]);
  agent = new Agent({ connect: { ca: nginx.ca } });
});

afterAll(async () => {
  // Not a graceful close: a stream that a failed test left open would hold it up.
  await agent?.destroy();
  await nginx?.stop();
  for (const server of [hub, silent]) await server?.stop();
  for (const home of homes) home.remove();
});

/** fetch that trusts nginx's certificate; `origin` it only reaches through it. */
const through = ((input: string, init: RequestInit = {}) =>
  undiciFetch(input, { ...(init as object), dispatcher: agent })) as unknown as typeof fetch;
const withKey = ((input: string, init: RequestInit = {}) =>
  through(input, {
    ...init,
    headers: { ...Object.fromEntries(new Headers(init.headers)), 'X-API-Key': key },
  })) as typeof fetch;

const VERSION = { 'A2A-Version': '1.0' };
const message = (text: string, more: object = {}): { message: object } => ({
  message: textMessage(randomUUID(), text, { ...more }),
});

interface Door {
  name: string;
  /** Opens a stream through nginx. */
  stream(
    operation: 'send' | 'subscribe',
    params: object,
    headers?: Record<string, string>,
    at?: string,
  ): Promise<SseReader>;
}

const post = async (url: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  withKey(url, {
    method: 'POST',
    headers: { ...VERSION, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const doors: Door[] = [
  {
    name: 'JSON-RPC',
    stream: async (operation, params, headers, at = base) => {
      const method = operation === 'send' ? 'SendStreamingMessage' : 'SubscribeToTask';
      return new SseReader(await post(`${at}/a2a`, { jsonrpc: '2.0', id: 1, method, params }, headers));
    },
  },
  {
    name: 'HTTP+JSON',
    stream: async (operation, params, headers, at = base) => {
      const path = operation === 'send' ? 'message:stream' : `tasks/${(params as { id: string }).id}:subscribe`;
      return new SseReader(await post(`${at}/a2a/${path}`, operation === 'send' ? params : {}, headers));
    },
  },
];

const stateOf = (frame: Frame): string | undefined => {
  const event = frame.event.result ?? frame.event;
  return (event.task ?? event.statusUpdate)?.status.state;
};
const CARDS = ['/.well-known/agent-card.json', '/.well-known/agent.json', '/agents/demo/.well-known/agent-card.json'];

describe('cards behind nginx', () => {
  it('name the public address once, whatever the version, and nothing of the inside', async () => {
    for (const path of CARDS) {
      for (const version of ['1.0', '0.3', '']) {
        const response = await through(`${base}${path}`, { headers: version ? { 'A2A-Version': version } : {} });
        expect(response.headers.get('content-encoding')).toBe('gzip');
        const text = await response.text();
        const urls = [...text.matchAll(/"url":"([^"]+)"/g)].map(([, url]) => url);
        expect(new Set(urls)).toEqual(new Set([`${base}${path.startsWith('/agents') ? '/agents/demo' : ''}/a2a`]));
        expect(text).not.toContain(`:${hub.port}`);
      }
    }
  });

  it('name it also to who says by headers that it is another', async () => {
    const headers = {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'http',
      'X-Forwarded-Prefix': '/evil',
      Forwarded: 'host=evil.example;proto=http',
    };
    for (const origin of [base, hub.url]) {
      const text = await (await through(`${origin}/.well-known/agent-card.json`, { headers })).text();
      expect(text).toContain(`"${base}/a2a"`);
      expect(text).not.toContain('evil');
    }
  });

  it('have no port in their address that the operator did not publish', async () => {
    const card = await (
      await through(`${nginx.origin}/silent/.well-known/agent-card.json`, { headers: VERSION })
    ).json();
    const { supportedInterfaces } = card as { supportedInterfaces: { url: string }[] };
    expect(new Set(supportedInterfaces.map(({ url }) => url))).toEqual(new Set(['https://agents.example/hub/a2a']));
  });

  it('are known again by the ETag that nginx made weak, and the extended one stays private', async () => {
    const url = `${base}/.well-known/agent-card.json`;
    const etag = (await through(url, { headers: VERSION })).headers.get('etag') as string;
    expect(etag).toMatch(/^W\//);
    const again = await through(url, { headers: { ...VERSION, 'If-None-Match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const extended = await withKey(`${base}/a2a/extendedAgentCard`, { headers: VERSION });
    expect(extended.headers.get('cache-control')).toMatch(/private/);
    expect(await extended.text()).toContain(`"${base}/a2a"`);
  });

  it('are followed to the addresses that they name', async () => {
    const { supportedInterfaces } = (await (
      await through(`${base}/agents/demo/.well-known/agent-card.json`, { headers: VERSION })
    ).json()) as { supportedInterfaces: { url: string; protocolBinding: string; protocolVersion: string }[] };
    expect(supportedInterfaces).toHaveLength(4);
    for (const { url, protocolBinding, protocolVersion } of supportedInterfaces) {
      const headers = { 'A2A-Version': protocolVersion };
      const method = protocolVersion === '1.0' ? 'GetTask' : 'tasks/get';
      const answer =
        protocolBinding === 'JSONRPC'
          ? await post(url, { jsonrpc: '2.0', id: 1, method, params: { id: 'x' } }, headers)
          : await withKey(`${url}${protocolVersion === '1.0' ? '' : '/v1'}/tasks/x`, { headers });
      expect(await answer.text()).toContain('TASK_NOT_FOUND');
    }
  });

  it('and poll addresses of the operator lead to the public address', async () => {
    const response = await through(`${base}/api/a2a/delegate`, {
      method: 'POST',
      headers: { 'X-API-Key': 'operator-key-of-a-test', 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent: 'demo', message: 'hello' }),
    });
    const { pollUrl } = (await response.json()) as { pollUrl: string };
    expect(pollUrl.startsWith(`${base}/api/a2a/task/`)).toBe(true);
    const polled = await through(`${pollUrl}?wait=10`, { headers: { 'X-API-Key': 'operator-key-of-a-test' } });
    expect(await polled.json()).toMatchObject({ response: 'echo: hello' });
  });
});

describe.each(doors.map((door) => [door.name, door] as const))('a stream over %s behind nginx', (_name, door) => {
  it.each(['identity', 'gzip'])('arrives event by event (%s)', async (encoding) => {
    // The agent goes on only after the test has seen what it said so far.
    const script = ['say one', 'ask first?', 'say two', 'ask second?', 'say three', 'ask third?', 'say four'].join(
      '; ',
    );
    const stream = await door.stream('send', message(script), { 'Accept-Encoding': encoding });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null);
    let ids: { taskId: string; contextId: string } | undefined;
    for (const word of ['one', 'two', 'three']) {
      const seen = await stream.until((frame) => stateOf(frame) === 'TASK_STATE_INPUT_REQUIRED');
      expect(JSON.stringify(seen)).toContain(`"${word}"`);
      const { task } = seen[0]?.event.result ?? seen[0]?.event ?? {};
      if (task) ids = { taskId: task.id, contextId: task.contextId };
      await post(`${base}/a2a/message:send`, message('this', ids));
    }
    const after = await stream.rest();
    expect(stateOf(after.at(-1) as Frame)).toBe('TASK_STATE_COMPLETED');
    expect(JSON.stringify(after)).toContain('"four"');
  });

  it('that is quiet for longer than nginx waits is kept alive', async () => {
    const stream = await door.stream('send', message(`wait ${(2 * READ_TIMEOUT + 2) * 1000}; say woken`));
    const frames = await stream.rest();
    expect(stateOf(frames.at(-1) as Frame)).toBe('TASK_STATE_COMPLETED');
    expect(stream.comments).toBeGreaterThanOrEqual(2);
  });

  it('without a heartbeat is cut by nginx, and goes on where it was after the last event', async () => {
    const at = `${nginx.origin}/silent`;
    const cut = await door.stream('send', message('say one; wait 2500; say two'), {}, at);
    const seen = await cut.rest();
    expect(seen.map(stateOf)).not.toContain('TASK_STATE_COMPLETED');
    expect(cut.comments).toBe(0);
    const first = seen[0]?.event.result ?? seen[0]?.event;
    const id = first?.task?.id as string;
    const all: Frame[] = [...seen];
    while (stateOf(all.at(-1) as Frame) !== 'TASK_STATE_COMPLETED') {
      const last = all.at(-1)?.id as string;
      all.push(...(await (await door.stream('subscribe', { id }, { 'Last-Event-ID': last }, at)).rest()));
    }
    const ids = all.map((frame) => frame.id);
    expect(new Set(ids).size).toBe(ids.length);
    const positions = ids.map((eventId) => Number(eventId.split('.')[1]));
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    for (const word of ['one', 'two']) expect(JSON.stringify(all)).toContain(word);
    expect(all.filter((frame) => (frame.event.result ?? frame.event).task)).toHaveLength(1);
  });
});

describe('requests behind nginx', () => {
  it('carry files of some size both ways', async () => {
    const raw = Buffer.alloc(3_000_000, 7).toString('base64');
    const body = { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ raw, filename: 'big.bin' }] } };
    const { task } = (await (await post(`${base}/a2a/message:send`, body)).json()) as {
      task: { id: string; history: { parts: object[] }[] };
    };
    const read = await (await withKey(`${base}/a2a/tasks/${task.id}`, { headers: VERSION })).json();
    expect((read as typeof task).history[0]?.parts).toEqual([{ raw, filename: 'big.bin' }]);
  });

  it('are refused in the form of their binding', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
    const noKey = { method: 'POST', headers: { ...VERSION, 'Content-Type': 'application/json' } };
    const refused = await through(`${base}/a2a`, { ...noKey, body: JSON.stringify(list) });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')]);
    expect(await refused.json()).toMatchObject({ jsonrpc: '2.0', error: { data: [{ reason: 'UNAUTHENTICATED' }] } });
    const nowhere = await withKey(`${base}/a2a/nothing`, { headers: VERSION });
    expect([nowhere.status, await nowhere.json()]).toEqual([404, { error: expect.objectContaining({ code: 404 }) }]);
    expect((await withKey(`${base}/a2a/tasks/x%3Acancel`, { method: 'POST', headers: VERSION })).status).toBe(404);
  });
});

describe.each([
  ['JSON-RPC', new JsonRpcTransportFactory({ fetchImpl: withKey }), new OldJsonRpc({ fetchImpl: withKey })],
  ['HTTP+JSON', new RestTransportFactory({ fetchImpl: withKey }), new OldRest({ fetchImpl: withKey })],
])('the official clients over %s behind nginx', (_name, transport, oldTransport) => {
  it('find the agent by its card and talk to it in 1.0', async () => {
    const cardResolver = new DefaultAgentCardResolver({ fetchImpl: through });
    const client = await new ClientFactory({ transports: [transport], cardResolver }).createFromUrl(`${base}/`);
    const request = (text: string, ids = {}) => ({
      tenant: '',
      message: {
        ...{ messageId: randomUUID(), contextId: '', taskId: '', role: Role.ROLE_USER, metadata: undefined },
        ...{ extensions: [], referenceTaskIds: [], ...ids },
        parts: [{ content: { $case: 'text' as const, value: text }, metadata: undefined, filename: '', mediaType: '' }],
      },
      configuration: undefined,
      metadata: undefined,
    });
    const asked = (await client.sendMessage(request('ask which'))) as SdkTask;
    const stream = client.resubscribeTask({ tenant: '', id: asked.id });
    expect((await stream.next()).value?.payload?.$case).toBe('task');
    await client.sendMessage(request('that', { taskId: asked.id, contextId: asked.contextId }));
    let last;
    for await (const { payload } of stream) last = payload;
    expect(last).toMatchObject({ $case: 'statusUpdate', value: { status: { state: 3 } } });
    const kinds = [];
    for await (const { payload } of client.sendMessageStream(request('stream 3'))) kinds.push(payload?.$case);
    expect(kinds[0]).toBe('task');
    expect(kinds.at(-1)).toBe('statusUpdate');
    expect((await client.getTask({ tenant: '', id: asked.id, historyLength: undefined })).id).toBe(asked.id);
  });

  it('find the agent by its card and talk to it in 0.3', async () => {
    const cardResolver = new OldResolver({ fetchImpl: through });
    const client = await new OldFactory({ transports: [oldTransport], cardResolver }).createFromUrl(`${base}/`);
    const say = (text: string) => ({
      message: {
        kind: 'message' as const,
        messageId: randomUUID(),
        role: 'user' as const,
        parts: [{ kind: 'text' as const, text }],
      },
    });
    const task = (await client.sendMessage(say('hello'))) as OldTask;
    expect(task.status.state).toBe('completed');
    const events = [];
    for await (const event of client.sendMessageStream(say('stream 3'))) events.push(event);
    expect(events.at(-1)).toMatchObject({ kind: 'status-update', status: { state: 'completed' }, final: true });
    expect((await client.getTask({ id: task.id })).id).toBe(task.id);
  });
});
