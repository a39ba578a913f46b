// A remote agent on loopback that speaks JSON-RPC of A2A 1.0 by hand, so that it can do wrong whatever a test tells it to.
// Nothing happens by itself: tasks change, streams speak and webhooks are called when the test says so.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { EventStreams } from './event-streams.js';

export type Json = Record<string, unknown>;

export interface RawTask extends Json {
  id: string;
  contextId: string;
  status: { state: string; message?: Json; timestamp?: string };
  artifacts: Json[];
  history: Json[];
}

/** One thing done wrong instead of the proper answer. */
export type Misdeed =
  /** The connection breaks without an answer. */
  | 'drop'
  /** The request is worked on, then the connection breaks. */
  | 'drop-after-work'
  /** No byte ever comes. */
  | 'silence'
  /** Waits for `release`, then goes on as usual. */
  | 'hold'
  | 'html'
  | 'not-json'
  /** Every task is unknown. */
  | 'forget'
  | 'redirect'
  | { status: number; body?: string; headers?: Record<string, string> }
  | { error: { code: number; message: string; data?: unknown } }
  | { result: unknown }
  /** The whole HTTP body. */
  | { raw: string; type?: string };

export interface PeerRequest {
  method: string;
  params: Json;
  path: string;
  headers: IncomingMessage['headers'];
}

export class MisbehavingPeer {
  /** RPC calls, card fetches (`card`) and other GETs (`file`), in order. */
  readonly requests: PeerRequest[] = [];
  readonly tasks = new Map<string, RawTask>();
  /** By task: the webhooks that were registered. */
  readonly webhooks = new Map<string, Json[]>();
  readonly streams = new EventStreams();
  /** When set, requests without it get 401. */
  key: string | undefined;
  /** Members of the card beyond or instead of the usual ones; `undefined` leaves one out. */
  card: Json = {};
  cardHeaders: Record<string, string> = {};
  /** Bodies of GETs by path. */
  files: Record<string, { body: Buffer | string; type?: string; status?: number }> = {};
  /** SendMessage answers when the task settles, whatever was asked for. */
  ignoresImmediateReturn = false;
  /** A message that comes again is answered with its task, and begins nothing. */
  idempotent = false;
  /** Answers are made with this; for parts of another version, or tasks without a member. */
  rewrite: (result: unknown) => unknown = (result) => result;
  private readonly once = new Map<string, Misdeed[]>();
  private readonly always = new Map<string, Misdeed>();
  private readonly held: (() => void)[] = [];
  private readonly waiting: { method: string; count: number; resolve: () => void }[] = [];
  private readonly settled = new Map<string, (() => void)[]>();
  private readonly server: Server = createServer((req, res) => void this.take(req, res));
  private counter = 0;

  async start(port = 0): Promise<this> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The next calls of a method (or `card`, or `*`) go wrong, one misdeed each. */
  next(method: string, ...misdeeds: Misdeed[]): void {
    this.once.set(method, [...(this.once.get(method) ?? []), ...misdeeds]);
  }

  /** All calls of a method go wrong from now on; `undefined` ends that. */
  from(method: string, misdeed: Misdeed | undefined): void {
    if (misdeed === undefined) this.always.delete(method);
    else this.always.set(method, misdeed);
  }

  /** Lets all held requests go on. */
  release(): void {
    for (const go of this.held.splice(0)) go();
  }

  calls(method: string): PeerRequest[] {
    return this.requests.filter((request) => request.method === method);
  }

  /** Resolves once a method was called so often. */
  async called(method: string, count = 1): Promise<PeerRequest[]> {
    if (this.calls(method).length < count)
      await new Promise<void>((resolve) => this.waiting.push({ method, count, resolve }));
    return this.calls(method);
  }

  /** Changes a task, tells its streams, and answers whoever waits for its end. */
  show(id: string, state: string, text?: string, parts?: Json[]): void {
    const task = this.task(id);
    const content = parts ?? (text === undefined ? undefined : [{ text }]);
    const message = content && { messageId: `said-${++this.counter}`, role: 'ROLE_AGENT', parts: content };
    task.status = { state, ...(message && { message }), timestamp: new Date().toISOString() };
    this.tell(id, { statusUpdate: { taskId: id, contextId: task.contextId, status: task.status } });
    for (const resolve of SETTLED.has(state) ? (this.settled.get(id)?.splice(0) ?? []) : []) resolve();
  }

  /** Adds to an artifact and tells the streams. `parts` absent: a chunk without any. */
  chunk(id: string, artifactId: string, parts: Json[] | undefined, append = true, lastChunk = false): void {
    const task = this.task(id);
    const known = task.artifacts.find((artifact) => artifact['artifactId'] === artifactId);
    if (known && append) known['parts'] = [...(known['parts'] as Json[]), ...(parts ?? [])];
    else if (known) known['parts'] = parts ?? [];
    else task.artifacts.push({ artifactId, parts: parts ?? [] });
    const artifact = { artifactId, ...(parts && { parts }) };
    this.tell(id, { artifactUpdate: { taskId: id, contextId: task.contextId, artifact, append, lastChunk } });
  }

  /** Any event, true or not, to the streams of a task. */
  tell(id: string, event: unknown): void {
    this.streams.tell(id, (rpcId) => ({ jsonrpc: '2.0', id: rpcId, result: this.rewrite(event) }));
  }

  /** Calls every webhook of a task; `change` alters body and headers before. Resolves with the statuses. */
  async notify(id: string, change: { token?: string; body?: unknown } = {}): Promise<number[]> {
    const statuses: number[] = [];
    for (const { url, token } of this.webhooks.get(id) ?? []) {
      const answer = await fetch(url as string, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'X-A2A-Notification-Token': change.token ?? ((token as string | undefined) || ''),
        },
        body: JSON.stringify(change.body ?? { task: this.task(id) }),
      });
      statuses.push(answer.status);
      await answer.body?.cancel();
    }
    return statuses;
  }

  task(id: string): RawTask {
    const task = this.tasks.get(id);
    if (!task) throw new Error(`the peer has no task ${id}`);
    return task;
  }

  /** The one task there is, or the newest. */
  get latest(): RawTask {
    const task = [...this.tasks.values()].at(-1);
    if (!task) throw new Error('the peer has no task');
    return task;
  }

  private async take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of req.setEncoding('utf8')) body += chunk as string;
    const path = req.url ?? '/';
    const rpc =
      req.method === 'POST' ? (JSON.parse(body) as { id: unknown; method: string; params?: Json }) : undefined;
    const method = rpc?.method ?? (/agent(-card)?\.json(\?|$)/.test(path) ? 'card' : 'file');
    const request = { method, params: rpc?.params ?? {}, path, headers: req.headers };
    this.requests.push(request);
    for (const waiter of this.waiting.filter(({ count }) => this.calls(method).length >= count)) {
      if (waiter.method === method) waiter.resolve();
    }
    const misdeed = this.once.get(method)?.shift() ?? this.once.get('*')?.shift() ?? this.always.get(method);
    if (misdeed === 'hold') await new Promise<void>((resolve) => this.held.push(resolve));
    else if (misdeed === 'drop-after-work') await this.answer(request, rpc?.id, undefined);
    if (misdeed !== undefined && misdeed !== 'hold') return this.misbehave(misdeed, rpc?.id, res);
    if (this.key !== undefined && method !== 'card' && !this.hasKey(req)) {
      return void res.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"no"}');
    }
    if (method === 'card') return this.sendCard(req, res);
    if (method === 'file') return this.sendFile(path, res);
    await this.answer(request, rpc?.id, res);
  }

  private hasKey(req: IncomingMessage): boolean {
    return [req.headers.authorization, req.headers['x-api-key']].some((value) =>
      String(value).endsWith(this.key ?? ''),
    );
  }

  private misbehave(misdeed: Exclude<Misdeed, 'hold'>, id: unknown, res: ServerResponse): void {
    const json = (value: unknown): void =>
      void res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (misdeed === 'silence') return;
    if (misdeed === 'drop' || misdeed === 'drop-after-work') return void res.destroy();
    if (misdeed === 'html') {
      return void res.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>');
    }
    if (misdeed === 'not-json')
      return void res.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":');
    if (misdeed === 'redirect') return void res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    if (misdeed === 'forget') return json({ jsonrpc: '2.0', id, error: NO_TASK });
    if ('status' in misdeed) return void res.writeHead(misdeed.status, misdeed.headers).end(misdeed.body);
    if ('raw' in misdeed) {
      return void res.writeHead(200, { 'content-type': misdeed.type ?? 'application/json' }).end(misdeed.raw);
    }
    json({ jsonrpc: '2.0', id, ...misdeed });
  }

  private sendCard(req: IncomingMessage, res: ServerResponse): void {
    const { etag } = this.cardHeaders;
    if (etag !== undefined && req.headers['if-none-match'] === etag)
      return void res.writeHead(304, this.cardHeaders).end();
    const card = {
      name: 'Misbehaving peer',
      description: 'Does what a test says',
      version: '1',
      supportedInterfaces: [{ url: `${this.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      capabilities: { streaming: true, pushNotifications: true },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'work', name: 'Work', description: 'Works', tags: ['work'] }],
      ...this.card,
    };
    res.writeHead(200, { 'content-type': 'application/json', ...this.cardHeaders }).end(JSON.stringify(card));
  }

  private sendFile(path: string, res: ServerResponse): void {
    const file = this.files[path];
    if (!file) return void res.writeHead(404).end();
    res.writeHead(file.status ?? 200, { 'content-type': file.type ?? 'application/octet-stream' }).end(file.body);
  }

  /** Does what was asked; without `res` only the work. */
  private async answer(request: PeerRequest, rpcId: unknown, res: ServerResponse | undefined): Promise<void> {
    const { method, params } = request;
    if (method === 'SubscribeToTask') {
      const task = this.tasks.get(params['id'] as string);
      if (task && res) {
        const result = this.rewrite({ task });
        return this.streams.open(task.id, rpcId, res, { jsonrpc: '2.0', id: rpcId, result });
      }
    }
    const answer = await this.result(method, params);
    const body = 'error' in answer ? answer : { result: this.rewrite(answer.result) };
    res
      ?.writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: rpcId, ...body }));
  }

  private async result(method: string, params: Json): Promise<{ result: unknown } | { error: Json }> {
    if (method === 'SendMessage') return { result: { task: await this.work(params['message'] as Json) } };
    if (method === 'ListTasks') {
      const { contextId } = params;
      const tasks = [...this.tasks.values()].filter((task) => contextId === undefined || task.contextId === contextId);
      return { result: { tasks: tasks.reverse(), nextPageToken: '', pageSize: 50, totalSize: tasks.length } };
    }
    const task = this.tasks.get((params['taskId'] ?? params['id']) as string);
    if (!task) return { error: NO_TASK };
    switch (method) {
      case 'GetTask':
        return { result: task };
      case 'CancelTask':
        if (ENDED.has(task.status.state)) return { error: { code: -32002, message: 'It has ended.' } };
        this.show(task.id, 'TASK_STATE_CANCELED');
        return { result: task };
      case 'CreateTaskPushNotificationConfig':
        this.webhooks.set(task.id, [...(this.webhooks.get(task.id) ?? []), params]);
        return { result: params };
      case 'DeleteTaskPushNotificationConfig':
        this.webhooks.set(
          task.id,
          (this.webhooks.get(task.id) ?? []).filter(({ id }) => id !== params['id']),
        );
        return { result: {} };
      default:
        return { error: { code: -32601, message: 'There is no such method.' } };
    }
  }

  private async work(message: Json): Promise<RawTask> {
    const again = (task: RawTask): boolean => task.history.some((one) => one['messageId'] === message['messageId']);
    const before = this.idempotent ? [...this.tasks.values()].find(again) : undefined;
    if (before) return before;
    const known = this.tasks.get(message['taskId'] as string);
    const id = known?.id ?? `remote-${++this.counter}`;
    const contextId = known?.contextId ?? (message['contextId'] as string | undefined) ?? `context-${this.counter}`;
    const task = known ?? { id, contextId, status: { state: '' }, artifacts: [], history: [] };
    task.history.push({ ...message, taskId: id, contextId });
    this.tasks.set(id, task);
    this.show(id, 'TASK_STATE_WORKING');
    if (this.ignoresImmediateReturn) {
      await new Promise<void>((resolve) => this.settled.set(id, [...(this.settled.get(id) ?? []), resolve]));
    }
    return task;
  }
}

const NO_TASK = { code: -32001, message: 'There is no such task.' };
const ENDED: ReadonlySet<string> = new Set(
  ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'].map((state) => `TASK_STATE_${state}`),
);
const SETTLED: ReadonlySet<string> = new Set([...ENDED, 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED']);
