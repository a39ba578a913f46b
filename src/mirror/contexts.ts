// The numbers of conversations: each gets one when its first task comes.
import type { Database, Statement } from 'better-sqlite3';
import { lookupKey } from './lookup-key.js';

export class Contexts {
  private readonly find: Statement<[number, string, number], { id: number }>;
  private readonly insert: Statement<[number, number, string]>;

  constructor(db: Database) {
    this.find = db.prepare('SELECT id FROM contexts WHERE key = ? AND name = ? AND lane = ?');
    this.insert = db.prepare('INSERT INTO contexts (key, lane, name) VALUES (?, ?, ?)');
  }

  /** Call in a transaction. */
  idOf(name: string, lane: number): number {
    const key = lookupKey(name);
    return this.find.get(key, name, lane)?.id ?? Number(this.insert.run(key, lane, name).lastInsertRowid);
  }
}
