// Hop chains: every crossing of a switchboard leaves an opaque mark, so that loops are seen without telling who is who.
import { createHash } from 'node:crypto';
import type { Hop } from './bus/topics.js';

/** Marks this switchboard's crossings. `switchboardId` is the home's secret-free, lasting id. */
export class Hops {
  private readonly switchboard: string;
  private readonly marks = new Map<string, Hop>();

  constructor(private readonly switchboardId: string) {
    this.switchboard = digest(switchboardId);
  }

  /** The mark a prompt for this agent leaves here. */
  of(agent: string): Hop {
    let mark = this.marks.get(agent);
    if (!mark) {
      mark = { switchboard: this.switchboard, agent: digest(`${this.switchboardId}\n${agent}`) };
      // Names of agents that exist: a bounded set.
      this.marks.set(agent, mark);
    }
    return mark;
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
