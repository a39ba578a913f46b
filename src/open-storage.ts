// What tasks stand on, in the order in which it is opened: files, the mirror over them, and what a crash has left, folded in.
import { join } from 'node:path';
import type { Clock } from './clock.js';
import type { Config } from './config.js';
import type { Failpoints } from './failpoints.js';
import { mirrorFile, operatorDir } from './home.js';
import { Leftovers } from './ledger/leftovers.js';
import { recover } from './ledger/recovery.js';
import { ScopeStores } from './ledger/scope-stores.js';
import type { Logger } from './log.js';
import { openMirrorWhenFree } from './mirror/open-mirror.js';
import type { Mirror } from './mirror/rows.js';
import type { WorkspaceDirectory } from './workspace/directory.js';
import { NodeDisk } from './node-disk.js';
import { BlobFiles } from './workspace/blob-files.js';
import { Inbox } from './workspace/inbox.js';
import { inboxLimits } from './workspace/inbox-limits.js';
import { StorageUse } from './workspace/storage-use.js';
import type { FileProblems } from './workspace/file-problems.js';
import { Transcripts } from './workspace/transcript.js';
import { saveSessionLines, transcriptBin, usedByTranscripts } from './session-files.js';

interface StorageDeps {
  config: Config;
  workspaces: WorkspaceDirectory;
  failpoints: Failpoints;
  problems: FileProblems;
  clock: Clock;
  log: Logger;
  /** Takes what undoes each step. */
  closers: (() => unknown)[];
}

/** Where everything is kept. `scopes` are those that have tasks, as of each call. */
interface Storage {
  blobs: BlobFiles;
  transcripts: Transcripts;
  inbox: Inbox;
  stores: ScopeStores;
  mirror: Mirror;
  leftovers: Leftovers;
  scopes(): string[];
}

/** Opens and recovers. Throws AppError `config` for files that can't be used, `locked` for one that another process holds. */
export async function openStorage(deps: StorageDeps): Promise<Storage> {
  const { config, workspaces, failpoints, problems, clock, log, closers } = deps;
  const { home, durability } = config;
  const disk = new NodeDisk(failpoints);
  const folderOf = (scope: string): string =>
    scope === 'operator' ? operatorDir(home) : join(workspaces.path(scope), '.a2a');
  disk.mkdirp(operatorDir(home));
  const use = new StorageUse({ folderOf, clock, log });
  const blobs = new BlobFiles({ disk, clock, folderOf, durability, grew: (scope, bytes) => use.grew(scope, bytes) });
  const transcripts = new Transcripts({ disk, workspaces, durability, problems });
  const inbox = new Inbox({ workspaces, limits: (name) => inboxLimits(config, workspaces, name) });
  const isGone = (scope: string): boolean => scope !== 'operator' && !workspaces.has(scope);
  const lines = {
    saveLines: saveSessionLines(transcripts, problems),
    syncLines: () => Promise.all([transcripts.sync(), blobs.sync()]),
  };
  const stores = new ScopeStores({ disk, clock, log, durability, folderOf, isGone, use, ...lines });
  const mirror = await openMirrorWhenFree({ file: mirrorFile(home), log, clock });
  closers.push(() => mirror.close());
  const scopes = (): string[] => ['operator', ...workspaces.names()];
  const now = scopes();
  for (const scope of now) blobs.clearLeftovers(scope);
  const leftovers = new Leftovers({ mirror, blobs, transcripts: transcriptBin(transcripts) });
  const recovery = await recover({
    stores,
    mirror,
    log,
    scopes: now,
    leftovers,
    usedByTranscripts: () => usedByTranscripts(transcripts, workspaces, (scope) => blobs.any(scope)),
  });
  log.info(recovery, 'recovered');
  return { blobs, transcripts, inbox, stores, mirror, leftovers, scopes };
}
