// What happens before the door opens: journals are folded into checkpoints, and the mirror is brought in line with the
// files. Safe to repeat: a crash in the middle leaves work for the next start, never a loss.
import { AppError, errorText } from '../errors.js';
import type { Logger } from '../log.js';
import type { Mirror, TaskRow } from '../mirror/rows.js';
import { rowOf } from './task-row.js';
import { readJournal, removeSegments } from './journal-reader.js';
import { NOTHING_ELSE, type Leftovers } from './leftovers.js';
import type { JournalEntry, PurgedEntry, TaskRecord, TranscriptLine } from './records.js';
import { splitCallerId } from '../workspace/names.js';
import type { ScopeStore, ScopeStores } from './scope-stores.js';
import { reduce, refusalOf } from './task-reducer.js';

export interface RecoveryReport {
  /** Tasks that the journal knew more about than their checkpoint. */
  recovered: number;
  /** Journal lines that could not be used. */
  damaged: number;
  /** Tasks whose files can't be written: their journal stays, and the next start tries again. */
  unwritable: number;
  /** Rows written to, and removed from, the mirror because the files said otherwise. */
  mirrored: number;
  unmirrored: number;
}

interface RecoveryDeps {
  stores: ScopeStores;
  mirror: Mirror;
  log: Logger;
  /** All scopes that have a folder now. */
  scopes: readonly string[];
  leftovers: Leftovers;
  /** Which stored files transcripts mention, for a mirror that is filled anew. */
  usedByTranscripts(): Iterable<{ scope: string; holder: string; blobs: readonly string[] }>;
}

/** Rows per transaction: large enough to be fast, small enough not to hold all heads in memory. */
const BATCH = 5_000;

/** Folds what journals still hold. `rebuild` ignores what the mirror says and reads every task file. */
export async function recover(deps: RecoveryDeps, rebuild = false): Promise<RecoveryReport> {
  const { mirror, scopes } = deps;
  const report: RecoveryReport = { recovered: 0, damaged: 0, unwritable: 0, mirrored: 0, unmirrored: 0 };
  const all = rebuild || mirror.fresh;
  if (all) {
    mirror.clear();
    for (const { scope, holder, blobs } of deps.usedByTranscripts()) mirror.holdBlobs(scope, holder, blobs);
  }
  for (const scope of scopes) {
    try {
      await recoverScope(scope, deps, all, report);
    } catch (error) {
      if (error instanceof AppError) throw error;
      // The error of the file system names the path; the scope says whom to ask.
      throw new AppError('config', `The files of ${scope} can't be used: ${errorText(error)}.`, {}, { cause: error });
    }
  }
  dropForeignScopes(mirror, scopes, report);
  return report;
}

async function recoverScope(scope: string, deps: RecoveryDeps, all: boolean, report: RecoveryReport): Promise<void> {
  const { mirror, stores } = deps;
  const store = stores.of(scope);
  const journal = readJournal(store.folder, (damage) => {
    report.damaged++;
    deps.log.warn(damage, 'a damaged line of a journal was skipped');
  });
  const unwritable = report.unwritable;
  const touched = foldJournal(scope, journal.entries, store, stores, deps.log, report);
  mirror.upsert(touched.map(rowOf));
  // Before the files are compared with the rows: what is purged is in neither.
  takePurgedAway(scope, journal.purged, store, deps, report);
  alignMirror(scope, store, mirror, all, report);
  clearLeftovers(scope, journal.purged, deps, report);
  if (report.unwritable === unwritable) await removeSegments(store.folder, journal);
}

function foldJournal(
  scope: string,
  entries: readonly JournalEntry[],
  store: ScopeStore,
  stores: ScopeStores,
  log: Logger,
  report: RecoveryReport,
): TaskRecord[] {
  const tasks = new Map<string, { base: number; record: TaskRecord | undefined; lines: TranscriptLine[] }>();
  for (const entry of entries) {
    const { taskId, seq } = entry;
    let folded = tasks.get(taskId);
    if (!folded) {
      // What the journal tells from the beginning needs no checkpoint, and may have lost it in the middle of a write.
      const damaged = entry.event.type === 'created' ? 'ignore' : 'set-aside';
      const found = store.checkpoints.read(taskId, damaged);
      const record = found?.envelope.caller.scope === scope ? found : undefined;
      folded = { base: record?.envelope.seq ?? 0, record, lines: [] };
      tasks.set(taskId, folded);
    }
    const known = folded.record?.envelope.seq ?? 0;
    if (seq <= known) continue;
    try {
      const refusal = foreign(entry, scope) ?? refusalOf(folded.record, entry.event);
      if (refusal !== undefined) throw new Error(refusal);
      const { record, lines } = reduce(folded.record, entry);
      if (seq !== known + 1) log.warn({ taskId, seq, known }, 'journal entries of this task are missing');
      folded.record = record;
      folded.lines.push(...lines);
    } catch (error) {
      report.damaged++;
      log.warn({ taskId, seq, reason: errorText(error) }, 'a journal entry does not fit its task and was skipped');
    }
  }
  const records: TaskRecord[] = [];
  for (const { base, record, lines } of tasks.values()) {
    if (!record) continue;
    if (record.envelope.seq > base) {
      try {
        if (lines.length > 0) stores.saveLines(record, lines);
        // Only the journal that is being read holds its history, and that is about to go.
        store.checkpoints.write(record, { sync: true });
        report.recovered++;
      } catch (error) {
        report.unwritable++;
        log.error({ taskId: record.task.id, reason: errorText(error) }, 'a recovered task could not be written');
        continue;
      }
    }
    records.push(record);
  }
  return records;
}

/** A line that creates a task of another scope was put there by hand: nobody gains another's tasks that way. */
const foreign = ({ event }: JournalEntry, scope: string): string | undefined =>
  event.type === 'created' && event.caller.scope !== scope ? 'it belongs to another scope' : undefined;

/** The end of purges that a crash broke off: rows and files go, as they would have. */
function takePurgedAway(
  scope: string,
  purged: readonly PurgedEntry[],
  { checkpoints }: ScopeStore,
  { mirror, log }: RecoveryDeps,
  report: RecoveryReport,
): void {
  mirror.purge(purged.map(({ taskId, event }) => ({ taskId, scope, caller: event.caller, messages: [] })));
  for (const { taskId } of purged) {
    try {
      checkpoints.remove(taskId);
    } catch (error) {
      report.unwritable++;
      log.error({ taskId, reason: errorText(error) }, 'the file of a purged task could not be removed');
    }
  }
}

/** Once all rows of the scope are there. Nothing runs yet, so no session is open and nothing is on its way. */
function clearLeftovers(
  scope: string,
  purged: readonly PurgedEntry[],
  { leftovers, log }: RecoveryDeps,
  report: RecoveryReport,
): void {
  for (const { taskId, event } of purged) {
    try {
      if (!isOfScope(event.caller, scope)) throw new AppError('config', 'it belongs to another scope');
      leftovers.clear({ taskId, scope, event }, NOTHING_ELSE);
    } catch (error) {
      // A line that was put there by hand is no reason to keep the journal.
      if (error instanceof AppError) report.damaged++;
      else report.unwritable++;
      log.error({ taskId, reason: errorText(error) }, 'what a purged task left could not be removed');
    }
  }
}

/** The operator's scope holds the tasks of plugins, too. */
const isOfScope = (caller: string, scope: string): boolean =>
  scope === 'operator' ? splitCallerId(caller) === undefined : splitCallerId(caller)?.workspace === scope;

/** The files are the truth: rows without a file go, files without a row (or all of them) are read. */
function alignMirror(scope: string, store: ScopeStore, mirror: Mirror, all: boolean, report: RecoveryReport): void {
  // Taken first: a file that comes after this makes the next start compare again.
  const stamp = store.checkpoints.stamp();
  if (!all && stamp !== undefined && stamp === mirror.stampOf(scope)) return;
  const wanted = all ? undefined : dropRowsWithoutFiles(scope, store, mirror, report);
  let rows: TaskRow[] = [];
  const write = (): void => {
    mirror.upsert(rows);
    report.mirrored += rows.length;
    rows = [];
  };
  for (const record of store.checkpoints.all(wanted)) {
    if (record.envelope.caller.scope === scope) rows.push(rowOf(record));
    if (rows.length === BATCH) write();
  }
  write();
  if (stamp !== undefined) mirror.stamp(scope, stamp);
}

/** Returns the ids of files that have no row. */
function dropRowsWithoutFiles(scope: string, store: ScopeStore, mirror: Mirror, report: RecoveryReport): string[] {
  const files = new Set(store.checkpoints.ids());
  const mirrored = new Set(mirror.ids(scope));
  const gone = [...mirrored].filter((id) => !files.has(id));
  mirror.remove(gone);
  report.unmirrored += gone.length;
  return [...files].filter((id) => !mirrored.has(id));
}

/** A workspace that was removed takes its tasks along. */
function dropForeignScopes(mirror: Mirror, scopes: readonly string[], report: RecoveryReport): void {
  const known = new Set(scopes);
  for (const scope of mirror.scopes()) {
    if (known.has(scope)) continue;
    const ids = mirror.ids(scope);
    mirror.remove(ids);
    report.unmirrored += ids.length;
  }
}
