// Tools as the library wants them. Each call is shown as one started and one finished event, around what it shows itself;
// the first that ends the turn keeps the rest from running.
import type { jsonSchema, Tool, ToolSet } from 'ai';
import type { DriverEvent, ToolDeclaration, ToolResult, TurnEnd } from '../../../../../src/authoring/driver.js';
import { ModelFailure } from './model-failure.js';

export interface ToolRun {
  tools: readonly ToolDeclaration[];
  call(name: string, args: unknown): Promise<ToolResult>;
  emit(event: DriverEvent): void;
  signal: AbortSignal;
}

/** Calls of one turn. */
const MAX_CALLS = 500;
/** Calls of one turn that a model may ask for, done or not: beyond that it makes no sense. */
const MAX_ASKED = 1_000;
/** Characters of a result that a model is given. */
const MAX_RESULT = 60_000;

export class ModelTools {
  /** What ends the turn. */
  end: TurnEnd | undefined;
  readonly set: ToolSet;
  /** Calls that the stream has told of, by id, and those that wait for that. */
  private readonly told = new Map<string, () => void>();
  private readonly open = new Set<string>();
  private queue: Promise<unknown> = Promise.resolve();
  private calls = 0;
  private asked = 0;

  constructor(
    private readonly run: ToolRun,
    schemaOf: typeof jsonSchema,
  ) {
    // Without a prototype: a model may ask for a tool named "constructor".
    this.set = Object.create(null) as ToolSet;
    for (const tool of run.tools) this.set[tool.name] = this.toolOf(tool, schemaOf);
  }

  /** The stream has come to this call: whatever was said before it has been shown. Throws when there is no end to it. */
  reached(callId: string): void {
    if (++this.asked > MAX_ASKED) throw new ModelFailure('model-answer');
    const go = this.told.get(callId);
    if (go) go();
    else this.told.set(callId, () => undefined);
  }

  /** Finishes what was started and will not go on. */
  abandon(): void {
    for (const key of [...this.open]) this.finish(key, false);
  }

  private toolOf(declared: ToolDeclaration, schemaOf: typeof jsonSchema): Tool {
    const { name, description, parameters } = declared;
    return {
      description,
      inputSchema: schemaOf(parameters as Parameters<typeof jsonSchema>[0]),
      execute: (args: unknown, { toolCallId }: { toolCallId: string }) => this.execute(name, args, toolCallId),
    };
  }

  private async execute(name: string, args: unknown, callId: string): Promise<string> {
    // The library runs a tool as soon as its call is known, which may be before the words in front of it are read.
    await this.waitUntilReached(callId);
    // One after the other, as the model wrote them: a file is written before it is sent.
    const turn = this.queue.then(() => this.perform(name, args, callId));
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  private async perform(name: string, args: unknown, callId: string): Promise<string> {
    const { signal, emit, call } = this.run;
    if (signal.aborted || this.end) return 'Not done: the turn is over.';
    if (++this.calls > MAX_CALLS) return 'Not done: there were too many calls.';
    const key = `${callId} ${name}`;
    this.open.add(key);
    emit({ type: 'tool-started', tool: name });
    let ok = false;
    try {
      const result = await call(name, args);
      ok = result.ok;
      if (result.end) this.end ??= result.end;
      return shorten(result.text);
    } finally {
      this.finish(key, ok);
    }
  }

  private waitUntilReached(callId: string): Promise<void> {
    if (this.told.delete(callId)) return Promise.resolve();
    return new Promise((resolve) => {
      const go = (): void => {
        this.told.delete(callId);
        this.run.signal.removeEventListener('abort', go);
        resolve();
      };
      this.told.set(callId, go);
      this.run.signal.addEventListener('abort', go, { once: true });
      if (this.run.signal.aborted) go();
    });
  }

  private finish(key: string, ok: boolean): void {
    if (!this.open.delete(key)) return;
    this.run.emit({ type: 'tool-finished', tool: key.slice(key.lastIndexOf(' ') + 1), ok });
  }
}

const shorten = (text: string): string =>
  text.length <= MAX_RESULT ? text : `${text.slice(0, MAX_RESULT).replace(/[\uD800-\uDBFF]$/, '')}\n[cut here]`;
