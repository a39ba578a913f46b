// Callers who do nothing wrong while somebody else floods the server: what their requests take, and how many fail.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Waited {
  requests: number;
  failed: Record<string, number>;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/**
 * Sends prompts of these callers in turn, one every `everyMs`, whether the last one has come back or not. The agent has
 * the connections they keep, or makes a new one for each request.
 */
export async function sendPrompts(
  url: string,
  keys: readonly string[],
  { agent, ...options }: { requests: number; everyMs: number; agent: Agent },
): Promise<Waited> {
  const times: number[] = [];
  const failed: Record<string, number> = {};
  const begun = performance.now();
  const running: Promise<void>[] = [];
  for (let i = 0; i < options.requests; i++) {
    const wait = begun + i * options.everyMs - performance.now();
    if (wait > 0) await sleep(wait);
    const sent = performance.now();
    running.push(
      send(url, keys[i % keys.length] as string, agent).then((outcome) => {
        if (outcome === 'completed') times.push(performance.now() - sent);
        else failed[outcome] = (failed[outcome] ?? 0) + 1;
      }),
    );
  }
  await Promise.all(running);
  times.sort((a, b) => a - b);
  const at = (share: number): number => Math.round((times[Math.floor(times.length * share)] ?? NaN) * 10) / 10;
  return { requests: options.requests, failed, p50: at(0.5), p99: at(0.99) };
}

/** Has the server serve every kind of request a while, so that what is measured later is a server in service. */
export async function warmUp(url: string, keys: readonly string[], rounds: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const list = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
  for (let i = 0; i < rounds; i++) {
    const key = keys[i % keys.length] as string;
    const stream = { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
    await Promise.all([
      send(url, key, agent),
      post(`${url}/a2a`, key, agent, list),
      post(`${url}/a2a/message:stream`, key, agent, stream),
    ]);
  }
  agent.destroy();
}

/** `completed`, or why it was not. */
async function send(url: string, key: string, agent: Agent): Promise<string> {
  const params = { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
  const answer = await post(`${url}/a2a`, key, agent, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params });
  return answer.includes('TASK_STATE_COMPLETED') ? 'completed' : answer.slice(0, 80);
}

/** Status and body of the answer, or the error's message. */
function post(url: string, key: string, agent: Agent, body: unknown): Promise<string> {
  const headers = { 'X-API-Key': key, 'A2A-Version': '1.0', 'Content-Type': 'application/json' };
  return new Promise((resolve) => {
    request(url, { method: 'POST', agent, headers }, (response) => {
      let text = `${response.statusCode} `;
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('error', (error) => resolve(error.message));
      response.on('end', () => resolve(text));
    })
      .on('error', (error) => resolve(error.message))
      .end(JSON.stringify(body));
  });
}
