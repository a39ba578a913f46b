// What a plugin from outside is handed: the core, its narrowed bus, its settings, and ways to add things, each of which
// can be taken back.
import express, { type ErrorRequestHandler, type Router } from 'express';
import type { Bus } from '../bus/bus.js';
import type { TopicKind } from '../bus/topics.js';
import { errorText, toAppError } from '../errors.js';
import { asRequestError } from '../http/request-error.js';
import type { Core, Plugin, PluginContext } from '../plugin.js';
import { audienceRouter } from './audience-router.js';
import { outsideBus } from './outside-bus.js';

interface ContextDeps {
  bus: Bus;
  core: Core;
  mount(path: string, router: Router): void;
  /** Takes a step that undoes something of the plugin. */
  onUndo(step: () => void): void;
}

export function pluginContext(plugin: Plugin, deps: ContextDeps): PluginContext<TopicKind, TopicKind> {
  const { core, onUndo } = deps;
  const { name } = plugin;
  const log = core.log.child({ plugin: name });
  const fault = (what: string, thrown?: unknown): void => core.plugins.fault(name, what, thrown);
  const { consumes, observes, produces } = plugin;
  const { handle, leave } = outsideBus(deps.bus.join({ name, consumes, observes, produces }), fault);
  onUndo(leave);

  let gone = false;
  onUndo(() => (gone = true));
  /** What took too long to start goes on for a while, and adds nothing more. */
  const mustRun = (): void => {
    if (gone) throw new Error(`the plugin ${name} does not run: nothing can be added any more`);
  };
  const mount = (path: string, router: Router): void => {
    mustRun();
    const own = express.Router();
    own.use((_req, _res, next) => (gone ? next('router') : next()));
    own.use(path, router);
    const failed: ErrorRequestHandler = (error, req, _res, next) => {
      // What the client did wrong, and a refusal that is meant for it, is nobody's fault here.
      if (toAppError(asRequestError(error)).code === 'internal') {
        fault(`its route ${req.method} ${req.baseUrl}${patternOf(req.route)} failed: ${errorText(error)}`, error);
      }
      next(error);
    };
    own.use(failed);
    deps.mount(`/plugins/${name}`, own);
  };

  const capabilities: Core['capabilities'] = {
    has: (capability) => core.capabilities.has(capability),
    provide: (capability) => {
      mustRun();
      const takeBack = core.capabilities.provide(capability);
      onUndo(takeBack);
      return takeBack;
    },
  };

  return {
    bus: handle,
    core: { ...core, capabilities },
    log,
    mount,
    routes: (audience, build) => {
      mount('/', audienceRouter(audience, core, build));
      core.plugins.added(name, `routes for ${audience}`);
    },
    add: (kind, extension) => {
      mustRun();
      onUndo(core.extensions.add(kind, extension, { plugin: name, failed: fault }));
      core.plugins.added(name, `${kind} ${String((extension as { name?: unknown }).name ?? '')}`.trim());
    },
    settings: core.config.pluginSettings[name] ?? {},
    env: (variable) => {
      const value = plugin.needs?.env?.includes(variable) ? core.environment.secret(variable) : undefined;
      if (value !== undefined) return value;
      throw new Error(`the environment variable ${variable} is not declared: list it in needs.env`);
    },
  };
}

/** As the author wrote it: what a client put in its place may be a secret. Empty where no route was reached. */
function patternOf(route: unknown): string {
  const { path } = (route ?? {}) as { path?: unknown };
  return path === undefined ? '' : String(path);
}
