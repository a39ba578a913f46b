// Which work was accepted so lately that the same is refused. Counted by agent, skill and subject; off unless configured.
import type { CallerRef } from '../../src/bus/topics.js';

/** Whose work counts as the same. */
export interface Work {
  agent: string;
  skill?: string;
  /** What it is about. A conversation, where nobody said it: then only the caller's own counts. */
  subject?: string;
  contextId: string;
  caller: CallerRef;
}

/** Names are forgotten once so many are kept that looking through them all pays. */
const SWEEP_AT = 1_000;

export class Cooldowns {
  private readonly until = new Map<string, number>();
  private sweepAt = SWEEP_AT;

  /** @param seconds by agent, or `agent/skill`, which wins. */
  constructor(private readonly seconds: Readonly<Record<string, number>>) {}

  /** The agents that may need to cool down, with the longest time that any of their skills does, in milliseconds. */
  get agents(): Map<string, number> {
    const longest = new Map<string, number>();
    for (const [name, seconds] of Object.entries(this.seconds)) {
      const agent = name.split('/', 1)[0] as string;
      longest.set(agent, Math.max(longest.get(agent) ?? 0, seconds * 1000));
    }
    return longest;
  }

  /** When the work may be done again, milliseconds since the epoch; undefined: now. */
  blockedUntil(work: Work, now: number): number | undefined {
    const length = this.lengthOf(work);
    const until = this.until.get(keyOf(work));
    if (length === undefined || until === undefined) return undefined;
    // One that ends later than any begun now is from before the clock was set back.
    return until > now && until <= now + length ? until : undefined;
  }

  /** The work was accepted at that time. The returned function takes it back: it came to nothing. */
  start(work: Work, at: number): () => void {
    const length = this.lengthOf(work);
    if (length === undefined) return () => undefined;
    const key = keyOf(work);
    const before = this.until.get(key);
    this.until.set(key, Math.max(this.blockedUntil(work, at) ?? 0, at + length));
    this.sweep(at);
    return () => void (before === undefined ? this.until.delete(key) : this.until.set(key, before));
  }

  private lengthOf({ agent, skill }: Work): number | undefined {
    const seconds = (skill === undefined ? undefined : this.seconds[`${agent}/${skill}`]) ?? this.seconds[agent];
    return seconds === undefined ? undefined : seconds * 1000;
  }

  private sweep(now: number): void {
    if (this.until.size < this.sweepAt) return;
    for (const [key, until] of this.until) if (until <= now) this.until.delete(key);
    this.sweepAt = Math.max(SWEEP_AT, 2 * this.until.size);
  }
}

const keyOf = ({ agent, skill, subject, contextId, caller }: Work): string =>
  JSON.stringify([
    agent,
    skill ?? null,
    ...(subject === undefined ? [caller.id, contextId] : [caller.scope, [subject]]),
  ]);
