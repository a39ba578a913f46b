// What a plugin can add besides what it does on the bus. Whoever makes use of a kind accepts it, once; a plugin adds to a
// kind without knowing who that is. What a plugin added goes when the plugin fails to start.
import type { AgentDefinition } from './authoring/agent-definition.js';
import type { Driver } from './authoring/driver.js';
import type { PromptGuard } from './executors/prompt-guard.js';
import type { Authenticator } from './http/authenticator.js';

/** The kinds of extensions. A plugin that accepts one of a type of its own declares it by merging. */
export interface ExtensionKinds {
  /** Answers prompts. */
  agent: AgentDefinition;
  /** One more rule over prompts, after the product's own. */
  guard: PromptGuard;
  /** Holds the conversations of workspaces that name it. */
  driver: Driver;
  /** Says who a request comes from, where no key of a caller does. */
  authenticator: Authenticator;
}

export interface Adder {
  plugin: string;
  /** Tells whoever looks after plugins that this one did something wrong; `thrown` tells where in its code. */
  failed(problem: string, thrown?: unknown): void;
}

/** Takes what a plugin adds, or throws an Error that says why not. Returns what takes it out again. */
type Take<T> = (value: T, by: Adder) => () => void;

export class Extensions {
  private readonly takers = new Map<keyof ExtensionKinds, Take<never>>();

  accept<K extends keyof ExtensionKinds>(kind: K, take: Take<ExtensionKinds[K]>): void {
    if (this.takers.has(kind)) throw new Error(`somebody takes extensions of the kind ${kind} already`);
    this.takers.set(kind, take);
  }

  /** Throws an Error that says what is wrong. */
  add<K extends keyof ExtensionKinds>(kind: K, value: ExtensionKinds[K], by: Adder): () => void {
    const take = this.takers.get(kind) as Take<ExtensionKinds[K]> | undefined;
    if (take) return take(value, by);
    throw new Error(`nothing here takes the kind ${kind}; there are ${[...this.takers.keys()].join(', ')}`);
  }
}
