// A conversation with an agent: one prompt per turn, except that a prompt which waits for the operator's decision goes on
// in the turn that brings it. Whatever goes wrong with the agent is a known end of the turn, and the session is broken.
import {
  MessageTooLargeError,
  RequestError,
  type PromptCapabilities,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { Answer } from '../../../../../src/ledger/records.js';
import type { TranscriptLine } from '../../../../../src/workspace/transcript.js';
import type { ServedTools } from '../../mcp/tool-listener.js';
import type {
  DriverContext,
  DriverEvent,
  DriverSession,
  DriverTurn,
  ToolResult,
  TurnEnd,
} from '../../../../../src/authoring/driver.js';
import { ActiveTurn } from './active-turn.js';
import type { AgentConnection } from './agent-connection.js';
import { agentFailure } from './agent-failure.js';
import type { AgentLink } from './agent-link.js';
import { settlesInTime } from './settles-in-time.js';
import type { PermissionDesk } from './permission-desk.js';
import { CANCELLED } from './permissions.js';
import { promptBlocks } from './prompt-blocks.js';
import { isGranted, promptText } from './prompt-text.js';
import { RunningPrompt, type PromptResult } from './running-prompt.js';
import { endOfAnswer } from './stop-reason.js';

interface AcpSessionParts {
  context: DriverContext;
  link: AgentLink;
  connection: AgentConnection;
  desk: PermissionDesk;
  sessionId: string;
  takes: PromptCapabilities;
  /** What the agent has to be told of the past, before its first turn here. */
  history: readonly TranscriptLine[];
  /** Absent for an agent that can't be given tools. */
  served: ServedTools | undefined;
  /** How many idle ones of the workspace keep their process. */
  idleLimit: number;
}

/** How long an agent has to end its turn by itself after a tool ended it, and how long to obey a cancel. */
const WIND_UP_MS = 2_000;
const CANCEL_MS = 3_000;
/** How long after its connection an agent's process may end and still count as the one that ended it. */
const DEATH_MS = 1_000;
const GONE: TurnEnd = { type: 'failed', text: 'The agent is gone. Send the message again.', code: 'agent-gone' };
const STOP_NOW = 'Stop here: end your turn now, without another word. What comes next arrives as a new message.';

export class AcpSession implements DriverSession {
  private prompt: RunningPrompt | undefined;
  private active: ActiveTurn | undefined;
  private history: readonly TranscriptLine[];
  /** The standing context that the agent was given last. */
  private standing: string | undefined;
  private closed = false;

  constructor(private readonly parts: AcpSessionParts) {
    this.history = parts.history;
  }

  get broken(): boolean {
    return this.closed || this.parts.link.over;
  }

  get idleLimit(): number {
    return this.parts.idleLimit;
  }

  async run(turn: DriverTurn, emit: (event: DriverEvent) => void): Promise<TurnEnd> {
    if (turn.signal.aborted) return { type: 'cancelled' };
    const answer = turn.turn > 1 ? turn.answers.at(-1) : undefined;
    const waiting = this.waitsFor(turn, answer);
    if (!waiting) await this.cancelPrompt();
    if (this.broken) return GONE;
    const active = new ActiveTurn(turn, emit);
    if (turn.signal.aborted) return { type: 'cancelled' };
    this.active = active;
    try {
      if (waiting && answer) this.goOn(active, waiting, answer);
      else this.send(active, answer);
      return await this.follow(active, answer);
    } catch (error) {
      return { type: 'crashed', error };
    } finally {
      this.active = undefined;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    const { link, connection, desk, served } = this.parts;
    desk.cancelAll();
    if (this.prompt?.result === undefined && this.prompt) this.tellCancel();
    await Promise.all([link.close(), served?.close()]);
    connection.close();
  }

  /** An update of this very conversation. */
  update({ sessionId, update }: Record<string, unknown>): void {
    if (sessionId !== this.parts.sessionId) return;
    if (this.active && !this.active.over) this.active.output.apply(update);
    else this.prompt?.keep(update);
  }

  permission(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse> {
    const { desk, sessionId } = this.parts;
    // After its turn a prompt may only still ask while it waits for the operator.
    const heard = (this.active !== undefined && !this.active.over) || desk.waiting !== undefined;
    if (request.sessionId !== sessionId || this.prompt?.result !== undefined || !heard) {
      return Promise.resolve(CANCELLED);
    }
    return desk.request(request, signal, (question) => this.active?.stop({ why: 'permission', question }));
  }

  /** A session tool, called by the agent. */
  async callTool(name: string, args: unknown): Promise<ToolResult> {
    const { active } = this;
    if (!active || active.over) return { ok: false, text: 'No message is being answered now.' };
    const result = await active.turn.callTool(name, args);
    if (!result.end) return result;
    active.stop({ why: 'tool', end: result.end });
    return { ...result, text: `${result.text} ${STOP_NOW}` };
  }

  /** The prompt that this turn's decision lets go on, if it still waits for it. */
  private waitsFor(turn: DriverTurn, answer: Answer | undefined): RunningPrompt | undefined {
    const { prompt } = this;
    const waits = prompt?.cid === turn.cid && prompt.result === undefined;
    return waits && answer?.from === 'operator' && answer.question === this.parts.desk.waiting ? prompt : undefined;
  }

  private goOn(active: ActiveTurn, prompt: RunningPrompt, answer: Answer): void {
    for (const update of prompt.takeKept()) active.output.apply(update);
    const { desk } = this.parts;
    desk.settle(isGranted(answer));
    // Several may have been asked at once: one decision each.
    if (desk.waiting !== undefined) active.stop({ why: 'permission', question: desk.waiting });
    void prompt.settled.then(() => active.stop({ why: 'settled' }));
  }

  private send(active: ActiveTurn, answer: Answer | undefined): void {
    const { turn } = active;
    const { context, connection, desk, sessionId, takes, served } = this.parts;
    const { standing, time, prompt: message } = turn.frame(served?.endpoint.listed ? turn.tools : []);
    const isNew = standing !== this.standing;
    const text = promptText({ ...(isNew && { standing }), time, history: this.history, answer, message });
    const blocks = promptBlocks(text, turn.attachments, { directory: context.directory, takes });
    this.history = [];
    this.standing = standing;
    desk.grantOnce(answer?.from === 'operator' && isGranted(answer) ? answer.question : undefined);
    const prompt = new RunningPrompt(turn.cid, connection.request('session/prompt', { sessionId, prompt: blocks }));
    this.prompt = prompt;
    void prompt.settled.then(() => active.stop({ why: 'settled' }));
  }

  private async follow(active: ActiveTurn, answer: Answer | undefined): Promise<TurnEnd> {
    const { clock } = this.parts.context;
    const stop = await active.stopped;
    switch (stop.why) {
      case 'permission':
        return { type: 'question', question: stop.question, from: 'operator' };
      case 'abort':
        await this.cancelPrompt();
        return { type: 'cancelled' };
      case 'tool':
        if (this.prompt)
          await settlesInTime(this.prompt.settled, { clock, ms: WIND_UP_MS, signal: active.turn.signal });
        await this.cancelPrompt();
        return stop.end;
      case 'settled': {
        const result = this.prompt?.result;
        this.prompt = undefined;
        this.parts.desk.cancelAll();
        const end = result ? await this.endOf(result) : GONE;
        const declined = answer?.from === 'operator' && !isGranted(answer) && !active.output.answered;
        const silent = end.type === 'done' || (end.type === 'failed' && end.code === 'agent-cancelled');
        return declined && silent ? { type: 'rejected', text: 'declined' } : end;
      }
      default:
        return stop satisfies never;
    }
  }

  private async endOf(result: PromptResult): Promise<TurnEnd> {
    if ('answer' in result) return endOfAnswer(result.answer);
    const { error } = result;
    if (error instanceof RequestError) {
      const { data } = error;
      this.parts.context.log.warn({ reason: error.message, data }, 'an agent reported an error');
      return { type: 'failed', ...agentFailure(error) };
    }
    return this.lost(error);
  }

  /** The connection broke: nearly always because the process ended, and then it says how. */
  private async lost(error: unknown): Promise<TurnEnd> {
    const { link, context } = this.parts;
    const died = await settlesInTime(link.ended, { clock: context.clock, ms: DEATH_MS });
    if (!died) link.kill();
    const how = await link.ended;
    context.log.warn({ how, err: error, agent: link.lastErrors }, 'an agent was lost in the middle of a turn');
    const sentTooMuch =
      error instanceof MessageTooLargeError && 'The agent sent a message that is too large; it was ended.';
    const fell = died && `The agent's process ended in the middle of its work (${how}).`;
    const text = sentTooMuch || fell || 'The agent broke off the connection; it was ended.';
    return { type: 'failed', text, code: 'agent-gone' };
  }

  /** Ends whatever prompt there is, in bounded time: an agent that does not obey loses its process. */
  private async cancelPrompt(): Promise<void> {
    const { prompt } = this;
    this.parts.desk.cancelAll();
    if (!prompt) return;
    if (prompt.result === undefined) {
      this.tellCancel();
      if (!(await settlesInTime(prompt.settled, { clock: this.parts.context.clock, ms: CANCEL_MS }))) {
        this.parts.context.log.warn('an agent did not obey a cancel; its process is ended');
        this.parts.link.kill();
        this.closed = true;
      }
    }
    if (this.prompt === prompt) this.prompt = undefined;
  }

  private tellCancel(): void {
    this.parts.connection.tell('session/cancel', { sessionId: this.parts.sessionId });
  }
}
