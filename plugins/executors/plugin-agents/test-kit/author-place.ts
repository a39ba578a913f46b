// Where in an author's code something was thrown, for who has no idea where that lies: the first line of the stack that is
// neither the switchboard's nor Node's.
import { join, sep } from 'node:path';
import { packageRoot } from '../../../../src/package-root.js';

const OWN = ['dist', 'src', 'plugins', 'node_modules'].map((folder) => join(packageRoot(), folder) + sep);

/** Behind a text: ` (at …)`; empty where there is no such line. `thrown` must be readable. */
export function authorPlace(thrown: unknown): string {
  const lines = thrown instanceof Error ? (thrown.stack?.split('\n') ?? []) : [];
  const theirs = lines.find(
    (line) => /^\s+at .*[\\/]/.test(line) && !line.includes('node:') && !OWN.some((own) => line.includes(own)),
  );
  return theirs === undefined ? '' : ` (${theirs.trim()})`;
}
