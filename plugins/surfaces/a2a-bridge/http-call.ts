// One request on its way through the SDK's HTTP adapters, and how it failed. It travels as the context's user, which is
// the only thing the adapters hand through untouched.
import type { ServerCallContext, User } from '@a2a-js/sdk/server';
import type { Request, Response } from 'express';
import type { ErrorWriter } from '../../../src/http/door.js';
import type { SseSink, StreamOwner } from '../../../src/http/sse-hub.js';
import type { Caller } from '../../../src/workspace/callers.js';
import { Call, type CallHeaders, type CallTarget } from './call.js';
import type { Operation } from './operation.js';

export class HttpCall extends Call implements User, StreamOwner {
  /** Set for streaming operations. */
  sink: SseSink | undefined;
  /** Members that the answer shows even where ProtoJSON would leave them out. */
  defaults: Record<string, unknown> | undefined;
  /** Signs a card of 0.3. */
  sign: <T extends object>(document: T) => T = (document) => document;
  /** What a stream's events are wrapped in. */
  frame: readonly [before: string, after: string] = ['data: ', '\n\n'];
  /** Why the operation failed before anything was written; the bridge writes it, not the adapter. */
  private failure: { error: unknown } | undefined;

  constructor(
    readonly req: Request,
    readonly res: Response,
    caller: Caller,
    target: CallTarget,
    operation: Operation,
    readonly writeError: ErrorWriter,
  ) {
    super(caller, target, operation);
  }

  get isAuthenticated(): boolean {
    return true;
  }

  get userName(): string {
    return this.caller.id;
  }

  get headers(): CallHeaders {
    return this.req.headers;
  }

  onGone(gone: () => void): () => void {
    this.res.once('close', gone);
    if (this.res.closed) gone();
    return () => this.res.off('close', gone);
  }

  override opened(): void {
    super.opened();
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

/** The call behind an adapter's context. */
export function callOf(context: ServerCallContext): HttpCall {
  if (!(context.user instanceof HttpCall)) throw new Error('the context was not built by the bridge');
  return context.user;
}
