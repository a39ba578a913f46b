// A remote agent behind the port, without a wire: its tasks change when a test says so, and it remembers what it was asked.
import type { TaskState } from '../../../src/a2a-model.js';
import { RemoteError } from '../../../src/remote/remote-error.js';
import type {
  CallOptions,
  InlineFile,
  Peer,
  RemoteAgents,
  RemoteAgentView,
  RemoteArtifact,
  RemoteEvent,
  RemoteFault,
  RemoteTask,
  SendRequest,
  SendResult,
} from '../../../src/remote/remote-port.js';

type Operation = 'connect' | 'send' | 'get' | 'cancel' | 'subscribe' | 'list' | 'setPush' | 'deletePush';

interface Stream {
  taskId: string;
  queue: (RemoteEvent | RemoteError | 'end')[];
  wake: () => void;
}

export class FakePeer implements Peer {
  readonly agent = 'far';
  readonly protocol = '1.0';
  readonly binding = 'JSONRPC';
  offers = { streaming: true, push: false, list: true };
  idempotent = false;
  /** Operations in order, by name. */
  readonly asked: Operation[] = [];
  readonly sent: SendRequest[] = [];
  /** Of each message: aborts when its answer is not wanted any more. */
  readonly sending: AbortSignal[] = [];
  readonly pushes: { taskId: string; id: string; url: string; token: string }[] = [];
  readonly tasks = new Map<string, RemoteTask>();
  /** What an operation does instead, until it is deleted. */
  readonly faults = new Map<Operation, RemoteFault>();
  /** What a new task is at once. */
  begins: TaskState = 'TASK_STATE_WORKING';
  /** Answers instead of a task. */
  message: string | undefined;
  /** `send` begins its task, and answers only when this resolves. */
  held: Promise<void> | undefined;
  /** Streams end after their snapshot. */
  closesStreams = false;
  /** An answer to a question is taken, and its task stays as it is until `set` changes it. */
  slow = false;
  private readonly streams = new Set<Stream>();

  count(operation: Operation): number {
    return this.asked.filter((asked) => asked === operation).length;
  }

  get openStreams(): number {
    return this.streams.size;
  }

  async send(request: SendRequest, { signal }: CallOptions = {}): Promise<SendResult> {
    this.ask('send');
    this.sent.push(request);
    if (signal) this.sending.push(signal);
    const { message } = request;
    if (this.message !== undefined) {
      return { message: { messageId: 'answer', role: 'ROLE_AGENT', parts: [{ text: this.message }] }, unread: [] };
    }
    const known = message.taskId === undefined ? undefined : this.tasks.get(message.taskId);
    const task = known ?? this.add(`far-${this.tasks.size + 1}`, message.contextId ?? 'far-context');
    task.history.push(message);
    await this.held;
    if (!this.slow && task.status.state === 'TASK_STATE_INPUT_REQUIRED') task.status = { state: 'TASK_STATE_WORKING' };
    return { task: structuredClone(task) };
  }

  async get(taskId: string): Promise<RemoteTask> {
    this.ask('get');
    const task = this.tasks.get(taskId);
    if (!task) throw new RemoteError('task-not-found', 'far does not know this task.');
    return structuredClone(task);
  }

  async cancel(taskId: string): Promise<RemoteTask> {
    this.ask('cancel');
    this.set(taskId, 'TASK_STATE_CANCELED');
    return this.get(taskId);
  }

  async *subscribe(taskId: string, { signal }: CallOptions = {}): AsyncIterable<RemoteEvent> {
    this.ask('subscribe');
    const stream: Stream = { taskId, queue: [], wake: () => undefined };
    this.streams.add(stream);
    signal?.addEventListener('abort', () => {
      stream.queue.push(new RemoteError('aborted', 'aborted'));
      stream.wake();
    });
    try {
      yield { kind: 'task', task: await this.get(taskId) };
      if (this.closesStreams) return;
      for (;;) {
        const next = stream.queue.shift();
        if (next === undefined) await new Promise<void>((resolve) => (stream.wake = resolve));
        else if (next === 'end') return;
        else if (next instanceof RemoteError) throw next;
        else yield next;
      }
    } finally {
      this.streams.delete(stream);
    }
  }

  async list(): Promise<RemoteTask[]> {
    this.ask('list');
    return structuredClone([...this.tasks.values()]);
  }

  async setPush(taskId: string, config: { id: string; url: string; token: string }): Promise<void> {
    this.ask('setPush');
    const at = this.pushes.findIndex((push) => push.taskId === taskId && push.id === config.id);
    this.pushes.splice(at < 0 ? this.pushes.length : at, 1, { taskId, ...config });
  }

  async deletePush(taskId: string, configId: string): Promise<void> {
    this.ask('deletePush');
    const at = this.pushes.findIndex((push) => push.taskId === taskId && push.id === configId);
    if (at >= 0) this.pushes.splice(at, 1);
  }

  async download(): Promise<InlineFile> {
    throw new RemoteError('refused', 'nothing to download');
  }

  /** Changes a task and tells the streams that are open. */
  set(
    taskId: string,
    state: TaskState,
    words?: string,
    { messageId = `m-${state}-${words}`, timestamp }: { messageId?: string; timestamp?: string } = {},
  ): void {
    const task = this.tasks.get(taskId) as RemoteTask;
    task.status = {
      state,
      ...(words !== undefined && { message: { messageId, role: 'ROLE_AGENT', parts: [{ text: words }] } }),
      ...(timestamp !== undefined && { timestamp }),
    };
    const { contextId } = task;
    this.say({ kind: 'status', taskId, contextId, status: structuredClone(task.status), unread: [] });
  }

  give(taskId: string, artifactId: string, text: string): void {
    const task = this.tasks.get(taskId) as RemoteTask;
    const artifact: RemoteArtifact = { artifactId, parts: [{ text }] };
    task.artifacts.push(artifact);
    const { contextId } = task;
    this.say({ kind: 'artifact', taskId, contextId, artifact, append: false, lastChunk: true, unread: [] });
  }

  /** Breaks all streams. */
  cut(fault: RemoteFault = 'unreachable'): void {
    for (const stream of this.streams) this.put(stream, new RemoteError(fault, `the stream: ${fault}`));
  }

  /** Tells the streams, whether it is true or not. */
  say(event: RemoteEvent): void {
    for (const stream of this.streams) this.put(stream, event);
  }

  private put(stream: Stream, item: RemoteEvent | RemoteError): void {
    stream.queue.push(item);
    stream.wake();
  }

  private add(id: string, contextId: string): RemoteTask {
    const task: RemoteTask = { id, contextId, status: { state: this.begins }, artifacts: [], history: [], unread: [] };
    this.tasks.set(id, task);
    return task;
  }

  ask(operation: Operation): void {
    this.asked.push(operation);
    const fault = this.faults.get(operation);
    if (fault) throw new RemoteError(fault, `far: ${operation} ${fault}`);
  }
}

/** One remote agent, `far`, that everybody may call. */
export class FakeRemotes implements RemoteAgents {
  callback: string | undefined;
  constructor(readonly peer: FakePeer) {}

  find(name: string): RemoteAgentView | undefined {
    return name === 'far'
      ? { name, listed: 'workspace', url: 'https://far.example', skills: [], reachable: 'unknown' }
      : undefined;
  }

  list(): RemoteAgentView[] {
    return [this.find('far') as RemoteAgentView];
  }

  all(): (RemoteAgentView & { scope: string })[] {
    return this.list().map((view) => ({ ...view, scope: 'demo' }));
  }

  unreadable(): undefined {
    return undefined;
  }

  async probe(): Promise<RemoteAgentView[]> {
    return this.list();
  }

  async connect(): Promise<Peer> {
    this.peer.ask('connect');
    return this.peer;
  }

  callbackUrl(): string | undefined {
    return this.callback;
  }
}
