// The plugins that were added: found, imported, and installed one after the other. One that can't start is reported and
// takes back what it added; the rest starts.
import type { Router } from 'express';
import type { Bus } from '../bus/bus.js';
import { errorText } from '../errors.js';
import { pluginsDir } from '../home.js';
import type { Core, Installed, Plugin } from '../plugin.js';
import { missingNeeds } from './check-needs.js';
import { findPlugins, type FoundPlugin } from './find-plugins.js';
import { inTime } from '../in-time.js';
import { moduleImporter, type ImportModule } from './import-plugin.js';
import { pluginContext } from './plugin-context.js';
import { problemText } from './problem-text.js';
import { readPlugin } from './read-plugin.js';
import { watchStalls } from './stall-watch.js';
import { watchFaults } from './watch-faults.js';

/** How long one may take to load, to install and to get ready. */
export const START_MS = 10_000;

interface AddedPluginsDeps {
  bus: Bus;
  core: Core;
  mount(path: string, router: Router): void;
  importModule: ImportModule;
}

export class AddedPlugins {
  private endWatch: () => void = () => undefined;
  private readonly installed: { plugin: Plugin; part: Installed; undo(): void }[] = [];
  /** Where the code of each lies. */
  private readonly paths = new Map<Plugin, string>();

  constructor(private readonly deps: AddedPluginsDeps) {}

  /** Never throws. */
  async start(found: readonly FoundPlugin[]): Promise<void> {
    if (found.length > 0) this.endWatch = watchStalls(this.reports, this.deps.core.log);
    const loaded: Plugin[] = [];
    for (const one of found) {
      const plugin = await this.load(one);
      if (plugin) loaded.push(plugin);
    }
    let waiting = loaded;
    for (let before = Infinity; waiting.length < before;) {
      before = waiting.length;
      const later: Plugin[] = [];
      for (const plugin of waiting) {
        if (this.missing(plugin).length > 0) later.push(plugin);
        else await this.install(plugin);
      }
      waiting = later;
    }
    for (const plugin of waiting) this.reports.failed(plugin.name, `it needs ${this.missing(plugin).join(', ')}`);
  }

  async ready(): Promise<void> {
    for (const { plugin, part, undo } of [...this.installed]) {
      try {
        await inTime(this.deps.core.clock, START_MS, 'ready', () => part.ready?.());
      } catch (error) {
        undo();
        this.reports.failed(plugin.name, `ready: ${this.told(plugin, error)}`);
      }
    }
  }

  drain(): void {
    for (const { plugin, part } of this.installed) {
      // Nobody waits for it, but an author may have written it `async`.
      void (async () => part.drain?.())().catch((error: unknown) => {
        this.reports.fault(plugin.name, `drain: ${this.told(plugin, error)}`);
      });
    }
  }

  async stop(): Promise<void> {
    for (const { plugin, part, undo } of this.installed.splice(0).reverse()) {
      try {
        await inTime(this.deps.core.clock, START_MS, 'stop', () => part.stop?.());
      } catch (error) {
        this.reports.fault(plugin.name, `stop: ${this.told(plugin, error)}`);
      }
      undo();
    }
    this.endWatch();
  }

  private get reports(): Core['plugins'] {
    return this.deps.core.plugins;
  }

  private told(plugin: Plugin, error: unknown): string {
    return problemText(error, this.paths.get(plugin));
  }

  private async load(found: FoundPlugin): Promise<Plugin | undefined> {
    const { core, importModule } = this.deps;
    const { reports } = this;
    reports.found(found.source, found.path);
    try {
      const { value, path } = await inTime(core.clock, START_MS, 'loading', () => importModule(found));
      const plugin = readPlugin(value);
      reports.named(found.source, plugin.name, path);
      this.paths.set(plugin, path);
      return plugin;
    } catch (error) {
      reports.unusable(found.source, `it can't be loaded: ${errorText(error)}`);
      return undefined;
    }
  }

  private missing({ name, needs = {} }: Plugin): string[] {
    const { core } = this.deps;
    return missingNeeds(name, needs, {
      hasPlugin: (other) => this.installed.some(({ plugin }) => plugin.name === other),
      hasCapability: (capability) => core.capabilities.has(capability),
      settings: core.config.pluginSettings[name] ?? {},
      variable: (variable) => core.environment.secret(variable),
    });
  }

  private async install(plugin: Plugin): Promise<void> {
    const undone: (() => void)[] = [];
    const undo = (): void => {
      for (const step of undone.splice(0).reverse()) step();
    };
    try {
      const context = pluginContext(plugin, { ...this.deps, onUndo: (step) => void undone.push(step) });
      const part = await inTime(this.deps.core.clock, START_MS, 'install', () => plugin.install(context));
      this.installed.push({ plugin, part: part ?? {}, undo });
      this.reports.running(plugin.name);
    } catch (error) {
      undo();
      this.reports.failed(plugin.name, `install: ${this.told(plugin, error)}`);
    }
  }
}

/** Starts what the home's folder of plugins and its settings name. Never throws. */
export async function startAddedPlugins(deps: Omit<AddedPluginsDeps, 'importModule'>): Promise<AddedPlugins> {
  const { bus, core } = deps;
  watchFaults(bus, core.plugins);
  const folder = pluginsDir(core.config.home);
  const added = new AddedPlugins({ ...deps, importModule: moduleImporter(folder) });
  await added.start(findPlugins(folder, core.config.plugins));
  return added;
}
