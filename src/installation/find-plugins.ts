// Where plugins are: files and folders in the home's folder of plugins, and packages that the settings name. Reads nothing
// of them but a folder's list and a package's own description.
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorText, isMissing } from '../errors.js';

export interface FoundPlugin {
  /** What it is called until its code says otherwise. */
  name: string;
  /** For people: a path below the home, or a package's name. */
  source: string;
  /** What is imported: an absolute path, or a package's name, which at `path` means that folder itself. */
  module: string;
  /** Where its code really lies, as its traces name it; undefined for a package, until it is resolved. */
  path?: string;
  /** Why nothing can be imported. */
  problem?: string;
}

const MODULE = /^(?!.*\.(?:test|d)\.)(.+)\.(?:m|c)?(?:j|t)s$/;
const INDEX = ['index.ts', 'index.mts', 'index.js', 'index.mjs', 'index.cjs'];

/** Files and folders sorted by name, then each package once. `folder` may be missing. Never throws. */
export function findPlugins(folder: string, packages: readonly string[]): FoundPlugin[] {
  return [...inPlugins(folder), ...[...new Set(packages)].map((name) => ({ name, source: name, module: name }))];
}

/** A folder that can't be read is told of as a plugin that can't be loaded, so that everything else starts. */
function inPlugins(folder: string): FoundPlugin[] {
  try {
    return entries(folder).flatMap((entry) => inFolder(folder, entry));
  } catch (error) {
    return [{ name: 'plugins', source: 'plugins', module: folder, path: folder, problem: errorText(error) }];
  }
}

function inFolder(folder: string, entry: string): FoundPlugin[] {
  const path = realPath(join(folder, entry));
  const source = join('plugins', entry);
  const name = MODULE.exec(entry)?.[1];
  if (isFolder(path)) {
    try {
      const module = moduleOf(path, entries(path));
      return module === undefined ? [] : [{ name: entry, source, module, path }];
    } catch (error) {
      return [{ name: entry, source, module: path, path, problem: errorText(error) }];
    }
  }
  return name === undefined ? [] : [{ name, source, module: path, path }];
}

/** A folder's own word for what to import, else its index. Undefined: files that plugins share. Throws for a broken word. */
function moduleOf(folder: string, names: readonly string[]): string | undefined {
  const { name, exports, main } = names.includes('package.json') ? description(folder) : {};
  if (exports !== undefined && exports !== null) {
    if (typeof name === 'string' && name !== '') return name;
    throw new Error('its package.json has exports, and needs a name for them');
  }
  if (typeof main === 'string') return join(folder, main);
  const index = INDEX.find((file) => names.includes(file));
  if (index !== undefined) return join(folder, index);
  if (name === undefined) return undefined;
  throw new Error(`its package.json has neither exports nor main, and there is no ${INDEX.join(', ')}`);
}

function description(folder: string): { name?: unknown; exports?: unknown; main?: unknown } {
  try {
    const read: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (typeof read === 'object' && read !== null) return read;
  } catch (error) {
    throw new Error(`its package.json can't be read: ${errorText(error)}`, { cause: error });
  }
  throw new Error('its package.json holds no object');
}

const entries = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.') && name !== 'node_modules')
      .sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
};

const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/** What can't be looked at (a link that leads round in a circle, say) is no folder; importing it tells why. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
