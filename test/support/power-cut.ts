// What a power cut may leave: every synced operation, and of the others some. Data that was not synced may be missing,
// half there or zeros; a name that was not synced may be the old or the new one, each on its own.
import { dirname } from 'node:path';
import type { DataOp, FileTree, NameOp, Op } from './recording-disk.js';

type Fate = 'kept' | 'lost' | 'half' | 'zeros';
/** The fate of the i-th of the operations that nothing has synced. */
type Fates = (i: number) => Fate;

const isData = (op: Op): op is DataOp => op.kind === 'write' || op.kind === 'truncate';
const isName = (op: Op): op is NameOp => 'folder' in op && op.kind !== 'syncFolder';

/** Operations whose fate is varied one by one; older ones share the fate of all. */
const VARIED = 12;

/** The trees that a power cut after these operations could leave. */
export function* imagesAfter(start: FileTree, ops: readonly Op[]): Generator<{ tree: FileTree; name: string }> {
  const base = start.copy();
  const data: DataOp[] = [];
  const names: NameOp[] = [];
  const syncedData = new Map<number, number>();
  const syncedNames = new Map<string, number>();
  for (const op of ops) {
    if (op.kind === 'sync') syncedData.set(op.inode, Math.max(op.upTo, syncedData.get(op.inode) ?? 0));
    if (op.kind === 'syncFolder') syncedNames.set(op.folder, Math.max(op.upTo, syncedNames.get(op.folder) ?? 0));
  }
  ops.forEach((op, i) => {
    if (isData(op)) {
      if (i < (syncedData.get(op.inode) ?? 0)) base.apply(op);
      else data.push(op);
    } else if (isName(op)) {
      if (i < (syncedNames.get(op.folder) ?? 0)) base.apply(op);
      else names.push(op);
    }
  });
  for (const [dataFates, nameFates, name] of combinations(data.length, names.length)) {
    const tree = base.copy();
    names.forEach((op, i) => nameFates(i) === 'kept' && tree.apply(op));
    data.forEach((op, i) => applyData(tree, op, dataFates(i)));
    dropUnreachable(tree);
    yield { tree, name };
  }
}

function* combinations(data: number, names: number): Generator<[Fates, Fates, string]> {
  const all =
    (fate: Fate): Fates =>
    () =>
      fate;
  const extremes: Fate[] = ['kept', 'lost', 'half', 'zeros'];
  for (const dataFate of extremes) {
    for (const [nameFates, name] of oneByOne(names))
      yield [all(dataFate), nameFates, `data ${dataFate}, names ${name}`];
  }
  for (const [dataFates, name] of oneByOne(data)) {
    yield [dataFates, all('kept'), `data ${name}, names kept`];
    yield [dataFates, all('lost'), `data ${name}, names lost`];
  }
}

function* oneByOne(count: number): Generator<[Fates, string]> {
  yield [() => 'kept', 'kept'];
  yield [() => 'lost', 'lost'];
  for (let one = Math.max(0, count - VARIED); one < count; one++) {
    yield [(i) => (i === one ? 'lost' : 'kept'), `kept but ${one}`];
    yield [(i) => (i === one ? 'kept' : 'lost'), `lost but ${one}`];
  }
}

function applyData(tree: FileTree, op: DataOp, fate: Fate): void {
  if (fate === 'lost') return;
  if (op.kind === 'truncate' || fate === 'kept') tree.apply(op);
  else if (fate === 'half') tree.apply({ ...op, data: op.data.subarray(0, op.data.length >> 1) });
  else tree.apply({ ...op, data: Buffer.alloc(op.data.length) });
}

/** What lies in a folder whose own name was lost is gone. */
function dropUnreachable(tree: FileTree): void {
  const reachable = (path: string): boolean => {
    const parent = dirname(path);
    return parent === path || (tree.folders.has(parent) && reachable(parent));
  };
  for (const path of tree.names.keys()) if (!reachable(path)) tree.names.delete(path);
}
