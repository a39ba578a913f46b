// A disk in memory that records every operation, fails on request, and tells files' content from their names as a real
// one does: data belongs to an inode, names to a folder.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { dirname } from 'node:path';
import { Disk } from '../../src/disk.js';
import { Failpoints } from '../../src/failpoints.js';

export type DataOp =
  { kind: 'write'; inode: number; offset: number; data: Buffer } | { kind: 'truncate'; inode: number; size: number };
/** Operations on the entries of `folder`. */
export type NameOp = { folder: string } & (
  | { kind: 'mkdir'; path: string }
  | { kind: 'create'; path: string; inode: number }
  | { kind: 'rename'; from: string; path: string; inode: number }
  | { kind: 'unlink'; path: string }
);
/** `upTo` is the number of operations recorded when the sync began: those are what it covers. */
export type SyncOp =
  { kind: 'sync'; inode: number; upTo: number } | { kind: 'syncFolder'; folder: string; upTo: number };
/** Something a test noted down at this moment, e.g. an acknowledgement. */
export type Mark = { kind: 'mark'; label: string };
export type Op = DataOp | NameOp | SyncOp | Mark;

const failure = (code: string, path: string): Error => Object.assign(new Error(`${code}: ${path}`), { code });

/** Content by inode, names to inodes, and folders. */
export class FileTree {
  constructor(
    readonly content = new Map<number, Buffer>(),
    readonly names = new Map<string, number>(),
    readonly folders = new Set<string>(),
  ) {}

  copy(): FileTree {
    return new FileTree(new Map(this.content), new Map(this.names), new Set(this.folders));
  }

  apply(op: Op): void {
    switch (op.kind) {
      case 'write': {
        const before = this.content.get(op.inode) ?? Buffer.alloc(0);
        const after = Buffer.alloc(Math.max(before.length, op.offset + op.data.length));
        before.copy(after);
        op.data.copy(after, op.offset);
        this.content.set(op.inode, after);
        return;
      }
      case 'truncate':
        this.content.set(op.inode, (this.content.get(op.inode) ?? Buffer.alloc(0)).subarray(0, op.size));
        return;
      case 'mkdir':
        this.folders.add(op.path);
        return;
      case 'rename':
        this.names.delete(op.from);
        this.names.set(op.path, op.inode);
        return;
      case 'create':
        this.names.set(op.path, op.inode);
        return;
      case 'unlink':
        this.names.delete(op.path);
        return;
      case 'sync':
      case 'syncFolder':
      case 'mark':
        return;
      default:
        op satisfies never;
    }
  }
}

export class RecordingDisk extends Disk {
  readonly ops: Op[] = [];
  /** Bytes that may still be written; then ENOSPC after a part. */
  room = Infinity;
  /** Syncs of files fail while this is set. */
  syncFails = false;
  /** Files that can't be seen, as if their folder were elsewhere. */
  readonly hidden = new Set<string>();
  /** Files that can't be made. */
  readonly failing = new Set<string>();
  /** Truncations and removals fail while this is set. */
  readOnlyNames = false;

  private readonly open = new Map<number, number>();
  private nextFd = 3;
  private nextInode = 1;

  constructor(
    private readonly tree = new FileTree(),
    failpoints = new Failpoints(),
  ) {
    super(failpoints);
    for (const inode of tree.names.values()) this.nextInode = Math.max(this.nextInode, inode + 1);
  }

  mark(label: string): void {
    this.ops.push({ kind: 'mark', label });
  }

  /** How often an operation was recorded. */
  count(kind: Op['kind']): number {
    return this.ops.filter((op) => op.kind === kind).length;
  }

  openAppend(path: string): number {
    return this.opened(this.tree.names.get(path) ?? this.create(path));
  }

  createNew(path: string): number {
    if (this.tree.names.has(path)) throw failure('EEXIST', path);
    return this.opened(this.create(path));
  }

  openEmpty(path: string): number {
    const inode = this.tree.names.get(path);
    if (inode === undefined) return this.opened(this.create(path));
    this.record({ kind: 'truncate', inode, size: 0 });
    return this.opened(inode);
  }

  write(fd: number, data: Buffer): void {
    const inode = this.inodeOf(fd);
    const part = data.subarray(0, Math.min(data.length, this.room));
    this.room -= part.length;
    const offset = this.tree.content.get(inode)?.length ?? 0;
    if (part.length > 0) this.record({ kind: 'write', inode, offset, data: Buffer.from(part) });
    if (part.length < data.length) throw failure('ENOSPC', String(fd));
  }

  async sync(fd: number): Promise<void> {
    const inode = this.inodeOf(fd);
    const upTo = this.ops.length;
    await nextTurn();
    this.synced(inode, upTo);
  }

  syncNow(fd: number): void {
    this.synced(this.inodeOf(fd), this.ops.length);
  }

  close(fd: number): void {
    this.open.delete(fd);
  }

  async syncFile(path: string): Promise<void> {
    const inode = this.tree.names.get(path);
    const upTo = this.ops.length;
    await nextTurn();
    if (inode !== undefined) this.synced(inode, upTo);
  }

  async syncFolder(folder: string): Promise<void> {
    const upTo = this.ops.length;
    await nextTurn();
    this.record({ kind: 'syncFolder', folder, upTo });
  }

  syncFolderNow(folder: string): void {
    this.record({ kind: 'syncFolder', folder, upTo: this.ops.length });
  }

  syncPathNow(path: string): void {
    this.synced(this.mustFind(path), this.ops.length);
    this.syncFolderNow(dirname(path));
  }

  rename(from: string, to: string): void {
    this.record({ kind: 'rename', folder: dirname(to), from, path: to, inode: this.mustFind(from) });
  }

  unlink(path: string): void {
    if (this.readOnlyNames) throw failure('EROFS', path);
    if (this.tree.names.has(path)) this.record({ kind: 'unlink', folder: dirname(path), path });
  }

  truncateFile(path: string, size: number): void {
    if (this.readOnlyNames) throw failure('EROFS', path);
    this.record({ kind: 'truncate', inode: this.mustFind(path), size });
  }

  mkdirp(path: string, sync = false): void {
    if (this.tree.folders.has(path)) return;
    const folder = dirname(path);
    if (folder !== path) this.mkdirp(folder, sync);
    this.record({ kind: 'mkdir', folder, path });
    if (sync) this.syncFolderNow(folder);
  }

  readFile(path: string): Buffer | undefined {
    if (this.hidden.has(path)) return undefined;
    const inode = this.tree.names.get(path);
    return inode === undefined ? undefined : (this.tree.content.get(inode) ?? Buffer.alloc(0));
  }

  readText(path: string): string | undefined {
    return this.readFile(path)?.toString();
  }

  stampFolder(path: string): string | undefined {
    if (!this.tree.folders.has(path)) return undefined;
    const names = this.ops.filter((op) => 'folder' in op && op.folder === path && op.kind !== 'syncFolder');
    return String(names.length);
  }

  size(path: string): number | undefined {
    return this.readFile(path)?.length;
  }

  list(folder: string): string[] {
    const prefix = `${folder}/`;
    const paths = [...this.tree.names.keys(), ...this.tree.folders];
    return paths.filter((path) => dirname(path) === folder).map((path) => path.slice(prefix.length));
  }

  private record(op: Op): void {
    this.ops.push(op);
    this.tree.apply(op);
  }

  private create(path: string): number {
    if (this.failing.has(path.replace(/\.tmp$/, ''))) throw failure('EACCES', path);
    if (!this.tree.folders.has(dirname(path))) throw failure('ENOENT', path);
    const inode = this.nextInode++;
    this.record({ kind: 'create', folder: dirname(path), path, inode });
    return inode;
  }

  private opened(inode: number): number {
    this.open.set(this.nextFd, inode);
    return this.nextFd++;
  }

  private inodeOf(fd: number): number {
    const inode = this.open.get(fd);
    if (inode === undefined) throw failure('EBADF', String(fd));
    return inode;
  }

  private mustFind(path: string): number {
    const inode = this.tree.names.get(path);
    if (inode === undefined) throw failure('ENOENT', path);
    return inode;
  }

  private synced(inode: number, upTo: number): void {
    if (this.syncFails) throw failure('EIO', String(inode));
    this.record({ kind: 'sync', inode, upTo });
  }
}
