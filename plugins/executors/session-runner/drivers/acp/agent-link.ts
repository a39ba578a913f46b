// What a session holds of its agent, in a process of its own or, in tests, in this one.
import type { Stream } from '@agentclientprotocol/sdk';

export interface AgentLink {
  readonly stream: Stream;
  /** How it ended, in words that a caller may read; never rejects. */
  readonly ended: Promise<string>;
  readonly over: boolean;
  /** The last it said on standard error, for the log. */
  readonly lastErrors: string;
  /** Lets it leave, then makes it; in bounded time. */
  close(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}
