// A guard that a plugin adds: one more rule over every prompt, after the product's own.
import type { Message } from '../a2a-model.js';
import type { CallerRef, Surface } from '../bus/topics.js';

/** A prompt as a guard sees it. A copy: changing it changes nothing. */
export interface GuardedPrompt {
  agent: string;
  skill?: string;
  subject?: string;
  contextId: string;
  /** The task that it continues; absent for a new one. */
  taskId?: string;
  caller: CallerRef;
  surface: Surface;
  message: Message;
}

export interface PromptRefusal {
  /** The caller reads it: a sentence without secrets. */
  message: string;
  /** `forbidden` when absent. */
  code?: 'forbidden' | 'invalid-params' | 'quota' | 'cooldown';
  /** Seconds after which a new attempt may pass. */
  retryAfter?: number;
}

export interface PromptGuard {
  /** `[a-z0-9-]{1,40}`; the rule that refusals name. */
  name: string;
  /** The agents whose prompts it looks at; all when absent. */
  agents?: readonly string[];
  /** Undefined lets the prompt pass. Must decide at once; one that throws, or returns a promise, refuses. */
  check(prompt: GuardedPrompt): PromptRefusal | undefined;
}
