// What nobody caught: of a plugin's code it is that plugin's fault and the server goes on; anything else is a defect whose
// consequences nobody knows, and ends the process as it would without this.
import { inspect } from 'node:util';
import type { Core } from '../plugin.js';

/** The plugin to blame; undefined for the product's own code. A rejection without a trace can only be a plugin's. */
export function culprit(error: unknown, plugins: Core['plugins']): string | undefined {
  const running = plugins.list().filter(({ state }) => state === 'running');
  const trace = typeof error === 'object' && error !== null ? (error as { stack?: unknown }).stack : undefined;
  if (typeof trace === 'string') return plugins.whose(trace);
  return running.length === 0 ? undefined : running.map(({ name }) => name).join(' or ');
}

/** Begins to watch the process; the returned function ends that. */
export function watchCrashes(core: Pick<Core, 'plugins' | 'log'>, end: (code: number) => void): () => void {
  const caught = (error: unknown, origin: NodeJS.UncaughtExceptionOrigin): void => {
    const plugin = culprit(error, core.plugins);
    if (plugin !== undefined) return core.plugins.fault(plugin, `nobody caught what it threw: ${inspect(error)}`);
    core.log.fatal({ err: error, origin }, 'an error that nobody caught');
    end(1);
  };
  process.on('uncaughtException', caught);
  return () => void process.off('uncaughtException', caught);
}
