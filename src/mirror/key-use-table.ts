// The table of key uses: bounded, losable, and outside of what a rebuild empties, for no file holds it.
import type { Database, Statement } from 'better-sqlite3';
import type { KeyUse, KeyUseStore } from './rows.js';
import { storing } from './sqlite-code.js';

/** Rows kept; those unused for longest go first. */
export const MAX_KEY_USES = 10_000;

export class KeyUseTable implements KeyUseStore {
  private readonly select: Statement<[], KeyUse>;
  private readonly upsert: Statement<[string, string, number, number]>;
  private readonly prune: Statement<[number]>;
  private readonly inTransaction: (work: () => void) => void;

  constructor(db: Database) {
    this.select = db.prepare(
      'SELECT key_id AS id, caller, last_used_at AS lastUsedAt, requests FROM key_uses ORDER BY last_used_at',
    );
    this.upsert = db.prepare('INSERT OR REPLACE INTO key_uses VALUES (?, ?, ?, ?)');
    this.prune = db.prepare(
      'DELETE FROM key_uses WHERE key_id IN (SELECT key_id FROM key_uses ORDER BY last_used_at DESC LIMIT -1 OFFSET ?)',
    );
    const transaction = db.transaction((work: () => void) => work());
    this.inTransaction = (work) => transaction.immediate(work);
  }

  load(): KeyUse[] {
    return storing(() => this.select.all());
  }

  save(uses: readonly KeyUse[]): void {
    storing(() =>
      this.inTransaction(() => {
        for (const { id, caller, lastUsedAt, requests } of uses) this.upsert.run(id, caller, lastUsedAt, requests);
        this.prune.run(MAX_KEY_USES);
      }),
    );
  }
}
