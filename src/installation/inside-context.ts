// What the product's own plugins, and those of a host program, are handed: they are trusted, and stay for good.
import type { Router } from 'express';
import type { Bus } from '../bus/bus.js';
import type { TopicKind } from '../bus/topics.js';
import type { Core, Plugin, PluginContext } from '../plugin.js';
import { audienceRouter } from './audience-router.js';

export function insideContext(
  plugin: Plugin,
  { bus, core, mount }: { bus: Bus; core: Core; mount(path: string, router: Router): void },
): PluginContext<TopicKind, TopicKind> {
  const { name } = plugin;
  const log = core.log.child({ plugin: name });
  const failed = (problem: string): void => log.error({ problem }, 'a plugin did something wrong');
  return {
    bus: bus.join(plugin),
    core,
    log,
    mount,
    routes: (audience, build) => mount(`/plugins/${name}`, audienceRouter(audience, core, build)),
    add: (kind, extension) => void core.extensions.add(kind, extension, { plugin: name, failed }),
    settings: core.config.pluginSettings[name] ?? {},
    env: (variable) => {
      const value = core.environment.secret(variable);
      if (value !== undefined) return value;
      throw new Error(`${name} needs the environment variable ${variable}`);
    },
  };
}
