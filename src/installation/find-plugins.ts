// Where plugins are: files and folders in the home's folder of plugins, and packages that the settings name. Reads nothing
// of them but a folder's list and a package's own description.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../errors.js';

export interface FoundPlugin {
  /** What it is called until its code says otherwise. */
  name: string;
  /** For people: a path below the home, or a package's name. */
  source: string;
  /** What is imported: an absolute path, or a package's name. */
  module: string;
  /** Where its code lies; undefined for a package, until it is resolved. */
  path?: string;
  /** Why its file or folder can't be read. */
  problem?: string;
}

const MODULE = /^(?!.*\.(?:test|d)\.)(.+)\.(?:m|c)?(?:j|t)s$/;
const INDEX = ['index.ts', 'index.mts', 'index.js', 'index.mjs', 'index.cjs'];

/** Files and folders sorted by name, then each package once. `folder` may be missing. Never throws. */
export function findPlugins(folder: string, packages: readonly string[]): FoundPlugin[] {
  return [
    ...readable('plugins', folder, () => entries(folder).flatMap((entry) => inFolder(folder, entry))),
    ...[...new Set(packages)].map((name) => ({ name, source: name, module: name })),
  ];
}

function inFolder(folder: string, entry: string): FoundPlugin[] {
  const path = join(folder, entry);
  const source = join('plugins', entry);
  return readable(source, path, () => {
    const name = MODULE.exec(entry)?.[1];
    if (isFolder(path)) {
      const module = indexOf(path);
      return module === undefined ? [] : [{ name: entry, source, module, path }];
    }
    return name === undefined ? [] : [{ name, source, module: path, path }];
  });
}

/** What can't be read stands in the list as a plugin that can't be loaded: the others can. */
function readable(source: string, path: string, find: () => FoundPlugin[]): FoundPlugin[] {
  try {
    return find();
  } catch (error) {
    return [{ name: source, source, module: path, path, problem: errorText(error) }];
  }
}

/** A folder's own word for what to import, else its index. */
function indexOf(folder: string): string | undefined {
  const names = new Set(entries(folder));
  try {
    const { main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { main?: unknown };
    if (typeof main === 'string') return join(folder, main);
  } catch {
    // None, or none that can be read: the index it is.
  }
  const index = INDEX.find((name) => names.has(name));
  return index === undefined ? undefined : join(folder, index);
}

const entries = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.') && name !== 'node_modules')
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
