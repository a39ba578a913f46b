// One request on its way through the SDK's adapter: who calls which agent with what, and how it failed. It travels as
// the context's user, which is the only thing the adapters hand through untouched.
import type { ServerCallContext, User } from '@a2a-js/sdk/server';
import type { Request, Response } from 'express';
import type { AgentInfo } from '../../../src/executors/contract.js';
import type { ErrorWriter } from '../../../src/http/door.js';
import type { SseSink, StreamOwner } from '../../../src/http/sse-hub.js';
import type { Caller } from '../../../src/workspace/callers.js';
import type { Operation, OperationName } from './operation.js';
import type { LegacyShape } from './v0-3/legacy-shape.js';

export interface CallTarget {
  agent: AgentInfo;
  /** True when the path named it, so that an unknown agent is an unknown address. */
  byPath: boolean;
  /** What selected it, where that was no part of the path. */
  tenant?: string;
}

export class Call implements User, StreamOwner {
  readonly name: OperationName;
  /** Set for streaming operations. */
  sink: SseSink | undefined;
  /** Members that the answer shows even where ProtoJSON would leave them out. */
  defaults: Record<string, unknown> | undefined;
  /** How answers are written for a 0.3 caller; absent for 1.0. */
  legacy: LegacyShape | undefined;
  /** What a stream's events are wrapped in. */
  frame: readonly [before: string, after: string] = ['data: ', '\n\n'];
  private operation: Operation | undefined;
  /** Undefined once a stream is open: it needs them no more. */
  private parties: { caller: Caller; target: CallTarget } | undefined;
  /** Why the operation failed before anything was written; the bridge writes it, not the adapter. */
  private failure: { error: unknown } | undefined;

  constructor(
    readonly req: Request,
    readonly res: Response,
    caller: Caller,
    target: CallTarget,
    operation: Operation,
    private readonly writeError: ErrorWriter,
  ) {
    this.parties = { caller, target };
    this.name = operation.name;
    this.operation = operation;
  }

  get isAuthenticated(): boolean {
    return true;
  }

  get userName(): string {
    return this.caller.id;
  }

  get caller(): Caller {
    return this.known.caller;
  }

  get target(): CallTarget {
    return this.known.target;
  }

  private get known(): { caller: Caller; target: CallTarget } {
    if (!this.parties) throw new Error('the stream is open: nobody asks who opened it');
    return this.parties;
  }

  get traceparent(): string | undefined {
    const value = this.req.headers['traceparent'];
    return typeof value === 'string' && TRACEPARENT.test(value) ? value : undefined;
  }

  /** The operation, once: a stream that stays open for hours must not hold on to the message that opened it. */
  take<N extends OperationName>(): Operation & { name: N } {
    const { operation } = this;
    this.operation = undefined;
    return operation as Operation & { name: N };
  }

  /** Lets go of everything that an open stream has no use for. */
  opened(): void {
    this.parties = undefined;
    this.req.caller = undefined;
    this.req.body = undefined;
    this.res.locals['call'] = undefined;
  }

  fail(error: unknown): void {
    this.failure = { error };
  }

  get failed(): boolean {
    return this.failure !== undefined;
  }

  /** Writes the failure, if there is one, in place of what the adapter was about to write. */
  answerInstead(): boolean {
    if (!this.failure) return false;
    this.writeError(this.failure.error, this.req, this.res);
    return true;
  }
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The call behind an adapter's context. */
export function callOf(context: ServerCallContext): Call {
  if (!(context.user instanceof Call)) throw new Error('the context was not built by the bridge');
  return context.user;
}
