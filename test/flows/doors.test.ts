// Every route and every operation, whoever comes: held against one table. The routes are read off the running server, so
// that one nobody has thought of fails here.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATIONS } from '../../plugins/surfaces/a2a-bridge/operation.js';
import { silentLogger } from '../../src/log.js';
import { createSwitchboard, type Switchboard } from '../../src/main.js';
import { makeTestHome, OPERATOR_KEY, type TestHome } from '../support/test-home.js';
import {
  CREDENTIALS,
  DOORS,
  FOREIGN_AGENT,
  FOREIGN_TASK,
  SURFACES,
  type Credential,
  type Surface,
} from './door-table.js';
import { A2A_MOUNTS, a2aRoutes, mountedRoutes, type Served } from './served-routes.js';

let home: TestHome;
let switchboard: Switchboard;
let url: string;
/** What the injected source says of the event loop. */
let lateMs = 0;

const KEYS: Record<Credential, string | undefined> = {
  'no key': undefined,
  'an unknown key': 'a-key-that-nobody-has',
  'an ambiguous key': 'a-key-of-two-callers',
  'an expired key': 'a-key-of-last-year',
  "the operator's key": OPERATOR_KEY,
  "a caller's key": 'key-of-ann-in-a-test',
};
const FOREIGNER = 'key-of-bob-in-a-test';

beforeAll(async () => {
  home = makeTestHome({ callers: ['ann', 'bob'] });
  workspace('private', { publicCard: false }, [
    { name: 'one', key: KEYS['an ambiguous key'] },
    { name: 'two', key: KEYS['an ambiguous key'] },
    { name: 'past', keys: [{ key: KEYS['an expired key'], expiresAt: '2020-01-01' }] },
  ]);
  const config = { home: home.path, host: '127.0.0.1', port: 0 };
  switchboard = await createSwitchboard({ config, log: silentLogger(), lag: { lateMs: () => lateMs } });
  url = (await switchboard.start()).url;
});
afterAll(async () => {
  await switchboard.stop();
  home.remove();
});

function workspace(name: string, settings: object, callers: object[]): void {
  const folder = join(home.path, 'workspaces', name, '.a2a');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'workspace.json'), JSON.stringify({ v: 1, ...settings }));
  writeFileSync(join(folder, 'callers.json'), JSON.stringify({ v: 1, callers }));
}

interface Answer {
  status: number;
  headers: Headers;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers of every shape are looked into
  body: any;
}

async function ask(served: Served, key: string | undefined, params: object = {}): Promise<Answer> {
  const { method, path, version, rpc } = served;
  const body = rpc === undefined ? params : { jsonrpc: '2.0', id: 1, method: rpc, params };
  const sends = method === 'POST' || method === 'PUT';
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key !== undefined && { 'X-API-Key': key }),
      ...(version !== undefined && { 'A2A-Version': version }),
      ...(sends && { 'Content-Type': 'application/json' }),
    },
    ...(sends && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const surfaceOf = ({ path }: Served): Surface | undefined => SURFACES.find(([address]) => address.test(path))?.[1];

const everything = (): Served[] => [
  ...mountedRoutes(switchboard.app).routes,
  ...['/a2a', '/agents/demo/a2a'].flatMap((at) => a2aRoutes(at)),
];

const named = ({ method, path, version, rpc }: Served): string =>
  [method, path, version, rpc].filter((word) => word !== undefined).join(' ');

describe('everything that is served', () => {
  it('is in the table', () => {
    const { routes, opaque } = mountedRoutes(switchboard.app);
    expect(opaque).toEqual(A2A_MOUNTS);
    expect(routes.length).toBeGreaterThan(15);
    expect(everything().filter((served) => surfaceOf(served) === undefined)).toEqual([]);
    expect(Object.keys(FOREIGN_TASK).sort()).toEqual([...OPERATIONS].sort());
  });

  it.each(CREDENTIALS)('answers %s as the table says, on every route and operation', async (credential) => {
    const seen = await Promise.all(
      everything().map(async (served) => {
        const { status, headers } = await ask(served, KEYS[credential]);
        const told = status === 401 && headers.get('www-authenticate') === null ? '401 without schemes' : status;
        return [named(served), told === 401 || told === '401 without schemes' ? told : 'in'];
      }),
    );
    expect(seen).toEqual(
      everything().map((served) => [named(served), DOORS[surfaceOf(served) as Surface][credential]]),
    );
  });

  it('tells every refused key the same, in the shape of its surface', async () => {
    const refused = CREDENTIALS.filter((credential) => !["a caller's key", 'no key'].includes(credential));
    const hears = async (served: Served): Promise<void> => {
      const operator = served.path.startsWith('/api');
      const wrong = refused.filter((credential) => !(operator && credential === "the operator's key"));
      const told = await Promise.all(wrong.map(async (credential) => (await ask(served, KEYS[credential])).body));
      expect(new Set(told.map((body) => JSON.stringify(body))).size).toBe(1);
      const legacyRest = served.rpc === undefined && served.version === '0.3';
      const shape = served.rpc ? ['jsonrpc', 'id', 'error'] : legacyRest ? ['code', 'message', 'data'] : ['error'];
      expect({ served: named(served), shape: Object.keys(told[0]) }).toEqual({ served: named(served), shape });
    };
    await Promise.all([...a2aRoutes('/a2a'), { method: 'GET', path: '/api/a2a/tasks' }].map(hears));
  });

  it.each(['overloaded', 'stopping'] as const)(
    'is 503 with Retry-After while the server is %s, health apart',
    async (how) => {
      let drained: (() => void) | undefined;
      const server = how === 'overloaded' ? undefined : await stoppingServer();
      const before = url;
      if (server) {
        url = server.url;
        drained = server.end;
      } else lateMs = 1e12;
      try {
        const seen = await Promise.all(
          everything().map(async (served) => {
            const { status, headers } = await ask(served, OPERATOR_KEY);
            return [named(served), status, headers.get('retry-after')];
          }),
        );
        const health = (path: string): number | undefined =>
          path === '/healthz' ? 200 : path === '/readyz' ? (how === 'stopping' ? 503 : 200) : undefined;
        expect(seen).toEqual(
          everything().map((served) => {
            const own = health(served.path);
            return own === undefined ? [named(served), 503, '2'] : [named(served), own, null];
          }),
        );
      } finally {
        lateMs = 0;
        url = before;
        drained?.();
        await server?.stopped;
      }
    },
  );
});

/** A server of its own that has begun to stop and waits for a turn. */
async function stoppingServer(): Promise<{ url: string; stopped: Promise<void>; end(): void }> {
  const other = makeTestHome();
  const config = { home: other.path, host: '127.0.0.1', port: 0, drainSeconds: 60 };
  const stopping = await createSwitchboard({ config, log: silentLogger() });
  const started = await stopping.start();
  const task = await chat(started.url, 'wait 60000');
  const stopped = stopping.stop().then(() => other.remove());
  return { url: started.url, stopped, end: () => void stopping.core.prompts.cancel(task, 'operator') };
}

async function chat(at: string, message: string): Promise<string> {
  const response = await fetch(`${at}/api/a2a/delegate`, {
    method: 'POST',
    headers: { 'X-API-Key': OPERATOR_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ agent: 'demo', message }),
  });
  return ((await response.json()) as { cid: string }).cid;
}

describe('a caller with a good key', () => {
  const message = (more: object = {}): object => ({
    messageId: 'm',
    role: 'ROLE_USER',
    parts: [{ text: 'x' }],
    ...more,
  });

  /** Parameters about one task that are right but for whose it is. */
  function paramsFor({ operation, rpc }: Served, taskId: string): object {
    const inBody = rpc === undefined ? {} : { taskId };
    switch (operation) {
      case 'SendMessage':
      case 'SendStreamingMessage':
        return { message: message({ taskId }) };
      case 'CreateTaskPushNotificationConfig':
        return { ...inBody, id: 'c', url: 'https://hooks.example/x' };
      case 'GetTaskPushNotificationConfig':
      case 'DeleteTaskPushNotificationConfig':
        return { ...inBody, ...(rpc !== undefined && { id: 'some' }) };
      case 'ListTaskPushNotificationConfigs':
        return inBody;
      case 'ListTasks':
      case 'GetExtendedAgentCard':
        return {};
      default:
        return rpc === undefined ? {} : { id: taskId };
    }
  }

  const reasonOf = ({ body }: Answer): string | undefined => (body.error?.data ?? body.error?.details)?.[0]?.reason;

  it.each(['/a2a', '/agents/demo/a2a'])('hears of somebody else’s task at %s what the table says', async (at) => {
    const send = { method: 'POST', path: '/a2a/message:send', version: '1.0' } as const;
    const sent = await ask(send, KEYS["a caller's key"], {
      message: message({ messageId: `first at ${at}`, parts: [{ text: 'ask why?' }] }),
    });
    const { id } = sent.body.task as { id: string };
    for (const served of a2aRoutes(at, id).filter(({ version }) => version === '1.0')) {
      const expected = FOREIGN_TASK[served.operation as string];
      const answer = await ask(served, FOREIGNER, paramsFor(served, id));
      const told = reasonOf(answer) ?? (JSON.stringify(answer.body).includes(id) ? 'the task' : 'own');
      expect({ served: named(served), told }).toEqual({ served: named(served), told: expected });
    }
  });

  it('hears the same of every operation at an agent that is not its own', async () => {
    for (const served of a2aRoutes('/agents/private/a2a').filter(({ version }) => version === '1.0')) {
      const answer = await ask(served, FOREIGNER, paramsFor(served, 'some-task'));
      expect({ served: named(served), status: answer.status, reason: reasonOf(answer) }).toEqual({
        served: named(served),
        ...FOREIGN_AGENT,
      });
    }
  });

  it('hears as a 0.3 client that there is no such task', async () => {
    for (const served of a2aRoutes('/a2a').filter(
      ({ version, rpc }) => version === '0.3' && rpc?.startsWith('tasks/'),
    )) {
      const params = {
        id: 'some-task',
        pushNotificationConfig: { url: 'https://hooks.example/x' },
        pushNotificationConfigId: 'c',
        taskId: 'some-task',
      };
      const { body } = await ask(served, FOREIGNER, params);
      expect({ rpc: served.rpc, code: body.error.code }).toEqual({ rpc: served.rpc, code: -32001 });
    }
  });
});
