// What nobody caught: of a plugin's code it is that plugin's fault and the server goes on; anything else is a defect whose
// consequences nobody knows, and ends the process as it would without this.
import { join, sep } from 'node:path';
import { inspect } from 'node:util';
import { errorText, readable } from '../errors.js';
import { packageRoot } from '../package-root.js';
import type { Core } from '../plugin.js';

/** Folders of the switchboard's own code. A home may lie below the same root. */
const OWN = ['dist', 'src', 'plugins', 'node_modules'].map((folder) => join(packageRoot(), folder) + sep);

/**
 * The plugin to blame; undefined for the product's own code. What names neither, e.g. an error of a stream that a plugin
 * opened and did not listen to, can only be a plugin's: of those that run or begin to, one is.
 */
export function culprit(thrown: unknown, plugins: Core['plugins'], own: readonly string[] = OWN): string | undefined {
  const running = plugins.list().filter(({ state }) => state !== 'failed');
  const error = readable(thrown) as { stack?: unknown; syscall?: unknown } | null | undefined;
  const { stack, syscall } = error ?? {};
  if (typeof stack === 'string') {
    const named = plugins.whose(stack);
    if (named !== undefined || own.some((folder) => stack.includes(folder))) return named;
    // Nobody reads what the process says any more.
    if (syscall === 'write') return undefined;
  }
  return running.length === 0 ? undefined : running.map(({ name }) => name).join(' or ');
}

type Watched = Pick<Core, 'plugins' | 'log'>;

/** Does the work, and watches the process from where the work begins the watch until it is done. */
export async function underWatch<T>(
  end: (code: number) => void,
  work: (begin: (core: Watched) => void) => Promise<T>,
): Promise<T> {
  let stop = (): void => undefined;
  try {
    return await work((core) => (stop = watchCrashes(core, end)));
  } finally {
    stop();
  }
}

/** Begins to watch the process; the returned function ends that. */
function watchCrashes(core: Watched, end: (code: number) => void): () => void {
  const caught = (thrown: unknown, origin: NodeJS.UncaughtExceptionOrigin): void => {
    const plugin = culprit(thrown, core.plugins);
    if (plugin !== undefined) return core.plugins.fault(plugin, `nobody caught what it threw: ${shown(thrown)}`);
    core.log.fatal({ err: thrown, origin }, 'an error that nobody caught');
    end(1);
  };
  process.on('uncaughtException', caught);
  return () => void process.off('uncaughtException', caught);
}

/** An error with its stack, anything else as it would be printed. Never throws. */
function shown(thrown: unknown): string {
  try {
    return inspect(readable(thrown), { depth: 2, customInspect: false });
  } catch {
    return errorText(thrown);
  }
}
