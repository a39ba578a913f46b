// The deterministic driver: does what the message or `script.json` says, without network and without memory of its own.
import { AppError } from '../../../../../src/errors.js';
import { RunFailure } from '../../../../../src/executors/contract.js';
import type { Clock } from '../../../../../src/clock.js';
import type {
  Driver,
  DriverContext,
  DriverEvent,
  DriverSession,
  DriverTurn,
  TurnEnd,
} from '../../../../../src/authoring/driver.js';
import { parseDirectives, type Directive } from './parse.js';
import { isApproval, planTurn } from './plan.js';
import { readScript, replyTo, SCRIPT_FILE, type Script } from './script.js';

type Emit = (event: DriverEvent) => void;

/** So many deltas go out in one go before others get their turn and an abort is seen. */
const DELTAS_AT_ONCE = 500;

export const scriptedDriver: Driver = {
  name: 'scripted',
  open: (context) => new ScriptedSession(context),
};

class ScriptedSession implements DriverSession {
  private script: { text: string; rules: Script } | undefined;

  constructor(private readonly context: DriverContext) {}

  async run(turn: DriverTurn, emit: Emit): Promise<TurnEnd> {
    try {
      return await this.perform(turn, emit);
    } catch (error) {
      // Both are meant to be read by the caller: the script's own failures, and a script file that can't be read.
      const known = error instanceof RunFailure || error instanceof AppError;
      if (known) return { type: 'failed', text: error.message, code: error.code };
      return { type: 'crashed', error };
    }
  }

  close(): void {
    // Nothing is held: what matters between turns is in the task.
  }

  private async perform(turn: DriverTurn, emit: Emit): Promise<TurnEnd> {
    const directives = this.directives(turn);
    const { answer, remaining } = planTurn(directives, turn.answers);
    if (answer?.from === 'operator') {
      if (!isApproval(answer)) return { type: 'rejected', text: 'declined' };
      say('approved', emit);
    } else if (answer) say(`you said: ${answer.answer}`, emit);
    const end = await performAll(remaining, turn, emit, this.context.clock);
    // A turn that leaves nothing behind would count as one without an answer.
    if (end.type === 'done' && !answer && !directives.some(isAnswer)) say('done', emit);
    return end;
  }

  /** What the task's opening message asks for. */
  private directives(turn: DriverTurn): readonly Directive[] {
    const reply = parseDirectives(turn.opening) ?? this.scriptedReply(turn.opening);
    if (reply) return reply;
    return turn.answers.length > 0 ? [] : [{ do: 'say', text: `echo: ${turn.message()}` }];
  }

  private scriptedReply(opening: string): Directive[] | undefined {
    const text = this.context.file(SCRIPT_FILE);
    if (text === undefined) return undefined;
    if (this.script?.text !== text) this.script = { text, rules: readScript(text) };
    return replyTo(this.script.rules, opening);
  }
}

/** True for what the caller finds in the result. */
const isAnswer = (directive: Directive): boolean => ['say', 'stream', 'file', 'data', 'call'].includes(directive.do);

async function performAll(
  directives: readonly Directive[],
  turn: DriverTurn,
  emit: Emit,
  clock: Clock,
): Promise<TurnEnd> {
  for (const directive of directives) {
    if (turn.signal.aborted) return { type: 'cancelled' };
    const end = await perform(directive, turn, emit, clock);
    if (end) return end;
  }
  return turn.signal.aborted ? { type: 'cancelled' } : { type: 'done' };
}

/** Does one directive; returns how it ends the turn, if it does. */
function perform(
  directive: Directive,
  turn: DriverTurn,
  emit: Emit,
  clock: Clock,
): TurnEnd | undefined | Promise<undefined> {
  const { signal } = turn;
  switch (directive.do) {
    case 'say':
      return say(directive.text, emit);
    case 'stream':
      return stream(directive.count, signal, emit);
    case 'tool':
      emit({ type: 'tool-started', tool: directive.name });
      return void emit({ type: 'tool-finished', tool: directive.name, ok: true });
    case 'ask':
      return { type: 'question', question: directive.question, from: 'caller' };
    case 'auth':
      return { type: 'question', question: directive.question, from: 'operator' };
    case 'file':
      return void emit({ type: 'file', name: directive.name, bytes: Buffer.from(directive.text) });
    case 'data':
      return void emit({ type: 'data', data: directive.data });
    case 'notify':
      return void emit({ type: 'notice', text: directive.text });
    case 'call':
      return call(directive, turn, emit);
    case 'wait':
      return pause(directive.ms, signal, clock);
    case 'fail':
      throw new RunFailure(directive.text);
    case 'crash':
      throw new Error('the script asked for a crash');
    default:
      return directive satisfies never;
  }
}

/** What the agent answers is said as it comes; what it can't do is a failure. */
async function call(
  { agent, text }: { agent: string; text: string },
  turn: DriverTurn,
  emit: Emit,
): Promise<undefined> {
  if (!turn.tools.some(({ name }) => name === 'a2a')) {
    throw new RunFailure(`Calling other agents is not available here (${agent}).`, 'call-unavailable');
  }
  emit({ type: 'tool-started', tool: 'a2a' });
  const result = await turn.callTool('a2a', { action: 'send', agent, text });
  emit({ type: 'tool-finished', tool: 'a2a', ok: result.ok });
  if (!result.ok) throw new RunFailure(result.text, 'call-failed');
  return say(result.text, emit);
}

function say(text: string, emit: Emit): undefined {
  emit({ type: 'delta', text });
  emit({ type: 'message-end' });
}

/** One assistant message "1 2 3 …" of so many deltas. */
async function stream(count: number, signal: AbortSignal, emit: Emit): Promise<undefined> {
  for (let n = 1; n <= count && !signal.aborted; n++) {
    emit({ type: 'delta', text: n === 1 ? '1' : ` ${n}` });
    if (n % DELTAS_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  emit({ type: 'message-end' });
}

/** Resolves after the time, or at once when the turn is aborted. */
function pause(ms: number, signal: AbortSignal, clock: Clock): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined);
    const stop = (): void => {
      cancel();
      resolve(undefined);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve(undefined);
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
