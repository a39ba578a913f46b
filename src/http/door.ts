// What surfaces use of the HTTP layer: who is calling, and where to hang their routes.
import type { IncomingHttpHeaders } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../workspace/callers.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by the caller door; absent on public routes. */
    caller?: Caller;
    /** The body's bytes before parsing, when the JSON reader ran. */
    rawBody?: Buffer;
  }
}

/** How a surface writes an error: the binding's own shape. */
export type ErrorWriter = (error: unknown, req: Request, res: Response) => void;

/** Who knocks, whatever the protocol. */
export interface Knock {
  headers: IncomingHttpHeaders;
  /** The address that the connection came from. */
  address: string | undefined;
}

export interface Doors {
  /** The caller door for what is no HTTP request. Throws its refusals as AppErrors. */
  admit(knock: Knock): Promise<Caller>;
  /** Caller key → `req.caller`, then the caller's request rate. Refusals are written by `writeError`. */
  caller(writeError: ErrorWriter): RequestHandler;
  /** Operator key, then the operator's own rate. */
  operator(writeError: ErrorWriter): RequestHandler;
  /** Reads and strictly parses a JSON body into `req.body` (undefined when there is none). Refusals as above. */
  json(writeError: ErrorWriter, options?: { types?: string[] }): RequestHandler;
}
