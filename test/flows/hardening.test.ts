// The HTTP side of a running server: names and origins, headers, ids, streams, numbers, and how it stops.
import { describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { silentLogger } from '../../src/log.js';
import { createSwitchboard } from '../../src/main.js';
import { ManualAgent } from '../support/manual-agent.js';
import { OperatorServer } from '../support/operator-server.js';
import { makeTestHome, OPERATOR_KEY } from '../support/test-home.js';

/** A request with headers that fetch does not let one set. */
function raw(url: string, headers: Record<string, string>, method = 'GET'): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on('error', reject)
      .end();
  });
}

const operator = { 'X-API-Key': OPERATOR_KEY };

describe('the operator surface', () => {
  it('gives a rebound name and a foreign page nothing, key or not', async () => {
    const server = await OperatorServer.start();
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await raw(`${server.url}/api/a2a/tasks`, { ...operator, ...headers })).status;
    expect([await ask({}), await ask({ Host: 'localhost:1' })]).toEqual([200, 200]);
    expect([await ask({ Host: 'evil.example' }), await ask({ Origin: 'http://evil.example' })]).toEqual([403, 403]);
    // Nobody trusts this one.
    expect(await ask({ Host: 'evil.example', 'X-Forwarded-Host': 'localhost' })).toBe(403);
    const told = await raw(`${server.url}/api/a2a/tasks`, { Host: 'evil.example' });
    expect(JSON.parse(told.body)).toMatchObject({ error: { code: 'forbidden' } });
  });

  it('is reached under the public name and those of the configuration', async () => {
    const settings = { publicUrl: 'https://agents.example', operatorHosts: ['Desk.internal'] };
    const server = await OperatorServer.start({ settings });
    const ask = async (Host: string): Promise<number> =>
      (await raw(`${server.url}/api/a2a/tasks`, { ...operator, Host })).status;
    expect([await ask('agents.example'), await ask('desk.internal:7420'), await ask('other')]).toEqual([200, 200, 403]);
  });

  it('leaves callers under whatever name they come', async () => {
    const server = await OperatorServer.start();
    const key = { 'X-API-Key': server.home.keys['ann'] as string, 'A2A-Version': '1.0' };
    const headers = { ...key, Host: 'agents.example', Origin: 'http://page.example' };
    expect((await raw(`${server.url}/a2a/tasks`, headers)).status).toBe(200);
    expect((await raw(`${server.url}/.well-known/agent-card.json`, { Host: 'agents.example' })).status).toBe(200);
  });
});

describe('every answer', () => {
  it('says to browsers what they may do with it, and carries the id of its request', async () => {
    const server = await OperatorServer.start();
    for (const path of ['/healthz', '/nothing', '/a2a', '/api/a2a/tasks', '/metrics', '/.well-known/agent-card.json']) {
      const { headers } = await fetch(server.url + path);
      expect({ path, csp: headers.get('content-security-policy') }).toEqual({
        path,
        csp: "default-src 'none'; frame-ancestors 'none'",
      });
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('cache-control')).toMatch(path.includes('card') ? /max-age/ : /no-store/);
      expect(headers.get('strict-transport-security')).toBeNull();
    }
  });

  it('insists on TLS where the public address has it', async () => {
    const server = await OperatorServer.start({ settings: { publicUrl: 'https://agents.example' } });
    expect((await fetch(`${server.url}/healthz`)).headers.get('strict-transport-security')).toBe('max-age=31536000');
  });
});

describe('streams', () => {
  const open = (server: OperatorServer): Promise<Response> =>
    fetch(`${server.url}/a2a/message:stream`, {
      method: 'POST',
      headers: {
        'X-API-Key': server.home.keys['ann'] as string,
        'Content-Type': 'application/json',
        'A2A-Version': '1.0',
      },
      body: JSON.stringify({
        message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'ask why?' }] },
      }),
    });

  it('beyond a caller’s limit are refused before anything is created, and one that ends makes room', async () => {
    const server = await OperatorServer.start({ settings: { streams: { perCaller: 2 } } });
    const [first, second, third] = [await open(server), await open(server), await open(server)];
    expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
    expect(third.headers.get('retry-after')).toBe('5');
    expect(JSON.stringify(await third.json())).toContain('RATE_LIMITED');
    expect((await server.get<{ total: number }>('/tasks')).body.total).toBe(2);
    const left = new Promise<void>((resolve) => {
      const look = (): void => (server.switchboard.core.streams.open < 2 ? resolve() : void setImmediate(look));
      look();
    });
    await first.body?.cancel();
    await left;
    const fourth = await open(server);
    expect(fourth.status).toBe(200);
    await Promise.all([second.body?.cancel(), fourth.body?.cancel()]);
  });
});

describe('the numbers', () => {
  it('tell what happened, without the name of any caller', async () => {
    const server = await OperatorServer.start();
    await server.chat('hello');
    await server.chat('ask why?');
    await server.chat('x', { agent: 'nobody' });
    const key = server.home.keys['ann'] as string;
    await server.call('POST', '/a2a', {}, { 'X-API-Key': 'wrong' });
    await server.call('POST', '/a2a', {}, { 'X-API-Key': key });
    await server.switchboard.bus.drain();
    const response = await fetch(`${server.url}/metrics`, { headers: operator });
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    const series = new Map(
      text
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => line.split(' ') as [string, string]),
    );
    expect(series.get('switchboard_turns_total{state="completed"}')).toBe('1');
    expect(series.get('switchboard_refusals_total{rule="target"}')).toBe('1');
    expect(series.get('switchboard_door_refusals_total{rule="key"}')).toBe('1');
    expect(series.get('switchboard_http_requests_total{surface="operator",status="2xx"}')).toBe('2');
    expect(series.get('switchboard_turns_running')).toBe('0');
    expect(series.get('switchboard_storage_healthy')).toBe('1');
    expect(series.get('switchboard_live_tasks{state="working"}')).toBe('0');
    for (const line of series) expect(line[0]).toMatch(/^[a-z_]+(\{[a-z]+="[a-z0-9-]+"(,[a-z]+="[a-z0-9-]+")*\})?$/);
    expect(text).not.toMatch(/demo|ann|operator-key/);
  });
});

describe('a stop', () => {
  it('lets the running turn finish and its waiting client read the answer, and takes nothing new', async () => {
    const home = makeTestHome();
    const manual = new ManualAgent();
    const config = { home: home.path, host: '127.0.0.1', port: 0 };
    const switchboard = await createSwitchboard({ config, log: silentLogger(), plugins: [manual.plugin] });
    const { url } = await switchboard.start();
    const chat = (agent: string): Promise<Response> =>
      fetch(`${url}/api/a2a/chat`, {
        method: 'POST',
        headers: { ...operator, 'Content-Type': 'application/json' },
        body: JSON.stringify({ agent, message: 'work' }),
      });
    const answer = chat('manual');
    const turn = await manual.next();
    const stopped = switchboard.stop();
    const refused = await chat('demo');
    expect([refused.status, refused.headers.get('connection'), refused.headers.get('retry-after')]).toEqual([
      503,
      'close',
      '2',
    ]);
    expect(await refused.json()).toMatchObject({ error: { code: 'overloaded' } });
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'stopping' }]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    turn.end({ kind: 'completed', parts: [{ text: 'done in time' }] });
    expect(await (await answer).json()).toMatchObject({ taskState: 'completed', response: 'done in time' });
    await stopped;
    home.remove();
  });

  it('marks what does not finish within the grace', async () => {
    const server = await OperatorServer.start({ settings: { drain: 0.05 } });
    const { cid } = (await server.post('/delegate', { agent: 'demo', message: 'wait 60000' })).body;
    const after = await server.restart();
    expect((await after.get(`/task/${cid}`)).body).toMatchObject({
      taskState: 'failed',
      error: { code: 'interrupted' },
    });
  });
});
