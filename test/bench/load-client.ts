// One load run in a process of its own: keep-alive connections over raw sockets, one request at a time on each, every
// answer checked. Closed loop (as fast as answers come) or, with `rate`, open loop: latency then counts from the moment
// the request was due, so that a stalled server can't hide behind fewer requests. The last line printed is the result.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

/** One run, as the parent passes it in argv[2]. */
interface Job {
  port: number;
  /** The server whose CPU time is read from /proc at both ends of the window. */
  pid: number;
  path: string;
  headers: Record<string, string>;
  /** The body is `before + <unique id> + after`. */
  before: string;
  after: string;
  /** Every answer must contain this, and have status 200. */
  expect: string;
  connections: number;
  warmupSeconds: number;
  seconds: number;
  /** Ends the window early, once so many requests were answered in it. */
  requests?: number;
  /** Requests per second to offer; absent: closed loop. */
  rate?: number;
}

const job = JSON.parse(process.argv[2] ?? '{}') as Job;
const ID_LENGTH = 32;
const idPrefix = randomBytes(8).toString('hex');
let issued = 0;
const nextId = (): string => idPrefix + (issued++).toString(36).padStart(ID_LENGTH - idPrefix.length, '0');

const bodyBytes = Buffer.byteLength(job.before) + ID_LENGTH + Buffer.byteLength(job.after);
const head = [
  `POST ${job.path} HTTP/1.1`,
  `Host: 127.0.0.1:${job.port}`,
  ...Object.entries(job.headers).map(([name, value]) => `${name}: ${value}`),
  `Content-Length: ${bodyBytes}`,
  '\r\n',
].join('\r\n');

const latencies: number[] = [];
const eventCounts = new Map<number, number>();
let failures = 0;
let firstFailure: string | undefined;
let completed = 0;
let measuring = false;
let ended = false;
let reachEnough = (): void => undefined;
const enough = new Promise<void>((resolve) => (reachEnough = resolve));

function record(startedAt: number, status: string, body: string): void {
  if (!measuring) return;
  completed += 1;
  if (completed === job.requests) reachEnough();
  latencies.push(performance.now() - startedAt);
  const events = body.match(/^data:/gm)?.length ?? 0;
  eventCounts.set(events, (eventCounts.get(events) ?? 0) + 1);
  if (status === '200' && body.includes(job.expect)) return;
  failures += 1;
  firstFailure ??= `${status} ${body.slice(0, 500)}`;
}

/** A connection with one request in flight. */
class Connection {
  busy = false;
  private startedAt = 0;
  private received = '';
  private bodyStart = -1;
  private length: number | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly onFree: (connection: Connection) => void,
  ) {
    socket.setEncoding('latin1').on('data', (text: string) => this.read(text));
  }

  send(dueAt: number): void {
    this.busy = true;
    this.startedAt = dueAt;
    this.received = '';
    this.bodyStart = -1;
    this.socket.write(head + job.before + nextId() + job.after);
  }

  private read(text: string): void {
    this.received += text;
    if (this.bodyStart < 0) {
      const end = this.received.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.bodyStart = end + 4;
      const length = /\r\ncontent-length: (\d+)/i.exec(this.received.slice(0, end + 2))?.[1];
      this.length = length === undefined ? undefined : Number(length);
    }
    // Nothing follows an answer before the next request, and JSON holds no line breaks: an end of chunks at the end of
    // what came is the end of the answer.
    const done =
      this.length === undefined
        ? this.received.endsWith('\r\n0\r\n\r\n')
        : this.received.length >= this.bodyStart + this.length;
    if (!done) return;
    this.busy = false;
    record(this.startedAt, this.received.slice(9, 12), this.received.slice(this.bodyStart));
    this.onFree(this);
  }
}

/** Clock ticks (1/100 s) of user and system time of a process. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

function open(onFree: (connection: Connection) => void): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: job.port, host: '127.0.0.1', noDelay: true }, () =>
      resolve(new Connection(socket, onFree)),
    );
    socket.once('error', reject);
    socket.once('close', () => {
      if (!ended) fail('the server closed a connection under load');
    });
  });
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

const wait = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

function closedLoop(connections: readonly Connection[]): void {
  for (const connection of connections) connection.send(performance.now());
}

/** Sends each request when it is due, or as soon after as a connection is free. */
function openLoop(connections: readonly Connection[], rate: number): () => void {
  const begun = performance.now();
  let sent = 0;
  const dispatch = (): void => {
    const due = Math.floor(((performance.now() - begun) / 1000) * rate);
    for (const connection of connections) {
      if (sent >= due) return;
      if (connection.busy) continue;
      connection.send(begun + (sent * 1000) / rate);
      sent += 1;
    }
  };
  setInterval(dispatch, 1);
  return dispatch;
}

let onFree = (connection: Connection): void => {
  if (!ended) connection.send(performance.now());
};
const connections = await Promise.all(
  Array.from({ length: job.connections }, () => open((connection) => onFree(connection))),
);
if (job.rate === undefined) closedLoop(connections);
else onFree = openLoop(connections, job.rate);

await wait(job.warmupSeconds);
const ticksBefore = cpuTicks(job.pid);
const begun = performance.now();
measuring = true;
await Promise.race([wait(job.seconds), enough]);
measuring = false;
const seconds = (performance.now() - begun) / 1000;
const ticks = cpuTicks(job.pid) - ticksBefore;
ended = true;

latencies.sort((a, b) => a - b);
const percentile = (share: number): number =>
  latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
const usual = [...eventCounts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
const result = {
  requests: completed,
  failures,
  firstFailure,
  perSecond: completed / seconds,
  cpuMicros: (ticks * 10_000) / completed,
  p50: percentile(0.5),
  p99: percentile(0.99),
  events: usual,
};
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
