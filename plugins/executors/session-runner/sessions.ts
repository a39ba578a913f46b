// The open sessions: one per (caller, agent, context), kept while they are used and closed when idle, when too many, or
// at the stop. A session runs one turn at a time; who drops it while it runs gets a fresh one next time.
import type { Conversation } from '../../../src/bus/parties.js';
import { RunFailure, type Prompt } from '../../../src/executors/contract.js';
import type { Clock } from '../../../src/clock.js';
import type { Logger } from '../../../src/log.js';
import type { DriverSession } from '../../../src/authoring/driver.js';

interface SessionsDeps {
  clock: Clock;
  log: Logger;
  idleMs: number;
  /** How many sessions may stay open without running a turn; beyond that the longest idle one is closed. */
  maxIdle: number;
}

/** How long a stop waits for sessions to close. */
const CLOSE_MS = 5_000;

/** A session in use by one turn, between `take` and `give` or `forget`. */
interface Held {
  readonly session: DriverSession;
}

class Entry implements Held {
  /** Set once the driver has opened it. */
  opened: DriverSession | undefined;
  /** The turn that uses it. */
  user: Prompt | undefined;
  dropped = false;
  lastUsed = 0;

  constructor(
    readonly key: string,
    readonly agent: string,
    readonly stamp: string,
  ) {}

  get session(): DriverSession {
    if (!this.opened) throw new Error('the session is not open');
    return this.opened;
  }
}

export class Sessions {
  /** In the order in which they became idle, the longest idle first. */
  private readonly idle = new Map<string, Entry>();
  private readonly busy = new Map<string, Entry>();
  private readonly closing = new Set<Promise<void>>();
  private cancelSweep: (() => void) | undefined;
  private stopped = false;

  constructor(private readonly deps: SessionsDeps) {}

  /** How many sessions are open or opening. */
  get size(): number {
    return this.idle.size + this.busy.size;
  }

  /** True while that conversation has a session, open or opening. */
  has(conversation: Conversation): boolean {
    const key = keyText(conversation);
    return this.idle.has(key) || this.busy.has(key);
  }

  /**
   * The conversation's session, opened if there is none, if it is broken, or if `stamp` (whatever it depends on) has
   * changed. Rejects with what `open` throws, and with a RunFailure when the conversation is in use or the runner stops.
   */
  async take(prompt: Prompt, stamp: string, open: () => DriverSession | Promise<DriverSession>): Promise<Held> {
    if (this.stopped) throw new RunFailure('The server is stopping.', 'stopping');
    const key = keyOf(prompt);
    if (this.busy.has(key)) throw new RunFailure('This conversation is busy with an earlier turn.', 'busy');
    const known = this.idle.get(key);
    this.idle.delete(key);
    if (known && known.stamp === stamp && !known.session.broken) {
      known.user = prompt;
      this.busy.set(key, known);
      return known;
    }
    if (known) this.close(known);
    const entry = new Entry(key, prompt.agent, stamp);
    entry.user = prompt;
    this.busy.set(key, entry);
    try {
      entry.opened = await open();
    } catch (error) {
      this.release(entry);
      throw error;
    }
    if (!entry.dropped) return entry;
    this.close(entry);
    throw new RunFailure('The conversation was closed while it was being opened.', 'cancelled');
  }

  /** The turn is over: the session waits for the next one. */
  give(held: Held): void {
    const entry = held as Entry;
    if (entry.dropped) return;
    this.release(entry);
    if (entry.session.broken) return this.close(entry);
    entry.lastUsed = this.deps.clock.now();
    this.idle.set(entry.key, entry);
    this.evictOldest(this.deps.maxIdle);
    const { idleLimit } = entry.session;
    if (idleLimit !== undefined) this.evictOldest(idleLimit, entry.agent);
    this.cancelSweep ??= this.deps.clock.after(this.deps.idleMs, () => this.sweep());
  }

  /** The turn is over and the session not fit for another one. */
  forget(held: Held): void {
    const entry = held as Entry;
    if (entry.dropped) return;
    this.release(entry);
    this.close(entry);
  }

  /** Closes the session that this very turn uses, although the turn has not settled. */
  drop(prompt: Prompt): void {
    const entry = this.busy.get(keyOf(prompt));
    if (entry?.user?.cid === prompt.cid && entry.user.turn === prompt.turn) this.abandon(entry);
  }

  /** Closes all sessions, running or not, and waits for that a bounded time. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelSweep?.();
    for (const entry of this.idle.values()) this.close(entry);
    this.idle.clear();
    for (const entry of [...this.busy.values()]) this.abandon(entry);
    if (this.closing.size === 0) return;
    let giveUp: (() => void) | undefined;
    const late = new Promise<void>((resolve) => (giveUp = this.deps.clock.after(CLOSE_MS, resolve)));
    await Promise.race([Promise.all(this.closing), late]);
    giveUp?.();
  }

  private abandon(entry: Entry): void {
    this.release(entry);
    entry.dropped = true;
    if (entry.opened) this.close(entry);
  }

  private release(entry: Entry): void {
    entry.user = undefined;
    if (this.busy.get(entry.key) === entry) this.busy.delete(entry.key);
  }

  /** One timer for all: it is set for the session that is idle the longest. */
  private sweep(): void {
    this.cancelSweep = undefined;
    const now = this.deps.clock.now();
    for (const entry of this.idle.values()) {
      const left = entry.lastUsed + this.deps.idleMs - now;
      if (left > 0) {
        this.cancelSweep = this.deps.clock.after(left, () => this.sweep());
        return;
      }
      this.idle.delete(entry.key);
      this.close(entry);
    }
  }

  /** Closes the one that is idle the longest when there are more than `most`, of all or of one agent. */
  private evictOldest(most: number, agent?: string): void {
    if (this.idle.size <= most) return;
    const idle = [...this.idle.values()].filter((entry) => agent === undefined || entry.agent === agent);
    const [oldest] = idle;
    if (!oldest || idle.length <= most) return;
    this.idle.delete(oldest.key);
    this.close(oldest);
  }

  private close(entry: Entry): void {
    const failed = (error: unknown): void => this.deps.log.warn({ err: error }, 'a session did not close cleanly');
    try {
      const result = entry.session.close();
      if (!(result instanceof Promise)) return;
      const closed = result.catch(failed).finally(() => this.closing.delete(closed));
      this.closing.add(closed);
    } catch (error) {
      failed(error);
    }
  }
}

/** A space is in neither a caller's id nor an agent's name. */
const keyText = ({ caller, agent, contextId }: Conversation): string => `${caller} ${agent} ${contextId}`;

const keyOf = ({ caller, agent, contextId }: Prompt): string => keyText({ caller: caller.id, agent, contextId });
