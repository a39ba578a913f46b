// Imports a plugin's module: JavaScript or TypeScript, without a build. What it imports as `a2a-switchboard` is this very
// switchboard's own, so that both sides mean the same by an error or a plugin.
import { createJiti, type Jiti } from 'jiti';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as authoring from '../authoring/authoring.js';
import { packageRoot } from '../package-root.js';
import type { FoundPlugin } from './find-plugins.js';

export interface ImportedModule {
  value: unknown;
  /** Where its code lies. */
  path: string;
}

export type ImportModule = (found: Pick<FoundPlugin, 'module' | 'path'>) => Promise<ImportedModule>;

/** @param virtual further modules that plugins may import, by name. */
export function moduleImporter(folder: string, virtual: Record<string, unknown> = {}): ImportModule {
  const virtualModules = { 'a2a-switchboard': authoring, ...virtual };
  const from = (base: string): Jiti => createJiti(join(base, '_'), { virtualModules, fsCache: false });
  const here = from(folder);
  return async ({ module, path }) => {
    if (path !== undefined) return { value: defaultOf(await here.import(module)), path };
    const file = resolvePackage(module, [here, from(packageRoot())]);
    return { value: defaultOf(await here.import(file)), path: dirname(file) };
  };
}

/** A package is looked for beside the home's plugins first, then where the switchboard itself is installed. */
function resolvePackage(name: string, places: readonly Jiti[]): string {
  for (const place of places) {
    const url = place.esmResolve(name, { try: true });
    if (url !== undefined) return url.startsWith('file:') ? fileURLToPath(url) : url;
  }
  throw new Error('there is no such package, neither beside the plugins nor beside the switchboard');
}

const defaultOf = (module: unknown): unknown =>
  typeof module === 'object' && module !== null && 'default' in module ? module.default : module;
