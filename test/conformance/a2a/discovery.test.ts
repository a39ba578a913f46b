// Cards: what they hold, how they are served, and that they tell the truth.
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { IDEMPOTENT_SEND } from '../../../src/extension-uris.js';
import { KEYS, useBridgeServer, type Answer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { RPC_RESULTS_0_3 } from '../golden/schema-0-3.js';
import { RESULTS_1_0 } from '../golden/schema-1-0.js';
import type { Any } from './binding.js';
import { bindings } from './binding.js';

const server = useBridgeServer({ publicUrl: 'https://agents.example/door' });
const local = useBridgeServer({ grpcPort: 0 });
const off = useBridgeServer({ grpcPort: 0, extendedCards: false });
const unconfigured = useBridgeServer({ grpcPort: 0 });

const GENERIC = '/.well-known/agent-card.json';
const OF_ALPHA = '/agents/alpha/.well-known/agent-card.json';
const read = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  server.send('GET', path, { key: '', headers });

describe.each([GENERIC, OF_ALPHA])('the card at %s', (path) => {
  it('[1] A card is served at its well-known address. (§8.1, §8.2)', async () => {
    for (const version of ['1.0', '0.3']) {
      const { status, headers, json } = await read(path, { 'A2A-Version': version });
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
      const results = version === '1.0' ? RESULTS_1_0 : RPC_RESULTS_0_3;
      const schema = results['GetExtendedAgentCard'];
      expect(schema?.safeParse(json).error?.issues).toBeUndefined();
      expect(schema?.safeParse({ ...json, capabilities: undefined }).success).toBe(false);
    }
  });

  it('[2][3] A card has every required member, and no required list is empty. (§4.4.1, §5.7)', async () => {
    const { json } = await read(path);
    for (const member of ['name', 'description', 'version']) expect(json[member]).toMatch(/./);
    for (const member of ['supportedInterfaces', 'defaultInputModes', 'defaultOutputModes', 'skills']) {
      expect(json[member].length).toBeGreaterThan(0);
    }
    expect(json.capabilities).toEqual(expect.any(Object));
  });

  it('[4] Every skill has id, name, description and tags; a provider has url and organization. (§4.4.5, §4.4.2)', async () => {
    server.write('alpha', 'card.json', {
      v: 1,
      provider: { url: 'https://x.example', organization: 'X' },
      skills: [{ id: 'bare' }, { id: 'full', name: 'F', description: 'd', tags: ['t'] }],
    });
    const { skills, provider } = (await read(path)).json;
    for (const skill of skills) {
      expect(skill).toMatchObject({ id: expect.stringMatching(/./), name: expect.stringMatching(/./) });
      expect(skill.description).toMatch(/./);
      expect(skill.tags.length).toBeGreaterThan(0);
    }
    if (provider) expect(provider).toEqual({ url: 'https://x.example', organization: 'X' });
  });

  it('[5][11] Every interface has url, protocolBinding and a protocolVersion without patch number. (§4.4.6, §3.6)', async () => {
    for (const entry of (await read(path)).json.supportedInterfaces) {
      expect(entry).toMatchObject({ url: expect.any(String), protocolBinding: expect.any(String) });
      expect(entry.protocolVersion).toMatch(/^\d+\.\d+$/);
    }
  });

  it('[7][9] Interfaces stand in the order of preference, under the exact names of the core bindings. (§8.3.1, §4.4.6)', async () => {
    const entries = (await read(path)).json.supportedInterfaces;
    expect(entries.map((entry: Any) => `${entry.protocolBinding} ${entry.protocolVersion}`)).toEqual([
      'JSONRPC 1.0',
      'HTTP+JSON 1.0',
      'JSONRPC 0.3',
      'HTTP+JSON 0.3',
    ]);
  });

  it('[8] The urls are absolute, and those that the operator publishes. (§4.4.6)', async () => {
    for (const { url } of (await read(path)).json.supportedInterfaces) {
      expect(url).toMatch(/^https:\/\/agents\.example\/door\/(?:agents\/alpha\/)?a2a$/);
    }
  });

  it('[10] No binding beyond the core ones is declared. (§5.8)', async () => {
    for (const { protocolBinding } of (await read(path)).json.supportedInterfaces) {
      expect(['JSONRPC', 'HTTP+JSON', 'GRPC']).toContain(protocolBinding);
    }
  });

  it('[12][13][14] Security schemes are named by their one member, and requirements name declared schemes only. (§4.5)', async () => {
    const { securitySchemes, securityRequirements } = (await read(path)).json;
    for (const scheme of Object.values<Any>(securitySchemes)) {
      expect(Object.keys(scheme)).toHaveLength(1);
      const { apiKeySecurityScheme: apiKey, httpAuthSecurityScheme: http } = scheme;
      expect(apiKey ? [apiKey.location, apiKey.name] : http.scheme).toEqual(
        apiKey ? ['header', 'X-API-Key'] : 'Bearer',
      );
    }
    expect(securityRequirements.length).toBeGreaterThan(0);
    for (const { schemes } of securityRequirements) {
      for (const name of Object.keys(schemes)) expect(securitySchemes).toHaveProperty(name);
    }
  });

  it('[15][16][17] A card says how long it keeps, and has an ETag that follows its content. (§8.6.1)', async () => {
    const first = await read(path);
    expect(first.headers.get('cache-control')).toMatch(/max-age=\d+/);
    const etag = first.headers.get('etag');
    expect(etag).toMatch(/^"[^"]+"$/);
    expect((await read(path)).headers.get('etag')).toBe(etag);
    const modified = first.headers.get('last-modified');
    if (modified !== null) expect(Date.parse(modified)).not.toBeNaN();
    if (path !== OF_ALPHA) return;
    server.write('alpha', 'card.json', { v: 1, description: `Written at ${Date.now()}.` });
    expect((await read(path)).headers.get('etag')).not.toBe(etag);
  });

  it('[18] Who has this version already gets 304 without a body. (§8.6.2)', async () => {
    const etag = (await read(path)).headers.get('etag') as string;
    for (const known of [etag, `"other", ${etag}`, `W/${etag}`]) {
      const { status, text } = await read(path, { 'If-None-Match': known });
      expect([status, text]).toEqual([304, '']);
    }
    expect((await read(path, { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  it('[23] A public card tells no secret and no internals. (§14.3)', async () => {
    server.write('alpha', 'workspace.json', { v: 1, driver: { name: 'scripted', model: 'secret', apiKey: 'secret' } });
    expect((await read(path)).text).not.toMatch(/secret|scripted|driver|workspaces|\/tmp\//);
  });
});

describe('cards and what is served', () => {
  it('[6] Every declared interface answers at its url. (§8.3.1, §5.2)', async () => {
    const { supportedInterfaces } = (await local.send('GET', OF_ALPHA, { key: '' })).json;
    const grpc = bindings(local).find(({ name }) => name === 'gRPC');
    for (const { url, protocolBinding, protocolVersion, tenant } of supportedInterfaces) {
      if (protocolBinding === 'GRPC') {
        expect((await grpc?.call('GetTask', { id: 'x', tenant }))?.error?.reason).toBe('TASK_NOT_FOUND');
        continue;
      }
      const path = url.slice(local.url.length);
      const headers = { 'A2A-Version': protocolVersion };
      const { json, status } =
        protocolBinding === 'JSONRPC'
          ? await local.rpc(protocolVersion === '1.0' ? 'GetTask' : 'tasks/get', { id: 'x' }, { path, headers })
          : await local.send('GET', `${path}${protocolVersion === '1.0' ? '' : '/v1'}/tasks/x`, { headers });
      expect([200, 404]).toContain(status);
      expect(JSON.stringify(json)).toContain('TASK_NOT_FOUND');
    }
  });

  it('[200] Each agent behind the door has a card of its own. (topics/multi-tenancy)', async () => {
    server.write('beta', 'card.json', { v: 1, name: 'The beta', description: 'Another one.' });
    const beta = (await read('/agents/beta/.well-known/agent-card.json')).json;
    expect(beta.name).toBe('The beta');
    expect((await read(OF_ALPHA)).json.name).toBe('alpha');
    expect(beta.supportedInterfaces[0].url).toBe('https://agents.example/door/agents/beta/a2a');
  });

  it('[52] Extensions are declared in the capabilities, with whether they are required. (§4.6.2)', async () => {
    expect((await read(GENERIC)).json.capabilities.extensions).toEqual([
      expect.objectContaining({ uri: IDEMPOTENT_SEND }),
    ]);
  });
});

describe.each(bindings(local).map((binding) => [binding.name, binding] as const))('%s', (_name, binding) => {
  it('[24] The extended card is for authenticated callers. (§13.3, §3.1.11)', async () => {
    for (const key of ['', 'wrong'])
      expect((await binding.call('GetExtendedAgentCard', {}, { key })).answer.status).toBe(401);
    expect((await binding.call('GetExtendedAgentCard')).result.name).toBe('alpha');
  });

  it('[27] The extended card shows what its caller may use, privately and with caching headers. (§13.3)', async () => {
    const skill = (id: string) => ({ id, name: id, description: id, tags: [id] });
    local.write('beta', 'card.json', { v: 1, skills: [skill('one'), skill('two')] });
    local.write('beta', 'callers.json', {
      v: 1,
      callers: [
        { name: 'bob', key: KEYS.betaBob },
        { name: 'half', key: 'key-beta-half', skills: ['two'] },
      ],
    });
    const skills = async (key: string): Promise<string[]> =>
      (await binding.call('GetExtendedAgentCard', {}, { key })).result.skills.map(({ id }: Any) => id);
    expect([await skills(KEYS.betaBob), await skills('key-beta-half')]).toEqual([['one', 'two'], ['two']]);
    const { headers } = await local.send('GET', '/a2a/extendedAgentCard');
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual([
      expect.stringContaining('private'),
      expect.stringMatching(/^"/),
    ]);
  });
});

describe.each(bindings(unconfigured).map((binding) => [binding.name, binding] as const))('%s', (_name, binding) => {
  const code = binding.tells({ rpc: -32007, rest: 400, grpc: status.FAILED_PRECONDITION });

  it('[26][176] Where the card promises an extended card and the agent has none, that is an error of its own. (§3.3.4, §13.3, §5.4)', async () => {
    unconfigured.write('alpha', 'workspace.json', { v: 1, extendedCard: false });
    const { capabilities } = (await unconfigured.send('GET', GENERIC, { key: '' })).json;
    expect(capabilities.extendedAgentCard).toBe(true);
    const { error, answer } = await binding.call('GetExtendedAgentCard');
    expect([error?.code, error?.reason]).toEqual([code, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED']);
    expect(answer.headers.get('etag')).toBeNull();
    expect((await binding.call('GetExtendedAgentCard', { tenant: 'beta' }, { key: KEYS.eve })).result.name).toBe(
      'beta',
    );
    unconfigured.write('alpha', 'workspace.json', { v: 1 });
    expect((await binding.call('GetExtendedAgentCard')).result.name).toBe('alpha');
  });

  it('[25] An agent whose own card promises none answers with an unsupported operation. (§3.3.4)', async () => {
    unconfigured.write('alpha', 'workspace.json', { v: 1, extendedCard: false });
    const { capabilities } = (await unconfigured.send('GET', OF_ALPHA, { key: '' })).json;
    expect(capabilities.extendedAgentCard ?? false).toBe(false);
    const { error } = await binding.call('GetExtendedAgentCard', {}, { at: '/agents/alpha/a2a' });
    expect(error?.reason).toBe('UNSUPPORTED_OPERATION');
  });
});

describe.each(bindings(off).map((binding) => [binding.name, binding] as const))('%s', (_name, binding) => {
  it('[25] Without the capability the extended card is an unsupported operation. (§3.3.4)', async () => {
    const { capabilities } = (await off.send('GET', GENERIC, { key: '' })).json;
    expect(capabilities.extendedAgentCard ?? false).toBe(false);
    expect((await binding.call('GetExtendedAgentCard')).error?.reason).toBe('UNSUPPORTED_OPERATION');
  });
});
