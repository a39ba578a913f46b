// When each caller's key was last used, and how often since it is known: counted in memory, written late in one go. A crash
// loses the last half minute of it, and nothing else depends on it.
import type { Clock } from '../clock.js';
import { errorText } from '../errors.js';
import { keepNewest } from '../keep-newest.js';
import type { Logger } from '../log.js';
import type { KeyUse, KeyUseStore } from '../mirror/rows.js';
import { keyId } from '../workspace/caller-keys.js';

const WRITE_MS = 30_000;
const CAPACITY = 10_000;

interface KeyUsesDeps {
  store: KeyUseStore;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}

export class KeyUses {
  /** By the key's id, the longest unused first. */
  private readonly uses = new Map<string, KeyUse>();
  private readonly unwritten = new Set<string>();
  private cancelWrite: (() => void) | undefined;

  constructor(private readonly deps: KeyUsesDeps) {
    try {
      for (const use of deps.store.load()) this.uses.set(use.id, use);
    } catch (error) {
      deps.log.warn({ reason: errorText(error) }, 'the uses of keys could not be read');
    }
  }

  /** A request came with this key. */
  note(keyHash: string, caller: string): void {
    const id = keyId(keyHash);
    const known = this.uses.get(id);
    // A key that moved to another caller begins anew.
    const requests = known?.caller === caller ? known.requests + 1 : 1;
    const gone = keepNewest(this.uses, id, { id, caller, lastUsedAt: this.deps.clock.now(), requests }, CAPACITY);
    if (gone !== undefined) this.unwritten.delete(gone);
    this.unwritten.add(id);
    this.cancelWrite ??= this.deps.clock.after(WRITE_MS, () => this.write());
  }

  of(id: string, caller: string): Pick<KeyUse, 'lastUsedAt' | 'requests'> | undefined {
    const use = this.uses.get(id);
    return use?.caller === caller ? use : undefined;
  }

  /** Writes what is not written yet. Never throws. */
  write(): void {
    this.cancelWrite?.();
    this.cancelWrite = undefined;
    const rows = [...this.unwritten].flatMap((id) => this.uses.get(id) ?? []);
    this.unwritten.clear();
    if (rows.length === 0) return;
    try {
      this.deps.store.save(rows);
    } catch (error) {
      this.deps.log.warn({ reason: errorText(error) }, 'the uses of keys could not be stored');
    }
  }
}
