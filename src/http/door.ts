// What surfaces use of the HTTP layer: who is calling, and where to hang their routes.
import type { IncomingHttpHeaders } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../workspace/callers.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The request's id: the client's, if it gave a harmless one. */
    id?: string;
    /** Set by the caller door; absent on public routes. */
    caller?: Caller;
    /** SHA-256 of the key that the caller door let in. */
    keyHash?: string;
    /** The body's bytes before parsing, when the JSON reader ran. */
    rawBody?: Buffer;
  }
}

/** How a surface writes an error: the binding's own shape. */
export type ErrorWriter = (error: unknown, req: Request, res: Response) => void;

/** What stops a request at a door; also the label under which it is counted. */
export const DOOR_RULES = ['drain', 'overload', 'host', 'lockout', 'key', 'rate'] as const;
export type DoorRule = (typeof DOOR_RULES)[number];

/** Who knocks, whatever the protocol. */
export interface Knock {
  headers: IncomingHttpHeaders;
  /** The address that the connection came from. */
  address: string | undefined;
}

export interface Admitted {
  caller: Caller;
  /** SHA-256 of the key that was let in. */
  keyHash: string;
}

export interface Doors {
  /** For public routes: lets everybody in unless the server stops or is overloaded. */
  open(writeError: ErrorWriter): RequestHandler;
  /** The caller door for what is no HTTP request. Throws its refusals as AppErrors. */
  admit(knock: Knock): Promise<Admitted>;
  /** Caller key → `req.caller`, then the caller's request rate. Refusals are written by `writeError`. */
  caller(writeError: ErrorWriter): RequestHandler;
  /**
   * Host and origin, operator key, then the operator's own rate. `always`: also while the server stops or is overloaded,
   * for what tells about that.
   */
  operator(writeError: ErrorWriter, options?: { always?: boolean }): RequestHandler;
  /** Reads and strictly parses a JSON body into `req.body` (undefined when there is none). Refusals as above. */
  json(writeError: ErrorWriter, options?: { types?: string[] }): RequestHandler;
  /** True once the server has begun to stop. */
  readonly draining: boolean;
}
