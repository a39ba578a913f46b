// The operations on one agent: which way they go, what is repeated when it fails, and what comes back in this product's
// own data model.
import pRetry from 'p-retry';
import { isSettled } from '../a2a-model.js';
import { IDEMPOTENT_SEND } from '../extension-uris.js';
import { downloadFile } from './download.js';
import { speaksOtherwise } from './fault-codes.js';
import type { BindingName, PeerCard, ProtocolVersion } from './peer-card.js';
import type { PeerSession } from './peer-session.js';
import { readEvent, readSendResult, readTask, readTaskList, type Answer } from './read-answer.js';
import { RemoteError } from './remote-error.js';
import type { CallOptions, InlineFile, Peer, RemoteEvent, RemoteTask, SendRequest, SendResult } from './remote-port.js';
import { nextWay, type Way } from './ways.js';
import type { Operation, OperationName } from './write-request.js';

const CALL_MS = 30_000;
const SILENCE_MS = 90_000;
const RETRIES = 2;
const RETRY_MS = 250;
const MOST_PAGES = 20;
/** Of each listed task: enough to see which message began it. */
const LISTED_HISTORY = 50;

/** Those that change nothing at the peer, however often they arrive. */
const SAFE: ReadonlySet<OperationName> = new Set(['GetTask', 'ListTasks', 'SubscribeToTask', 'GetExtendedAgentCard']);
/** Those that every agent has: if one is unknown, it is the version that is wrong. */
const UNIVERSAL: ReadonlySet<OperationName> = new Set(['SendMessage', 'GetTask', 'CancelTask']);

export class RemotePeer implements Peer {
  private way: Way;

  constructor(
    private readonly session: PeerSession,
    private readonly card: PeerCard,
  ) {
    this.way = session.waysNow()[0] as Way;
  }

  get agent(): string {
    return this.session.agent.name;
  }

  get protocol(): ProtocolVersion {
    return this.way.protocol;
  }

  get binding(): BindingName {
    return this.way.binding;
  }

  get offers(): Peer['offers'] {
    const { streaming, push } = this.card.offers;
    return { streaming, push, list: this.protocol === '1.0' };
  }

  get idempotent(): boolean {
    return this.session.agent.idempotent ?? this.card.extensions.some(({ uri }) => uri === IDEMPOTENT_SEND);
  }

  async send(request: SendRequest, options: CallOptions = {}): Promise<SendResult> {
    const answer = await this.call({ name: 'SendMessage', params: request }, options);
    return this.read(readSendResult(answer), 'answered a message with neither a task nor a message');
  }

  async get(taskId: string, options: CallOptions & { historyLength?: number } = {}): Promise<RemoteTask> {
    const { historyLength } = options;
    const params = { id: taskId, ...(historyLength !== undefined && { historyLength }) };
    return this.task(await this.call({ name: 'GetTask', params }, options), taskId);
  }

  async cancel(taskId: string, options: CallOptions = {}): Promise<RemoteTask> {
    return this.task(await this.call({ name: 'CancelTask', params: { id: taskId } }, options), taskId);
  }

  async *subscribe(taskId: string, options: CallOptions = {}): AsyncGenerator<RemoteEvent> {
    const { faults } = this.session;
    if (!this.offers.streaming) throw faults.unsupported('streams');
    const { first, rest } = await this.attempt('SubscribeToTask', options, async (way) => {
      const headers = this.session.headers(way, options);
      const events = this.session.binding(way).subscribe(taskId, { timeoutMs: SILENCE_MS, ...plain(options), headers });
      const stream = events[Symbol.asyncIterator]();
      // Only what comes after the first event is no answer to the request any more.
      return { first: await stream.next(), rest: stream };
    });
    let settled = false;
    try {
      for (let next = first; !next.done; next = await rest.next()) {
        const event = about(taskId, readEvent(next.value));
        settled = settles(event) ?? settled;
        yield event;
      }
    } finally {
      await rest.return?.();
    }
    if (!settled) throw faults.cut();
  }

  async list(query: { contextId?: string; pageSize?: number }, options: CallOptions = {}): Promise<RemoteTask[]> {
    const tasks: RemoteTask[] = [];
    const seen = new Set<string>();
    for (let pageToken = ''; seen.size < MOST_PAGES;) {
      const params = { ...query, historyLength: LISTED_HISTORY, ...(pageToken !== '' && { pageToken }) };
      const answer = await this.call({ name: 'ListTasks', params }, options);
      const page = this.read(readTaskList(answer), 'answered with something else than a list of tasks');
      tasks.push(...page.tasks);
      seen.add(pageToken);
      // A token that comes again would lead round in circles.
      if (page.next === '' || seen.has(page.next)) break;
      pageToken = page.next;
    }
    return tasks;
  }

  async setPush(
    taskId: string,
    config: { id: string; url: string; token: string },
    options: CallOptions = {},
  ): Promise<void> {
    if (!this.offers.push) throw this.session.faults.unsupported('push notifications');
    await this.call({ name: 'CreateTaskPushNotificationConfig', params: { taskId, ...config } }, options);
  }

  async deletePush(taskId: string, configId: string, options: CallOptions = {}): Promise<void> {
    if (!this.offers.push) throw this.session.faults.unsupported('push notifications');
    await this.call({ name: 'DeleteTaskPushNotificationConfig', params: { taskId, id: configId } }, options);
  }

  download(url: string, maxBytes: number, options: CallOptions = {}): Promise<InlineFile> {
    return downloadFile(this.session, url, maxBytes, { timeoutMs: SILENCE_MS, ...options });
  }

  private call(operation: Operation, options: CallOptions): Promise<Answer> {
    // The answer to a message takes as long as the work, at a peer that ignores the wish for an immediate one.
    const limit = operation.name === 'SendMessage' ? {} : { timeoutMs: CALL_MS };
    return this.attempt(operation.name, options, (way) =>
      this.session
        .binding(way)
        .call(operation, { ...limit, ...plain(options), headers: this.session.headers(way, options) }),
    );
  }

  /** One operation over whichever way takes it, again where that does no harm. */
  private attempt<T>(name: OperationName, { signal }: CallOptions, ask: (way: Way) => Promise<T>): Promise<T> {
    const safe = SAFE.has(name);
    return this.session.attempt(async () => {
      try {
        return await pRetry(() => this.overWays(name, ask), {
          retries: RETRIES,
          minTimeout: RETRY_MS,
          shouldRetry: ({ error }) => error instanceof RemoteError && isPassing(error) && (safe || !error.sent),
          ...(signal && { signal }),
        });
      } catch (error) {
        throw signal?.aborted ? this.session.faults.aborted() : error;
      }
    });
  }

  private async overWays<T>(name: OperationName, ask: (way: Way) => Promise<T>): Promise<T> {
    const ways = this.session.waysNow();
    const tried: Way[] = [];
    let first: unknown;
    for (let way: Way | undefined = ways[0]; way;) {
      tried.push(way);
      try {
        const result = await ask(way);
        this.way = way;
        this.session.prefer(way);
        return result;
      } catch (error) {
        first ??= error;
        if (!(error instanceof RemoteError)) throw error;
        const otherVersion = speaksOtherwise(error.code) && (UNIVERSAL.has(name) || error.code !== 'METHOD_NOT_FOUND');
        const elsewhere = error.fault === 'unreachable' && (!error.sent || SAFE.has(name));
        way = otherVersion || elsewhere ? nextWay(ways, tried, otherVersion) : undefined;
        if (otherVersion && !way)
          throw this.session.faults.otherVersion(
            tried.map(({ protocol }) => protocol),
            error,
          );
        // Said to a call that is no update: the operation is there, but not for this.
        if (error.code === 'UNSUPPORTED_OPERATION' && UNIVERSAL.has(name)) {
          throw new RemoteError('refused', error.message, true, { code: error.code, cause: error });
        }
      }
    }
    throw first;
  }

  private task(answer: Answer, id: string): RemoteTask {
    const task = this.read(readTask(answer), 'answered with something else than a task');
    if (task.id !== id) throw this.session.faults.broken('answered with another task');
    return task;
  }

  private read<T>(result: T | undefined, otherwise: string): T {
    if (result === undefined) throw this.session.faults.broken(otherwise);
    return result;
  }
}

/** The options that a binding knows. */
const plain = ({ signal, timeoutMs }: CallOptions): { signal?: AbortSignal; timeoutMs?: number } => ({
  ...(signal && { signal }),
  ...(timeoutMs !== undefined && { timeoutMs }),
});

/** What may be better in a moment: a connection that broke, or a server that is just starting. */
const isPassing = ({ fault, code }: RemoteError): boolean =>
  fault === 'unreachable' &&
  /^(CUT|NOT_CONNECTED|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|HTTP_50[234]|GRPC_UNAVAILABLE)$/.test(
    code ?? '',
  );

/** The event, unless it says itself that it belongs to another task. */
function about(taskId: string, event: RemoteEvent): RemoteEvent {
  const named = event.kind === 'task' ? event.task.id : event.kind === 'message' ? event.message.taskId : undefined;
  const id = named ?? ('taskId' in event ? event.taskId : '');
  return id === '' || id === taskId ? event : { kind: 'unread', unread: ['an event of another task'] };
}

/** True when a stream may end after this, false when it may not, undefined when this says nothing about it. */
function settles(event: RemoteEvent): boolean | undefined {
  if (event.kind === 'message') return true;
  if (event.kind === 'task') return isSettled(event.task.status.state);
  return event.kind === 'status' ? isSettled(event.status.state) : undefined;
}
