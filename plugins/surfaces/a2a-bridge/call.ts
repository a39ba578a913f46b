// One operation on its way through the surface, whatever binding it came over: who calls which agent with what. The
// bindings' own calls add how it is answered.
import type { AgentInfo } from '../../../src/executors/contract.js';
import type { Caller } from '../../../src/workspace/callers.js';
import type { Operation, OperationName } from './operation.js';
import type { LegacyShape } from './v0-3/legacy-shape.js';

export interface CallTarget {
  agent: AgentInfo;
  /** True when the address named it, so that an unknown agent is an unknown address. */
  byPath: boolean;
  /** What selected it, where that was no part of the path. */
  tenant?: string;
}

/** Header fields, or metadata, by names in lower case. */
export type CallHeaders = Readonly<Record<string, string | string[] | undefined>>;

export abstract class Call {
  readonly name: OperationName;
  /** How answers are written for a 0.3 caller; absent for 1.0. */
  legacy: LegacyShape | undefined;
  private operation: Operation | undefined;
  /** Undefined once a stream is open: it needs them no more. */
  private parties: { caller: Caller; target: CallTarget } | undefined;

  constructor(caller: Caller, target: CallTarget, operation: Operation) {
    this.parties = { caller, target };
    this.name = operation.name;
    this.operation = operation;
  }

  abstract get headers(): CallHeaders;

  /** Calls `gone` when the caller has hung up, also when it has already. Returns how to stop listening. */
  abstract onGone(gone: () => void): () => void;

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
    const value = this.headers['traceparent'];
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
  }
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
