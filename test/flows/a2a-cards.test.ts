// Cards as clients read them: by version, by caller, conditionally, and with nothing in them that is nobody's business.
import { describe, expect, it } from '@jest/globals';
import { IDEMPOTENT_SEND } from '../../src/extension-uris.js';
import {
  KEYS,
  sendParams,
  useBridgeServer,
  type Answer,
  type BridgeServer,
} from '../surfaces/a2a-bridge/bridge-server.js';

const GENERIC = '/.well-known/agent-card.json';
const OF_ALPHA = '/agents/alpha/.well-known/agent-card.json';

const SECRETS = {
  driver: { name: 'scripted', model: 'secret-model', env: { TOKEN: 'secret-env' }, args: ['--secret-argument'] },
  quota: { liveTasksPerCaller: 4242 },
};
const OPERATOR_KEY = 'secret-operator-key';

const server = useBridgeServer({ operatorKey: OPERATOR_KEY, quota: { liveTasks: 54321 } });
const card = (
  path: string,
  version?: string,
  headers: Record<string, string> = {},
  of: BridgeServer = server,
): Promise<Answer> => of.send('GET', path, { key: '', headers: { 'A2A-Version': version ?? '', ...headers } });

describe.each([GENERIC, OF_ALPHA])('%s', (path) => {
  it('is by version the exact document of that version, and without one both in one', async () => {
    const now = (await card(path, '1.0')).json;
    const old = (await card(path, '0.3')).json;
    const both = (await card(path)).json;
    expect(Object.keys(now)).toEqual(expect.arrayContaining(['supportedInterfaces', 'securityRequirements']));
    for (const key of ['url', 'preferredTransport', 'additionalInterfaces', 'protocolVersion', 'security']) {
      expect(now).not.toHaveProperty(key);
      expect(old).toHaveProperty(key);
      expect(both).toHaveProperty(key);
    }
    for (const key of ['supportedInterfaces', 'securityRequirements']) {
      expect(old).not.toHaveProperty(key);
      expect(both).toHaveProperty(key);
    }
    expect(old.securitySchemes.apiKey).toMatchObject({ type: 'apiKey', in: 'header', name: 'X-API-Key' });
    expect(both.securitySchemes.apiKey).toMatchObject({ type: 'apiKey', apiKeySecurityScheme: { name: 'X-API-Key' } });
    expect((await card(path, '1.0.9')).json).toEqual(now);
    expect((await card(path, '99.0')).json).toEqual(both);
    expect((await card(`${path}?A2A-Version=1.0`)).json).toEqual(now);
  });

  it('is at its older address too', async () => {
    const older = await card(path.replace('agent-card', 'agent'), '0.3');
    expect([older.status, older.text]).toEqual([200, (await card(path, '0.3')).text]);
  });

  it('has one ETag for each document, which a list of known ones may contain', async () => {
    const tags = new Set<string>();
    for (const version of ['1.0', '0.3', undefined]) {
      const { headers } = await card(path, version);
      const etag = headers.get('etag') as string;
      tags.add(etag);
      expect((await card(path, version)).headers.get('etag')).toBe(etag);
      expect(headers.get('vary')).toContain('A2A-Version');
      for (const known of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
        const again = await card(path, version, { 'If-None-Match': known });
        expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
      }
      expect((await card(path, version, { 'If-None-Match': '"x"' })).status).toBe(200);
    }
    expect(tags.size).toBe(3);
  });

  it('names interfaces that all answer', async () => {
    for (const { url, protocolBinding, protocolVersion } of (await card(path, '1.0')).json.supportedInterfaces) {
      const address = url.slice(server.url.length);
      const headers = { 'A2A-Version': protocolVersion };
      const legacy = protocolVersion === '0.3';
      const { status, json } =
        protocolBinding === 'JSONRPC'
          ? await server.rpc(legacy ? 'tasks/get' : 'GetTask', { id: 'x' }, { path: address, headers })
          : await server.send('GET', `${address}${legacy ? '/v1' : ''}/tasks/x`, { headers });
      const code = json.error?.code ?? json.code;
      expect([status, code]).toEqual(protocolBinding === 'JSONRPC' ? [200, -32001] : [404, legacy ? -32001 : 404]);
    }
  });
});

describe('no card', () => {
  it('tells a model, a path, a variable, a driver, a limit or a key', async () => {
    server.write('alpha', 'workspace.json', { v: 1, ...SECRETS });
    server.write('alpha', 'card.json', { v: 1, name: 'alpha', skills: [], model: 'secret-model', driver: 'scripted' });
    const texts: string[] = [];
    for (const version of ['1.0', '0.3', undefined]) {
      for (const path of [GENERIC, OF_ALPHA]) texts.push((await card(path, version)).text);
    }
    texts.push((await server.send('GET', '/a2a/extendedAgentCard')).text);
    for (const text of texts) {
      expect(text).toContain('"name"');
      expect(text).not.toMatch(/secret|scripted|4242|54321|switchboard-bridge-|workspaces/);
      for (const key of Object.values(KEYS)) expect(text).not.toContain(key);
    }
  });
});

describe('the extended card', () => {
  const rpc = async (key: string, options: { params?: unknown; path?: string } = {}) =>
    (await server.rpc('GetExtendedAgentCard', options.params, { key, path: options.path })).json;

  it('is what this caller may use, over both bindings and in both versions', async () => {
    const skill = (id: string) => ({ id, description: id, tags: [id] });
    server.write('beta', 'card.json', { v: 1, description: 'The beta.', skills: [skill('one'), skill('two')] });
    server.write('beta', 'callers.json', {
      v: 1,
      callers: [
        { name: 'bob', key: KEYS.betaBob },
        { name: 'half', key: 'key-beta-half', skills: ['two'] },
      ],
    });
    const skills = ({ result }: { result: { skills: { id: string }[] } }) => result.skills.map(({ id }) => id);
    expect(skills(await rpc(KEYS.betaBob))).toEqual(['one', 'two']);
    expect(skills(await rpc('key-beta-half'))).toEqual(['two']);
    const rest = await server.send('GET', '/a2a/extendedAgentCard', { key: 'key-beta-half' });
    expect(rest.json).toEqual((await rpc('key-beta-half')).result);
    expect(rest.headers.get('content-type')).toBe('application/a2a+json');
    const headers = { 'A2A-Version': '0.3' };
    const old = await server.rpc('agent/getAuthenticatedExtendedCard', undefined, { key: 'key-beta-half', headers });
    expect(old.json.result).toMatchObject({
      protocolVersion: '0.3.0',
      skills: [{ id: 'two' }],
      url: `${server.url}/a2a`,
    });
    const oldRest = await server.send('GET', '/a2a/v1/card', { key: 'key-beta-half', headers });
    expect(oldRest.json).toMatchObject({ protocolVersion: '0.3.0', skills: [{ id: 'two' }] });
  });

  it('names the address, or the tenant, that it was asked for by', async () => {
    const addresses = (answer: { result: { supportedInterfaces: { url: string; tenant?: string }[] } }) =>
      answer.result.supportedInterfaces.map(({ url, tenant }) => [url.slice(server.url.length), tenant]);
    expect(addresses(await rpc(KEYS.eve, { path: '/agents/beta/a2a' }))).toContainEqual([
      '/agents/beta/a2a',
      undefined,
    ]);
    expect(addresses(await rpc(KEYS.eve, { params: { tenant: 'beta' } }))).toContainEqual(['/a2a', 'beta']);
    expect(addresses(await rpc(KEYS.eve))).toContainEqual(['/a2a', undefined]);
  });

  it('is for its caller only, and conditional', async () => {
    const first = await server.send('GET', '/a2a/extendedAgentCard');
    expect(first.headers.get('cache-control')).toBe('private, max-age=60');
    expect(first.headers.get('vary')).toContain('X-API-Key');
    const headers = { 'If-None-Match': first.headers.get('etag') as string };
    const again = await server.send('GET', '/a2a/extendedAgentCard', { headers });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await server.send('GET', '/a2a/extendedAgentCard', { key: '' })).status).toBe(401);
    expect((await server.send('GET', '/agents/beta/a2a/extendedAgentCard', { key: KEYS.bob })).status).toBe(404);
  });
});

describe('extensions', () => {
  it('that are known are named back, under the name that the version has for the header', async () => {
    const list = `urn:other , ${IDEMPOTENT_SEND},${IDEMPOTENT_SEND.toUpperCase()}`;
    const now = await server.rpc('ListTasks', {}, { headers: { 'A2A-Extensions': list } });
    expect(now.headers.get('a2a-extensions')).toBe(IDEMPOTENT_SEND);
    const headers = { 'A2A-Version': '0.3', 'X-A2A-Extensions': list };
    const old = await server.rpc('tasks/get', { id: 'x' }, { headers });
    expect([old.headers.get('x-a2a-extensions'), old.headers.get('a2a-extensions')]).toEqual([IDEMPOTENT_SEND, null]);
    const stream = await server.rpc('SendStreamingMessage', sendParams('hi'), { headers: { 'A2A-Extensions': list } });
    expect(stream.headers.get('a2a-extensions')).toBe(IDEMPOTENT_SEND);
    expect((await server.rpc('ListTasks', {})).headers.get('a2a-extensions')).toBeNull();
  });
});

describe('by configuration', () => {
  const strict = useBridgeServer({
    extendedCards: false,
    cardWithoutHeader: '1.0',
    requiredExtensions: [IDEMPOTENT_SEND, 'urn:nobody-knows-it'],
  });

  it('the card without a version is pinned', async () => {
    expect((await card(GENERIC, undefined, {}, strict)).text).toBe((await card(GENERIC, '1.0', {}, strict)).text);
    expect((await card(GENERIC, '0.3', {}, strict)).json.protocolVersion).toBe('0.3.0');
  });

  it('an extension is required and declared so', async () => {
    const { capabilities } = (await card(GENERIC, '1.0', {}, strict)).json;
    expect(capabilities.extensions).toEqual([expect.objectContaining({ uri: IDEMPOTENT_SEND, required: true })]);
    const headers = { 'A2A-Extensions': `urn:other, ${IDEMPOTENT_SEND}` };
    expect((await strict.rpc('ListTasks', {}, { headers })).json.result.tasks).toEqual([]);
    for (const list of ['', 'urn:other', IDEMPOTENT_SEND.toUpperCase()]) {
      const { error } = (await strict.rpc('SendMessage', sendParams('x'), { headers: { 'A2A-Extensions': list } }))
        .json;
      expect([error.code, error.data[0].reason]).toEqual([-32008, 'EXTENSION_SUPPORT_REQUIRED']);
      expect(
        (await strict.send('GET', '/a2a/tasks', { headers: { 'A2A-Extensions': list } })).json.error.details[0].reason,
      ).toBe('EXTENSION_SUPPORT_REQUIRED');
    }
    const old = await strict.rpc('tasks/get', { id: 'x' }, { headers: { 'A2A-Version': '' } });
    expect(old.json.error.code).toBe(-32004);
    expect((await strict.rpc('ListTasks', {}, { headers })).json.result.totalSize).toBe(0);
  });

  it('there are no extended cards', async () => {
    const headers = { 'A2A-Extensions': IDEMPOTENT_SEND };
    expect((await card(GENERIC, '1.0', {}, strict)).json.capabilities.extendedAgentCard ?? false).toBe(false);
    expect((await strict.rpc('GetExtendedAgentCard', {}, { headers })).json.error.code).toBe(-32004);
    const rest = await strict.send('GET', '/a2a/extendedAgentCard', { headers });
    expect([rest.status, rest.json.error.details[0].reason]).toEqual([400, 'UNSUPPORTED_OPERATION']);
  });
});
