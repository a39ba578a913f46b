import { request } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListener, type ServedTools } from '../../../../plugins/executors/session-runner/mcp/tool-listener.js';
import type { OfferedTools } from '../../../../plugins/executors/session-runner/mcp/tool-endpoint.js';
import { toolsFor } from '../../../../plugins/executors/session-runner/tools.js';
import { silentLogger } from '../../../../src/log.js';
import { Secrets } from '../../../../src/secrets/secrets.js';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};

describe('the session tools over MCP', () => {
  const secrets = new Secrets();
  let listener: ToolListener;
  const served: ServedTools[] = [];
  const clients: Client[] = [];
  beforeEach(() => (listener = new ToolListener({ log: silentLogger(), secrets })));
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    for (const place of served.splice(0)) await place.close();
  });

  const serve = async (call: OfferedTools['call'] = () => ({ ok: true, text: 'done' })): Promise<ServedTools> => {
    const place = await listener.serve({ tools: toolsFor({ owner: false, notices: true, calls: false }), call });
    served.push(place);
    return place;
  };
  const connect = async ({ url, authorization }: Pick<ServedTools, 'url' | 'authorization'>): Promise<Client> => {
    const client = new Client({ name: 'c', version: '1' });
    clients.push(client);
    const requestInit = { headers: { Authorization: authorization } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return client;
  };
  const post = (url: string, headers: Record<string, string>): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(INITIALIZE),
    });

  it('are listed and called by the official client', async () => {
    const calls: unknown[] = [];
    const place = await serve((name, args) => {
      calls.push([name, args]);
      return { ok: name !== 'send', text: `${name} was called` };
    });
    const client = await connect(place);
    expect(place.endpoint.listed).toBe(false);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['request_input', 'notify_owner', 'send']);
    expect(tools[0]?.inputSchema.required).toEqual(['question']);
    await place.endpoint.listing;
    expect(place.endpoint.listed).toBe(true);
    const asked = await client.callTool({ name: 'request_input', arguments: { question: 'which?' } });
    expect(asked).toMatchObject({ isError: false, content: [{ text: 'request_input was called' }] });
    expect(await client.callTool({ name: 'send' })).toMatchObject({ isError: true });
    expect(calls).toEqual([
      ['request_input', { question: 'which?' }],
      ['send', {}],
    ]);
  });

  it('keep sessions apart: another one’s token opens nothing', async () => {
    const [one, two] = [await serve(), await serve()];
    expect(one.url).not.toBe(two.url);
    expect((await post(one.url, { Authorization: two.authorization })).status).toBe(401);
    expect((await post(one.url, {})).status).toBe(401);
    expect((await post(one.url, { Authorization: one.authorization })).status).toBe(200);
  });

  it('answer only requests to their own address, and know no login', async () => {
    const { url, authorization } = await serve();
    const { port, pathname, origin } = new URL(url);
    const status = (headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const asking = request({ port, path: pathname, method: 'POST', headers, host: '127.0.0.1' }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        asking.on('error', reject).end('{}');
      });
    expect(await status({ authorization, host: `evil.example:${port}` })).toBe(403);
    expect(await status({ authorization, origin: 'http://evil.example' })).toBe(403);
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-authorization-server',
      '/register',
      '/',
    ]) {
      expect((await fetch(origin + path, { method: path === '/register' ? 'POST' : 'GET' })).status).toBe(404);
    }
    expect(secrets.redact(authorization)).toBe('Bearer [redacted]');
  });

  it('refuse what is no MCP with an error, and go on', async () => {
    const place = await serve();
    const { url, authorization } = place;
    const headers = {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    for (const body of ['', '{', '[]', '7', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 'x'.repeat(5_000_000)]) {
      const answer = await fetch(url, { method: 'POST', headers, body });
      expect([body.slice(0, 20), answer.status >= 400]).toEqual([body.slice(0, 20), true]);
      await answer.arrayBuffer();
    }
    expect((await fetch(url, { method: 'GET', headers: { ...headers, 'mcp-session-id': 'unknown' } })).status).toBe(
      404,
    );
    expect((await (await connect(place)).listTools()).tools).toHaveLength(3);
  });

  it('can be connected to again and again', async () => {
    const place = await serve();
    for (let n = 0; n < 12; n++) await connect(place);
    expect((await (clients.at(-1) as Client).listTools()).tools).toHaveLength(3);
  });

  it('listen as long as a session has tools, and no longer', async () => {
    expect(listener.open).toBe(false);
    const [one, two] = [await serve(), await serve()];
    await connect(one);
    await one.close();
    expect((await post(one.url, { Authorization: one.authorization })).status).toBe(404);
    expect(listener.open).toBe(true);
    await two.close();
    expect(listener.open).toBe(false);
    await expect(post(two.url, { Authorization: two.authorization })).rejects.toThrow();
    expect((await post((await serve()).url, {})).status).toBe(401);
  });
});
