// The wrapper every payload travels in: what, when, from whom, caused by what.
import type { TopicKind, TopicMap } from './topics.js';

export interface Envelope<K extends TopicKind = TopicKind> {
  /** Unique within the process. */
  id: string;
  kind: K;
  /** The full topic, e.g. `task.updated.<taskId>`. */
  topic: string;
  /** Milliseconds since the epoch. */
  time: number;
  cid?: string;
  turn?: number;
  /** The envelope during whose delivery this one was published. */
  causationId?: string;
  /** The participant that published it. */
  source: string;
  traceparent?: string;
  payload: TopicMap[K];
}
