// Another process that has a database open, as a database tool or a backup does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { packageRoot } from '../../src/package-root.js';

const CODE = `
  const Sqlite = require('better-sqlite3');
  const [file, sql] = process.argv.slice(1);
  const db = new Sqlite(file, { timeout: 0 });
  try { db.exec(sql); console.log('held'); } catch (error) { console.log(error.code); }
  process.stdin.on('data', () => process.exit()).on('end', () => process.exit());`;

export interface DatabaseHolder {
  /** `held`, or the code of SQLite's refusal. */
  readonly outcome: string;
  /** Lets go; resolves when the process has ended. */
  release(): Promise<void>;
}

/** Runs the statements on the file in a process of its own, and keeps what they lock. */
export async function holdDatabase(file: string, sql = 'BEGIN EXCLUSIVE'): Promise<DatabaseHolder> {
  const child = spawn(process.execPath, ['-e', CODE, file, sql], {
    cwd: packageRoot(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    outcome: String(said).trim(),
    release: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
