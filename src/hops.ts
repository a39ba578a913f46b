// Hop chains: every crossing of a switchboard leaves an opaque mark, so that loops are seen without telling who is who.
import { createHash } from 'node:crypto';
import type { Hop } from './bus/topics.js';

/** Marks this switchboard's crossings. `switchboardId` is the home's secret-free, lasting id. */
export class Hops {
  private readonly switchboard: string;

  constructor(private readonly switchboardId: string) {
    this.switchboard = digest(switchboardId);
  }

  /** The mark a prompt for this agent leaves here. */
  of(agent: string): Hop {
    return { switchboard: this.switchboard, agent: digest(`${this.switchboardId}\n${agent}`) };
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
