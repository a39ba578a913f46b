// Which callers have which key, over all workspaces: a hash finds its owners in O(1), and a key with several owners is
// known as ambiguous as soon as its files are.
import type { CallerEntry, CallersReading } from './caller-entries.js';
import type { Caller } from './callers.js';

interface KeyOwner {
  caller: Caller;
  /** Milliseconds since the epoch; absent = never. */
  expiresAt?: number;
}

const NOBODY: readonly KeyOwner[] = [];

export class CallerIndex {
  private readonly owners = new Map<string, readonly KeyOwner[]>();
  private readonly readings = new Map<string, CallersReading>();
  private readonly shared = new Set<string>();

  workspaces(): IterableIterator<string> {
    return this.readings.keys();
  }

  reading(workspace: string): CallersReading | undefined {
    return this.readings.get(workspace);
  }

  /** Replaces a workspace's callers; undefined removes them. */
  replace(workspace: string, reading: CallersReading | undefined): void {
    const before = this.readings.get(workspace);
    if (reading) this.readings.set(workspace, reading);
    else this.readings.delete(workspace);
    for (const { keys } of before?.entries.values() ?? [])
      for (const { hash } of keys) {
        const others = this.find(hash).filter(({ caller }) => caller.workspace !== workspace);
        this.put(hash, others);
      }
    for (const entry of reading?.entries.values() ?? []) this.insert(entry);
  }

  /** The callers that have this key, each once, expired or not. */
  find(hash: string): readonly KeyOwner[] {
    return this.owners.get(hash) ?? NOBODY;
  }

  /** Ids of the owners of each key that has several, sorted; the keys themselves stay unnamed. */
  ambiguities(): string[][] {
    return [...this.shared].map((hash) =>
      this.find(hash)
        .map(({ caller }) => caller.id)
        .sort(),
    );
  }

  private insert({ caller, keys }: CallerEntry): void {
    for (const { hash, expiresAt } of keys) {
      const present = this.find(hash);
      const twin = present.find((owner) => owner.caller.id === caller.id);
      // The same key twice on one caller is one key, valid for as long as the longer-lived of the two.
      const until = twin ? later(twin.expiresAt, expiresAt) : expiresAt;
      const owner: KeyOwner = until === undefined ? { caller } : { caller, expiresAt: until };
      this.put(hash, [...present.filter((other) => other !== twin), owner]);
    }
  }

  private put(hash: string, owners: readonly KeyOwner[]): void {
    if (owners.length === 0) this.owners.delete(hash);
    else this.owners.set(hash, owners);
    if (owners.length > 1) this.shared.add(hash);
    else this.shared.delete(hash);
  }
}

const later = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : Math.max(a, b);
