// Opening: what is trusted, what is refused, and what is replaced by a new mirror.
import { describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readMigrations } from '../../src/mirror/migrate.js';
import { packageRoot } from '../../src/package-root.js';
import { idsOf, taskRow, tempMirrors } from './temp-mirror.js';

const mirrors = tempMirrors();
const shipped = join(packageRoot(), 'migrations');
const setAside = (): string[] => readdirSync(mirrors.folder).filter((name) => name.includes('.corrupt-'));

describe('a file that can be used', () => {
  test('a new mirror is fresh, the same one later is not and holds its rows', () => {
    const first = mirrors.open();
    expect(first.fresh).toBe(true);
    first.upsert([taskRow({ taskId: 'a' }), taskRow({ taskId: 'b' })]);
    first.close();
    first.close();
    const second = mirrors.open();
    expect(second.fresh).toBe(false);
    expect(second.ids('demo').sort()).toEqual(['a', 'b']);
    expect(mirrors.warnings).toEqual([]);
  });

  test('migrations that came with an update are applied to the old mirror', () => {
    const first = mirrors.open();
    first.upsert([taskRow({ taskId: 'a' })]);
    first.close();
    const folder = join(mirrors.folder, 'migrations');
    cpSync(shipped, folder, { recursive: true });
    const next = readMigrations(shipped).length + 1;
    writeFileSync(join(folder, `${String(next).padStart(4, '0')}_more.sql`), 'CREATE TABLE more (x TEXT) STRICT;');
    const second = mirrors.open({ migrationsDir: folder });
    expect([second.fresh, second.ids('demo')]).toEqual([false, ['a']]);
  });
});

describe('a file from before a migration that only the files can fill', () => {
  test('is replaced by a fresh mirror', () => {
    const needy = readMigrations(shipped).find(({ sql }) => sql.startsWith('-- Made from all files:'));
    const old = mirrors.open();
    old.upsert([taskRow({ taskId: 'a' })]);
    old.close();
    const db = new Sqlite(mirrors.file);
    db.prepare('DELETE FROM schema_migrations WHERE number >= ?').run(needy?.number);
    db.close();
    const mirror = mirrors.open();
    expect([mirror.fresh, mirror.ids('demo')]).toEqual([true, []]);
    expect(setAside()).toEqual([]);
  });
});

describe('a file that must not be used', () => {
  test('a schema newer than this version knows is refused with the file named, and nothing of it is touched', () => {
    const mirror = mirrors.open();
    mirror.upsert([taskRow({ taskId: 'a' })]);
    mirror.close();
    const known = readMigrations(shipped).length;
    const db = new Sqlite(mirrors.file);
    db.exec(`INSERT INTO schema_migrations VALUES (${known + 1}, '9999_later.sql', 'x', 0); CREATE TABLE later (x)`);
    db.close();
    const before = readFileSync(mirrors.file);
    const message = expect.stringMatching(
      `^${mirrors.file} has schema ${known + 1}, this version knows schema ${known}\\.`,
    );
    expect(() => mirrors.open()).toThrow(expect.objectContaining({ code: 'config', message }));
    expect(readFileSync(mirrors.file).equals(before)).toBe(true);
    expect(setAside()).toEqual([]);
    // As the message says: without the file, it is made anew.
    for (const suffix of ['', '-wal', '-shm']) rmSync(mirrors.file + suffix, { force: true });
    expect(mirrors.open().fresh).toBe(true);
  });

  test('an applied migration that was changed since is refused', () => {
    mirrors.open().close();
    const folder = join(mirrors.folder, 'migrations');
    cpSync(shipped, folder, { recursive: true });
    appendFileSync(join(folder, '0001_tasks.sql'), '-- changed\n');
    const refused = { code: 'config', message: expect.stringContaining('0001_tasks.sql') };
    expect(() => mirrors.open({ migrationsDir: folder })).toThrow(expect.objectContaining(refused));
    expect(mirrors.open().fresh).toBe(false);
  });

  test('migrations with a gap are refused before anything is made', () => {
    const folder = join(mirrors.folder, 'migrations');
    cpSync(shipped, folder, { recursive: true });
    rmSync(join(folder, '0001_tasks.sql'));
    expect(() => mirrors.open({ migrationsDir: folder })).toThrow(expect.objectContaining({ code: 'config' }));
    expect(existsSync(mirrors.file)).toBe(false);
  });
});

describe('a file that is replaced', () => {
  const filled = (): void => {
    const mirror = mirrors.open();
    mirror.upsert(Array.from({ length: 300 }, () => taskRow({ head: 'x'.repeat(500) })));
    mirror.close();
  };

  test.each<[string, () => void]>([
    [
      'is not a database',
      () => writeFileSync(mirrors.file, 'no database at all, but long enough to look at'.repeat(50)),
    ],
    ['is cut off', () => (filled(), truncateSync(mirrors.file, 20_000))],
    ['is a database of something else', () => void new Sqlite(mirrors.file).exec('CREATE TABLE tasks (x)').close()],
    [
      'has counts that do not fit its rows',
      () => (filled(), void new Sqlite(mirrors.file).exec('UPDATE lane_counts SET n = n + 1').close()),
    ],
  ])('one that %s is set aside with one warning, and a fresh mirror works', (_name, spoil) => {
    spoil();
    const mirror = mirrors.open();
    expect(mirror.fresh).toBe(true);
    mirror.upsert([taskRow({ taskId: 'a' })]);
    expect(idsOf(mirror.list({ pageSize: 5 }).rows)).toEqual(['a']);
    expect(setAside()).toHaveLength(1);
    expect(mirrors.warnings).toHaveLength(1);
  });

  test('an empty file is simply a new mirror', () => {
    writeFileSync(mirrors.file, '');
    expect(mirrors.open().fresh).toBe(true);
    expect(setAside()).toEqual([]);
  });

  test('a rebuild that was cut short starts anew', () => {
    const mirror = mirrors.open();
    mirror.upsert([taskRow({ taskId: 'a' })]);
    mirror.clear();
    mirror.upsert([taskRow({ taskId: 'a' })]);
    // What a killed process leaves: the database and its log as they are now.
    const killed = join(mirrors.folder, 'killed.db');
    for (const suffix of ['', '-wal']) cpSync(mirrors.file + suffix, killed + suffix);
    const next = mirrors.open({ file: killed });
    expect([next.fresh, next.ids('demo')]).toEqual([true, []]);
  });

  test('a mirror that was open when the machine went down is made anew, one that was closed is not', () => {
    const mirror = mirrors.open({ boot: 'monday' });
    mirror.upsert([taskRow({ taskId: 'a' })]);
    const killed = join(mirrors.folder, 'killed.db');
    for (const suffix of ['', '-wal', '.open']) cpSync(mirrors.file + suffix, killed + suffix);
    mirror.close();
    expect(mirrors.open({ boot: 'tuesday' }).fresh).toBe(false);

    const sameBoot = mirrors.open({ file: killed, boot: 'monday' });
    expect([sameBoot.fresh, sameBoot.ids('demo')]).toEqual([false, ['a']]);
    sameBoot.close();
    writeFileSync(`${killed}.open`, 'monday');
    const nextBoot = mirrors.open({ file: killed, boot: 'tuesday' });
    expect([nextBoot.fresh, nextBoot.ids('demo')]).toEqual([true, []]);
    expect(mirrors.warnings).toHaveLength(1);
  });
});
