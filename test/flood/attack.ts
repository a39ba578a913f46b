// What one client can do to a server, all at once, in a process of its own so that it slows nobody who measures:
// requests far beyond the rate, connections that never finish a request, more streams than allowed, and wrong keys.
// `attack.ts <url> <greedy key> <streaming key> <seconds> <connections> <streams>`; prints what it got as JSON.
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';

const [url = '', greedyKey = '', streamingKey = '', ...numbers] = process.argv.slice(2);
const [seconds = 0, connections = 0, streams = 0] = numbers.map(Number);
const { hostname, port } = new URL(url);

/** Ten times what the default rate lets through: 300 at once, and one a second. */
const REQUESTS = 10 * (300 + seconds);
const WRONG_KEYS = 20 * seconds;

const got: Record<string, number> = {};
const count = (what: string): void => void (got[what] = (got[what] ?? 0) + 1);

/** Sockets of slow clients and of streams: as many as asked for, and none taken up again. */
const held = new Set<Socket>();

/** Sends half a header and then a byte now and then. */
function slowConnection(): void {
  const socket = connect(Number(port), hostname);
  held.add(socket);
  socket.on('connect', () => {
    count('slow: connected');
    socket.write('POST /a2a HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  });
  const drip = setInterval(() => socket.write('x'), 2_000);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => count(`slow: ${chunk.toString('latin1').slice(9, 12)}`));
  socket.on('close', () => {
    clearInterval(drip);
    held.delete(socket);
    count('slow: closed');
  });
}

interface Asked {
  path: string;
  key: string;
  body: unknown;
  agent: Agent;
  /** True: the answer is a stream that stays open. */
  stays?: boolean;
}

function ask(name: string, { path, key, body, agent, stays }: Asked): void {
  const text = JSON.stringify(body);
  const headers = {
    'X-API-Key': key,
    'A2A-Version': '1.0',
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  };
  request({ hostname, port, path, method: 'POST', headers, agent }, (response) => {
    count(`${name}: ${response.statusCode}`);
    response.on('error', () => undefined).resume();
    if (stays === true && response.statusCode === 200) held.add(response.socket);
  })
    .on('error', () => count(`${name}: failed`))
    .end(text);
}

/** Spreads `times` calls evenly over the attack. */
function spread(times: number, call: () => void): void {
  let done = 0;
  const begun = performance.now();
  const timer = setInterval(() => {
    const due = Math.min(times, Math.ceil(((performance.now() - begun) / 1_000 / seconds) * times));
    for (; done < due; done++) call();
    if (done === times) clearInterval(timer);
  }, 20);
}

const agent = new Agent({ keepAlive: true, maxSockets: 32 });
const ownSockets = new Agent({ maxSockets: Infinity });
const list = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
const message = (): object => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'ask why?' }] },
});
let guesses = 0;

for (let i = 0; i < connections; i++) setTimeout(slowConnection, (i / connections) * 3_000);
for (let i = 0; i < streams; i++) {
  const stream = { path: '/a2a/message:stream', key: streamingKey, agent: ownSockets, stays: true };
  setTimeout(() => ask('stream', { ...stream, body: message() }), (i / streams) * 3_000);
}
spread(REQUESTS, () => ask('greedy', { path: '/a2a', key: greedyKey, body: list, agent }));
spread(WRONG_KEYS, () => ask('guess', { path: '/a2a', key: `guess-${guesses++}`, body: list, agent }));

setTimeout(() => {
  console.log(JSON.stringify(got));
  process.exit(0);
}, seconds * 1_000);
