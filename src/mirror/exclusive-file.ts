// A lock on a file that the operating system gives back when its holder dies in whatever way: an SQLite transaction that
// is held and never written. Nothing else in the process may open the file, for closing it there would end the lock.
import Sqlite from 'better-sqlite3';
import { isBusy } from './sqlite-code.js';

/**
 * Takes the lock and returns the function that gives it back (safe to call twice), or undefined when someone holds it,
 * this process included. Makes the file when missing; its folder must exist. Throws what the file system throws.
 */
export function lockFile(file: string): (() => void) | undefined {
  const db = new Sqlite(file, { timeout: 0 });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
    return () => void db.close();
  } catch (error) {
    db.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}
