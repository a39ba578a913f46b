// Which stored files somebody still uses: tasks by their id, transcripts as `<agent>/<session file>`. It may say too much,
// never too little.
import type { Database, Statement } from 'better-sqlite3';

export class BlobUses {
  private readonly insert: Statement<[string, string, string]>;
  private readonly select: Statement<[string, string], string>;
  private readonly delete: Statement<[string, string]>;
  private readonly find: Statement<[string, string]>;

  constructor(db: Database) {
    this.insert = db.prepare('INSERT OR IGNORE INTO blob_uses (scope, blob, holder) VALUES (?, ?, ?)');
    this.select = db
      .prepare<[string, string], string>('SELECT blob FROM blob_uses WHERE scope = ? AND holder = ?')
      .pluck() as Statement<[string, string], string>;
    this.delete = db.prepare('DELETE FROM blob_uses WHERE scope = ? AND holder = ?');
    this.find = db.prepare('SELECT 1 FROM blob_uses WHERE scope = ? AND blob = ? LIMIT 1');
  }

  add(scope: string, holder: string, blobs: readonly string[]): void {
    for (const blob of blobs) this.insert.run(scope, blob, holder);
  }

  of(scope: string, holder: string): string[] {
    return this.select.all(scope, holder);
  }

  drop(scope: string, holder: string): void {
    this.delete.run(scope, holder);
  }

  isUsed(scope: string, blob: string): boolean {
    return this.find.get(scope, blob) !== undefined;
  }
}
