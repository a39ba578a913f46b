// How many webhooks are called at once: overall, of one caller, and at one host. A call that lasts moves from the few
// places for quick ones to the many for slow ones, and a host gets more than a few calls of a caller only while it answers
// that one, so that receivers that hang hold up nobody else, not even those whose webhooks are at the same host.

export interface Limits {
  quick: number;
  quickPerCaller: number;
  slow: number;
  slowPerCaller: number;
  /** Of all callers at one host. */
  perHost: number;
  /** Of one caller at a host that answered it last time, and at any other. */
  perCallerAtHost: number;
  perDoubtfulHost: number;
  /** Pairs of caller and host that are remembered. */
  hosts: number;
}

export const LIMITS: Limits = {
  quick: 256,
  quickPerCaller: 64,
  slow: 1024,
  slowPerCaller: 256,
  perHost: 64,
  perCallerAtHost: 8,
  perDoubtfulHost: 2,
  hosts: 10_000,
};

type Place = 'quick' | 'slow';

/** A host as one caller knows it. */
interface Host {
  running: number;
  /** How the last call went. */
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
  private readonly perHost = new Map<string, number>();
  /** By caller and host, the longest unused first. */
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

  /** How many more of this caller may be called at this host. */
  freeAt(caller: string, host: string): number {
    const { running = 0, last } = this.hosts.get(nameOf(caller, host)) ?? {};
    const { perHost, perCallerAtHost, perDoubtfulHost } = this.limits;
    const own = (last === 'answered' ? perCallerAtHost : perDoubtfulHost) - running;
    return Math.max(0, Math.min(own, perHost - (this.perHost.get(host) ?? 0)));
  }

  runningAt(caller: string, host: string): number {
    return this.hosts.get(nameOf(caller, host))?.running ?? 0;
  }

  /** A place for one call; undefined when there is none now. */
  enter(caller: string, host: string): Seat | undefined {
    if (this.freeAt(caller, host) === 0) return undefined;
    const name = nameOf(caller, host);
    // A host that is known to hang waits for a slow place: otherwise a few callers could fill the quick ones as well.
    let place: Place = this.hosts.get(name)?.last === 'hung' ? 'slow' : 'quick';
    if (!this.has(place, caller)) return undefined;
    this.take(place, caller, 1);
    this.at(name).running += 1;
    count(this.perHost, host, 1);
    return {
      slow: () => {
        if (place === 'slow' || !this.has('slow', caller)) return;
        this.take('quick', caller, -1);
        this.take((place = 'slow'), caller, 1);
      },
      leave: (how) => {
        this.take(place, caller, -1);
        count(this.perHost, host, -1);
        const state = this.at(name);
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
    count(this.perCaller[place], caller, change);
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

/** A space is in no caller's id. */
const nameOf = (caller: string, host: string): string => `${caller} ${host}`;

function count(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const left = (counts.get(name) ?? 0) + change;
  if (left > 0) counts.set(name, left);
  else counts.delete(name);
}
