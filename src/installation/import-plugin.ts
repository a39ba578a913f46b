// Imports a plugin's module: JavaScript or TypeScript, without a build. What it imports as `a2a-switchboard` is this very
// switchboard's own, so that both sides mean the same by an error or a plugin.
import { createJiti, type Jiti } from 'jiti';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemCode } from '../errors.js';
import * as authoring from '../authoring/authoring.js';
import { packageRoot } from '../package-root.js';
import type { FoundPlugin } from './find-plugins.js';
import { problemText } from './problem-text.js';

interface ImportedModule {
  value: unknown;
  /** Where its code lies. */
  path: string;
}

export type ImportModule = (found: Pick<FoundPlugin, 'module' | 'path' | 'problem'>) => Promise<ImportedModule>;

/** @param virtual further modules that plugins may import, by name. */
export function moduleImporter(folder: string, virtual: Record<string, unknown> = {}): ImportModule {
  const virtualModules = { 'a2a-switchboard': authoring, ...virtual };
  const from = (base: string): Jiti => createJiti(join(base, '_'), { virtualModules, fsCache: false });
  const here = from(folder);
  const load = async (file: string, path: string): Promise<ImportedModule> => {
    try {
      return { value: defaultOf(await here.import(file)), path };
    } catch (error) {
      throw new Error(problemText(error, path), { cause: error });
    }
  };
  return async ({ module, path, problem }) => {
    if (problem !== undefined) throw new Error(problem);
    if (path !== undefined) return load(isAbsolute(module) ? module : resolveOwn(module, from(path)), path);
    const file = resolvePackage(module, [here, from(packageRoot())]);
    return load(file, rootOf(file));
  };
}

const PACKAGE = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(\/[\w.~-]+)*$/i;
const NOT_THERE = 'MODULE_NOT_FOUND';

/** A package is looked for beside the home's plugins and above them first, then where the switchboard itself is installed. */
function resolvePackage(name: string, places: readonly Jiti[]): string {
  if (!PACKAGE.test(name)) throw new Error('that is no name of a package; files belong into the folder of plugins');
  for (const place of places) {
    try {
      return fileURLToPath(place.esmResolve(name));
    } catch (error) {
      if (isMissing(error, name)) continue;
      // It is there, and its own description leads nowhere.
      throw new Error(problemText(error, undefined), { cause: error });
    }
  }
  throw new Error(
    'there is no such package: it is looked for in node_modules of the folder of plugins and of every folder above, ' +
      'then where the switchboard is installed',
  );
}

/** A folder asks for itself by its own name, as any of its files could. */
function resolveOwn(name: string, place: Jiti): string {
  try {
    return fileURLToPath(place.esmResolve(name));
  } catch (error) {
    throw new Error(problemText(error, undefined), { cause: error });
  }
}

const isMissing = (error: unknown, name: string): boolean =>
  error instanceof Error && systemCode(error) === NOT_THERE && error.message.startsWith(`Cannot find module '${name}'`);

/** The package's folder: what goes wrong anywhere in it is this plugin's. */
function rootOf(file: string): string {
  const nearest = dirname(file);
  for (let folder = nearest; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return nearest;
}

const defaultOf = (module: unknown): unknown =>
  typeof module === 'object' && module !== null && 'default' in module ? module.default : module;
