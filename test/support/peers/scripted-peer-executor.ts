// What the agent behind the SDK's server does: the first word of a message is a command, the rest is its argument. `hold`
// works until the test lets it go on.
import { TaskState, type Artifact, type Message, type Part, type Task } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server';

/**
 * Commands: `chunks <n>`, `ask <text>`, `auth <text>`, `say <text>` (a plain Message), `status <text>`, `file`,
 * `data <json>`, `fail <text>`, `reject`, `hold`. Anything else is echoed.
 */
export class ScriptedPeerExecutor implements AgentExecutor {
  /** Messages that work began for. */
  readonly begun: Message[] = [];
  private readonly held = new Map<string, () => void>();
  private readonly canceled = new Set<string>();
  private readonly waiting: { count: number; resolve: () => void }[] = [];

  async execute({ taskId, contextId, userMessage, task }: RequestContext, bus: ExecutionEventBus): Promise<void> {
    this.begun.push(userMessage);
    for (const { count, resolve } of this.waiting) if (this.begun.length >= count) resolve();
    const [, command = '', argument = ''] = /^(\w*) ?(.*)$/s.exec(textOf(userMessage)) ?? [];
    const ids = { taskId, contextId };
    const message = (parts: Part[]): Message => ({
      messageId: `reply-${this.begun.length}`,
      ...ids,
      role: 2,
      parts,
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    });
    const status = (state: TaskState, text?: string): void =>
      bus.publish(
        AgentEvent.statusUpdate({
          ...ids,
          status: {
            state,
            message: text === undefined ? undefined : message([textPart(text)]),
            timestamp: new Date().toISOString(),
          },
          metadata: undefined,
        }),
      );
    const add = (parts: Part[], append = false, lastChunk = true): void =>
      bus.publish(
        AgentEvent.artifactUpdate({ ...ids, artifact: artifactOf(parts), append, lastChunk, metadata: undefined }),
      );
    if (command === 'say') {
      bus.publish(AgentEvent.message({ ...message([textPart(argument)]), taskId: '' }));
      return bus.finished();
    }
    if (!task) bus.publish(AgentEvent.task(submitted(ids.taskId, contextId, userMessage)));
    status(TaskState.TASK_STATE_WORKING);
    if (command === 'hold') {
      await new Promise<void>((resolve) => this.held.set(taskId, resolve));
      if (this.canceled.has(taskId)) return bus.finished();
      add([textPart(`held: ${argument}`)]);
    } else if (command === 'chunks') {
      const count = Number(argument);
      for (let i = 0; i < count; i++) add([textPart(`chunk ${i + 1} `)], i > 0, i === count - 1);
    } else if (command === 'file') {
      const content = { $case: 'raw' as const, value: Buffer.from('bytes of a file') };
      add([{ content, metadata: undefined, filename: 'notes.txt', mediaType: 'text/plain' }]);
    } else if (command === 'data') {
      const content = { $case: 'data' as const, value: JSON.parse(argument) as unknown };
      add([{ content, metadata: undefined, filename: '', mediaType: 'application/json' }]);
    } else if (command === 'ask') return end(TaskState.TASK_STATE_INPUT_REQUIRED, argument);
    else if (command === 'auth') return end(TaskState.TASK_STATE_AUTH_REQUIRED, argument);
    else if (command === 'fail') return end(TaskState.TASK_STATE_FAILED, argument);
    else if (command === 'reject') return end(TaskState.TASK_STATE_REJECTED);
    else if (command === 'status') return end(TaskState.TASK_STATE_COMPLETED, argument);
    else add([textPart(`echo: ${textOf(userMessage)}`)]);
    return end(TaskState.TASK_STATE_COMPLETED);

    function end(state: TaskState, text?: string): void {
      status(state, text);
      bus.finished();
    }
  }

  cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    this.canceled.add(taskId);
    const status = { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: new Date().toISOString() };
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId: '', status, metadata: undefined }));
    this.release(taskId);
    return Promise.resolve();
  }

  release(taskId: string): void {
    this.held.get(taskId)?.();
    this.held.delete(taskId);
  }

  releaseAll(): void {
    for (const taskId of [...this.held.keys()]) this.release(taskId);
  }

  /** Resolves once work began for so many messages. */
  async whenBegun(count: number): Promise<void> {
    if (this.begun.length < count) await new Promise<void>((resolve) => this.waiting.push({ count, resolve }));
  }
}

const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

const textOf = ({ parts }: Message): string =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');

const artifactOf = (parts: Part[]): Artifact => ({
  artifactId: 'answer',
  name: 'answer',
  description: '',
  parts,
  metadata: undefined,
  extensions: [],
});

const submitted = (id: string, contextId: string, message: Message): Task => ({
  id,
  contextId,
  status: { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: new Date().toISOString() },
  artifacts: [],
  history: [message],
  metadata: undefined,
});
