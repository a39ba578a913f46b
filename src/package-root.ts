// Finds the package's own folder, whether the code runs from src/ or from dist/src/.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The nearest folder above the running code that holds a `package.json`. Absolute path. Throws when there is none, which
 * means that the installation is incomplete.
 */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('no package.json above the running code');
    folder = parent;
  }
  return folder;
}
