// One run of an author's function: its prompt, its handle, and what its return becomes. A run that asked, was aborted or has
// returned has no more effects, whatever its function goes on to do.
import { setMaxListeners } from 'node:events';
import { textOf, type Message } from '../../../src/a2a-model.js';
import type {
  AgentAnswer,
  AgentHandle,
  AgentPart,
  AgentPrompt,
  CallOptions,
  CallResult,
  WorkHandle,
} from '../../../src/authoring/agent-definition.js';
import type { Prompt, RunHandle, RunOutcome } from '../../../src/executors/contract.js';
import { redactedFile } from '../../../src/secrets/redacted-value.js';
import type { Core } from '../../../src/plugin.js';
import { artifactOf, partsOf, plainData, receivedParts, type PutBytes } from './agent-parts.js';
import { conversation } from './conversation.js';
import { Keepsakes } from './keepsakes.js';
import { TurnAllowance } from './turn-allowance.js';
import { Unwinding } from './unwinding.js';

export interface Calls {
  call(from: Caller, agent: string, message: string | AgentPart[], options: CallOptions): Promise<CallResult>;
}

/** Who calls another agent, and how often it has made the same call. */
export interface Caller {
  plugin: string;
  prompt: Prompt;
  signal: AbortSignal;
  /** How often this run made this very call before; counted here, so that a repeated run repeats the numbers. */
  occurrence(call: string): number;
}

export interface RunPorts {
  core: Pick<Core, 'blobs' | 'config' | 'secrets'> & { ledger: Pick<Core['ledger'], 'get' | 'keep' | 'list'> };
  calls: Calls;
  log: Core['log'];
  plugin: string;
}

const ID = /^[A-Za-z0-9_.:-]{1,64}$/;

export class AgentRun {
  readonly prompt: AgentPrompt;
  /** Set once the run has asked: nothing that follows counts. */
  unwound: Unwinding | undefined;
  /** What the function hears: nobody waits any more, or it has shown as much as it may. */
  readonly signal: AbortSignal;
  private readonly allowance: TurnAllowance;
  /** Its function has returned, or thrown. */
  private over = false;
  private readonly keepsakes: Keepsakes;
  private readonly made = new Map<string, number>();

  constructor(
    private readonly given: Prompt,
    private readonly handle: RunHandle,
    private readonly ports: RunPorts,
  ) {
    const { taskId, contextId, opening, caller, skill, turn } = given;
    this.allowance = new TurnAllowance(given.agent);
    this.signal = AbortSignal.any([handle.signal, this.allowance.tooMuch]);
    // Each call that is under way listens.
    setMaxListeners(0, this.signal);
    this.keepsakes = new Keepsakes(taskId, turn, ports.core.ledger);
    this.prompt = {
      text: textOf(opening.parts),
      parts: receivedParts(opening.parts, ports.core.blobs, caller.scope),
      taskId,
      contextId,
      ...(skill !== undefined && { skill }),
    };
  }

  get agent(): string {
    return this.given.agent;
  }

  get aborted(): boolean {
    return this.handle.signal.aborted;
  }

  /** Aborts when the turn wanted to show more than it may; the reason is its failure. */
  get tooMuch(): AbortSignal {
    return this.allowance.tooMuch;
  }

  workHandle(): WorkHandle {
    const { given, ports } = this;
    return {
      signal: this.signal,
      log: ports.log,
      caller: given.caller,
      history: (): Message[] => conversation(ports.core.ledger, given),
      once: (id, work) =>
        this.effect(async () => {
          checkId('once', id);
          return this.keepsakes.once(id, work, () => this.mustRun());
        }),
      call: (agent, message, options = {}) =>
        this.effect(() => ports.calls.call(this.asCaller(), agent, message, options)),
    };
  }

  agentHandle(): AgentHandle {
    const { handle } = this;
    return {
      ...this.workHandle(),
      progress: (news) => {
        if (this.unwound || this.over) return;
        if (!isPercent(news) && typeof news !== 'string') {
          throw new Error('progress takes a text, or a number from 0 to 100');
        }
        this.allowance.text(String(news));
        if (isPercent(news)) handle.percent(news);
        else handle.status(news);
      },
      artifact: (given) => {
        if (this.unwound || this.over) return;
        const artifact = artifactOf(given, this.put);
        this.allowance.parts(artifact.parts);
        handle.artifact(artifact, { lastChunk: true });
      },
      ask: (id, question, options = {}) =>
        this.effect(async () => {
          const answer = this.answered('ask', id, 'caller');
          if (answer !== undefined) return answer;
          const { schema: given } = options;
          const schema = given === undefined ? undefined : plainData(given, `ask('${id}'): the schema`);
          return this.unwind('ask', id, { question, from: 'caller', ...(schema !== undefined && { schema }) });
        }),
      requireAuth: (id, text) =>
        this.effect(async () => {
          const decision = this.answered('requireAuth', id, 'operator');
          if (decision === undefined) return this.unwind('requireAuth', id, { question: text, from: 'operator' });
          if (decision === 'approve') return;
          const end = { kind: 'rejected', text: 'The operator declined this.' } as const;
          throw (this.unwound = new Unwinding(end, `requireAuth('${id}')`));
        }),
    };
  }

  /** From now on its handle does nothing: what its function left running counts no more. */
  end(): void {
    this.over = true;
  }

  outcome(answer: AgentAnswer | void): RunOutcome {
    const parts = partsOf(answer, this.put);
    this.allowance.parts(parts);
    return { kind: 'completed', ...(parts.length > 0 && { parts }) };
  }

  private readonly put: PutBytes = (bytes, mediaType) => {
    const { config, blobs, secrets } = this.ports.core;
    if (bytes.length > config.maxPartBytes) throw new Error(`a file is larger than ${config.maxPartBytes} bytes`);
    this.allowance.file(bytes.length);
    const clean = redactedFile(bytes, mediaType, (text) => secrets.redact(text));
    return blobs.put(this.given.caller.scope, clean);
  };

  private answered(what: string, id: string, from: 'caller' | 'operator'): string | undefined {
    checkId(what, id);
    return this.given.answers.findLast((answer) => answer.key === id && answer.from === from)?.answer;
  }

  private unwind(
    what: string,
    id: string,
    question: Pick<Extract<RunOutcome, { kind: 'question' }>, 'question' | 'from' | 'schema'>,
  ): never {
    if (typeof question.question !== 'string' || question.question.trim() === '') {
      throw new Error(`${what}('${id}') needs a text`);
    }
    throw (this.unwound = new Unwinding({ kind: 'question', key: id, ...question }, `${what}('${id}')`));
  }

  /** Work of a run that goes on. A function that does not wait for it leaves no unhandled rejection behind. */
  private effect<T>(work: () => Promise<T>): Promise<T> {
    const done = (async () => {
      this.mustRun();
      return work();
    })();
    done.catch(() => undefined);
    return done;
  }

  /** Throws what ended the run, if something did. */
  private mustRun(): void {
    if (this.unwound) throw this.unwound;
    this.signal.throwIfAborted();
    if (!this.over) return;
    this.ports.log.warn('its function has returned, and what it still does has no effect: wait for it with await');
    throw new Error('the run is over: nothing can be begun any more');
  }

  private asCaller(): Caller {
    const { plugin } = this.ports;
    const occurrence = (call: string): number => {
      const before = this.made.get(call) ?? 0;
      this.made.set(call, before + 1);
      return before;
    };
    return { plugin, prompt: this.given, signal: this.signal, occurrence };
  }
}

const isPercent = (news: unknown): news is number => typeof news === 'number' && news >= 0 && news <= 100;

function checkId(what: string, id: string): void {
  if (typeof id !== 'string' || !ID.test(id))
    throw new Error(`${what}: the id must be 1 to 64 characters of a-z, A-Z, 0-9 and _.:-`);
}
