// A route as data: what it accepts and answers, and what it does. The router and the OpenAPI document read the same
// table.
import type { z } from 'zod';

export type Method = 'get' | 'post' | 'delete';

export interface Asked<Body, Query> {
  params: Readonly<Record<string, string>>;
  body: Body;
  query: Query;
  /** The checked Idempotency-Key, where the route handles it itself. */
  idempotencyKey?: string;
  /** Aborted when the client hangs up. */
  signal: AbortSignal;
}

export interface Answered {
  status: number;
  body: unknown;
  /** Seconds. */
  retryAfter?: number;
}

interface RouteSpec<B extends z.ZodType, Q extends z.ZodType> {
  method: Method;
  /** Below `/api/a2a`, with `:name` for parameters. */
  path: string;
  summary: string;
  body?: B;
  query?: Q;
  /** The usual answer, and the statuses a client should expect. */
  answer: z.ZodType;
  status: 200 | 201 | 202;
  /** Statuses besides 400, 401 and 429 that the route answers. */
  refusals?: readonly number[];
  /** `message`: the run derives a message id from the key. Other POSTs have their answers kept. */
  idempotency?: 'message';
  run(asked: Asked<z.infer<B>, z.infer<Q>>): Answered | Promise<Answered>;
}

export type Route = RouteSpec<z.ZodType, z.ZodType>;

/** Lets each route be typed by its own schemas while the table holds them all. */
export const route = <B extends z.ZodType = z.ZodUndefined, Q extends z.ZodType = z.ZodUndefined>(
  spec: RouteSpec<B, Q>,
): Route => spec as unknown as Route;
