// How many webhooks are called at once: overall, of one caller, and at one host. A call that lasts moves from the few
// places for quick ones to the many for slow ones, and a host gets more than a few calls only while it answers, so that
// receivers that hang hold up nobody else.

export interface Limits {
  quick: number;
  quickPerCaller: number;
  slow: number;
  slowPerCaller: number;
  /** At a host that answered last time, and at any other. */
  perHost: number;
  perDoubtfulHost: number;
  /** Hosts that are remembered. */
  hosts: number;
}

export const LIMITS: Limits = {
  quick: 256,
  quickPerCaller: 64,
  slow: 1024,
  slowPerCaller: 256,
  perHost: 8,
  perDoubtfulHost: 2,
  hosts: 10_000,
};

type Place = 'quick' | 'slow';

interface Host {
  running: number;
  /** How its last call went. */
  last?: 'answered' | 'failed' | 'hung';
}

export interface Seat {
  /** The call lasts: it makes room for quick ones if there is room for it. */
  slow(): void;
  /** Absent: the host was not called after all, which says nothing about it. */
  leave(how?: 'answered' | 'failed' | 'hung'): void;
}

export class Room {
  private readonly taken: Record<Place, number> = { quick: 0, slow: 0 };
  private readonly perCaller: Record<Place, Map<string, number>> = { quick: new Map(), slow: new Map() };
  /** The longest unused first. */
  private readonly hosts = new Map<string, Host>();

  constructor(private readonly limits: Limits = LIMITS) {}

  /** True when nobody can come in who is not known to hang. */
  get full(): boolean {
    return this.taken.quick >= this.limits.quick;
  }

  /** True when this caller has no room, whatever the host. */
  fullFor(caller: string): boolean {
    return !this.has('quick', caller);
  }

  /** How many more may be called at this host. */
  freeAt(host: string): number {
    const { running = 0, last } = this.hosts.get(host) ?? {};
    const { perHost, perDoubtfulHost } = this.limits;
    return Math.max(0, (last === 'answered' ? perHost : perDoubtfulHost) - running);
  }

  runningAt(host: string): number {
    return this.hosts.get(host)?.running ?? 0;
  }

  /** A place for one call; undefined when there is none now. */
  enter(caller: string, host: string): Seat | undefined {
    if (this.freeAt(host) === 0) return undefined;
    // A host that is known to hang waits for a slow place: otherwise a few callers could fill the quick ones as well.
    let place: Place = this.hosts.get(host)?.last === 'hung' ? 'slow' : 'quick';
    if (!this.has(place, caller)) return undefined;
    this.take(place, caller, 1);
    this.at(host).running += 1;
    return {
      slow: () => {
        if (place === 'slow' || !this.has('slow', caller)) return;
        this.take('quick', caller, -1);
        this.take((place = 'slow'), caller, 1);
      },
      leave: (how) => {
        this.take(place, caller, -1);
        const state = this.at(host);
        state.running -= 1;
        if (how) state.last = how;
        this.forgetHosts();
      },
    };
  }

  private has(place: Place, caller: string): boolean {
    const { quick, quickPerCaller, slow, slowPerCaller } = this.limits;
    const [most, mostPerCaller] = place === 'quick' ? [quick, quickPerCaller] : [slow, slowPerCaller];
    return this.taken[place] < most && (this.perCaller[place].get(caller) ?? 0) < mostPerCaller;
  }

  private take(place: Place, caller: string, change: 1 | -1): void {
    this.taken[place] += change;
    const callers = this.perCaller[place];
    const count = (callers.get(caller) ?? 0) + change;
    if (count > 0) callers.set(caller, count);
    else callers.delete(caller);
  }

  private at(name: string): Host {
    const host = this.hosts.get(name) ?? { running: 0 };
    this.hosts.delete(name);
    this.hosts.set(name, host);
    return host;
  }

  private forgetHosts(): void {
    if (this.hosts.size <= this.limits.hosts) return;
    for (const [name, { running }] of this.hosts) {
      if (running > 0) continue;
      this.hosts.delete(name);
      return;
    }
  }
}
