// What one quiet open stream costs in memory, against a stream that bare express holds open.
import { connect, type Socket } from 'node:net';
import { PROJECT } from '../../support/compiled-server.js';
import { startServerChild } from '../../support/server-child.js';
import { alternate, median, within, type BenchOptions, type Figure, type Group } from '../figure.js';
import { probeFlags, readMemory } from '../memory.js';
import { compiledScript } from '../script.js';
import { ownServer, type BenchServer, type OwnServer } from '../servers.js';

const STREAMS = 3_000;
/** Waiting tasks that our streams are spread over. */
const TASKS = 50;

interface Subject {
  server: BenchServer;
  /** One path per stream. */
  paths: string[];
}

async function run(options: BenchOptions): Promise<Figure[]> {
  const servers: BenchServer[] = [];
  try {
    const own = await ownServer('process', { nodeFlags: probeFlags() });
    servers.push(own);
    const bare = await plainServer();
    servers.push(bare);
    const tasks = await waitingTasks(own);
    const subjects: Subject[] = [
      { server: own, paths: spread(tasks.map((id) => `/a2a/tasks/${id}:subscribe`)) },
      { server: bare, paths: spread(['/stream']) },
    ];
    // The first streams pay for what stays, such as compiled code and pools.
    for (const subject of subjects) await costOfAStream(subject);
    const [ours, theirs] = await alternate(options.rounds, subjects, async (subject) => {
      const cost = await costOfAStream(subject);
      const { name } = subject.server.target;
      options.say(`${name}: ${cost.rss.toFixed(0)} B of RSS, ${cost.heap.toFixed(0)} B of heap a stream`);
      return cost;
    });
    if (!ours || !theirs) throw new Error('a server is missing');
    const of = (costs: typeof ours, field: 'rss' | 'heap'): number => median(costs.map((cost) => cost[field]));
    return [
      within('quiet-stream-rss', of(ours, 'rss'), of(theirs, 'rss'), 1.3, 'bytes of resident memory a stream'),
      within('quiet-stream-heap', of(ours, 'heap'), of(theirs, 'heap'), 1.3, 'bytes of heap and buffers a stream'),
    ];
  } finally {
    for (const server of servers) await server.close();
  }
}

const spread = (paths: readonly string[]): string[] =>
  Array.from({ length: STREAMS }, (_, i) => paths[i % paths.length] as string);

async function plainServer(): Promise<BenchServer> {
  const child = await startServerChild([...probeFlags(), compiledScript('plain-streams')], { cwd: PROJECT });
  return {
    child,
    target: { name: 'bare express', pid: child.pid, port: child.port, path: '/stream' },
    close: async () => void (await child.stop()),
  };
}

async function waitingTasks({ child, target }: OwnServer): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < TASKS; i++) {
    const message = { messageId: `ask-${i}`, role: 'ROLE_USER', parts: [{ text: 'ask which size?' }] };
    const response = await fetch(`${child.url}/a2a/message:send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', 'X-API-Key': target.key ?? '' },
      body: JSON.stringify({ message }),
    });
    const { task } = (await response.json()) as { task: { id: string } };
    ids.push(task.id);
  }
  return ids;
}

async function costOfAStream({ server, paths }: Subject): Promise<{ rss: number; heap: number }> {
  const before = await readMemory(server.child);
  const sockets: Socket[] = [];
  // In slices, so that no listen queue overflows.
  for (let i = 0; i < paths.length; i += 50) {
    sockets.push(...(await Promise.all(paths.slice(i, i + 50).map((path) => openStream(server, path)))));
  }
  const after = await readMemory(server.child);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { rss: (after.rss - before.rss) / paths.length, heap: (after.heap - before.heap) / paths.length };
}

/** Resolves when the first event has come. */
function openStream({ target }: BenchServer, path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: target.port, host: '127.0.0.1' });
    let received = '';
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('data', (text: string) => {
      received = (received + text).slice(0, 4_096);
      if (/^HTTP\/1\.1 [^2]/.test(received)) reject(new Error(`${target.name} ${path}: ${received}`));
      else if (received.includes('data:')) resolve(socket);
    });
    const key = target.key === undefined ? '' : `X-API-Key: ${target.key}\r\n`;
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${target.port}\r\nA2A-Version: 1.0\r\n${key}Accept: text/event-stream\r\n\r\n`,
    );
  });
}

export const quietStreamGroup: Group = {
  name: 'quiet-stream',
  figures: ['quiet-stream-rss', 'quiet-stream-heap'],
  byDefault: true,
  run,
};
