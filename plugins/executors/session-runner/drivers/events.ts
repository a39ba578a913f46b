// All that a driver says: what happens during a turn, and how the turn ends.
import type { Usage } from '../../../../src/bus/topics.js';

/** What happens during a turn. */
export type DriverEvent =
  /** Continues the open assistant message, or opens one. */
  | { type: 'delta'; text: string }
  | { type: 'message-end' }
  | { type: 'status'; text: string }
  | { type: 'tool-started'; tool: string }
  | { type: 'tool-finished'; tool: string; ok: boolean }
  /** `name` may be anything; it is made safe. `mediaType` follows from the name when absent. */
  | { type: 'file'; name: string; bytes: Uint8Array; mediaType?: string }
  | { type: 'text'; text: string }
  | { type: 'data'; data: unknown }
  /** A word to the workspace's owner. */
  | { type: 'notice'; text: string };

/** How a turn ends. */
export type TurnEnd =
  | { type: 'done'; usage?: Usage }
  | { type: 'question'; question: string; schema?: unknown; from: 'caller' | 'operator' }
  /** A known failure; the caller reads `text`. */
  | { type: 'failed'; text: string; code?: string; usage?: Usage }
  | { type: 'rejected'; text: string }
  | { type: 'cancelled' }
  /** An unexpected failure: logged, never shown, and the session is not used again. */
  | { type: 'crashed'; error: unknown };
