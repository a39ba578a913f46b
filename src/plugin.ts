// What a plugin is: a name, what it reads and writes on the bus, and one install function. Its bus handle offers only
// what it declared.
import type { Router } from 'express';
import type { BusHandle } from './bus/bus.js';
import type { TopicKind } from './bus/topics.js';
import type { Clock, NewId } from './clock.js';
import type { Config } from './config.js';
import type { Environment } from './environment.js';
import type { Calls } from './executors/calls-port.js';
import type { PromptPort } from './executors/prompt-port.js';
import type { AgentRegistry } from './executors/registry-port.js';
import type { Turns } from './executors/turns.js';
import type { Failpoints } from './failpoints.js';
import type { Hops } from './hops.js';
import type { Doors } from './http/door.js';
import type { KeyUses } from './http/key-uses.js';
import type { Metrics } from './http/metrics.js';
import type { OpenStreams } from './http/open-streams.js';
import type { Ledger } from './ledger/ledger-port.js';
import type { Capabilities, Capability } from './capabilities.js';
import type { ExtensionKinds, Extensions } from './extensions.js';
import type { PluginReports } from './installation/plugin-reports.js';
import type { Logger } from './log.js';
import type { Secrets } from './secrets/secrets.js';
import type { GuardedFetch } from './net/guarded-fetch.js';
import type { RemoteAgents } from './remote/remote-port.js';
import type { BlobStore } from './workspace/blob-store.js';
import type { CallerDirectory } from './workspace/callers.js';
import type { WorkspaceDirectory } from './workspace/directory.js';

/** The core's ports, the same for every plugin. */
export interface Core {
  config: Config;
  /** Variables that settings name; nobody else reads the process's environment. */
  environment: Environment;
  clock: Clock;
  newId: NewId;
  log: Logger;
  secrets: Secrets;
  ledger: Ledger;
  blobs: BlobStore;
  prompts: PromptPort;
  /** How one agent asks another. */
  calls: Calls;
  registry: AgentRegistry;
  /** Turns whose work goes on elsewhere. */
  turns: Turns;
  callers: CallerDirectory;
  workspaces: WorkspaceDirectory;
  hops: Hops;
  doors: Doors;
  /** All streams of all surfaces: whoever opens one takes its place here first. */
  streams: OpenStreams;
  /** What `/metrics` shows; plugins may add to it. */
  metrics: Metrics;
  /** When callers' keys were last used. */
  keyUses: Pick<KeyUses, 'of'>;
  /** The only way out: no plugin makes HTTP requests of its own. */
  net: GuardedFetch;
  /** Agents elsewhere: who they are, and how they are called. */
  remotes: RemoteAgents;
  /** What installed plugins add to what the core can do. */
  capabilities: Capabilities;
  /** Where plugins add what others make use of. */
  extensions: Extensions;
  /** The plugins that were added to the product's own, and how they fare. */
  plugins: PluginReports;
  /** Where a crash test may kill the process. */
  failpoints: Pick<Failpoints, 'hit'>;
  /** Where the server is reached: the public URL, else the listener's. Known once it listens. */
  baseUrl(): string;
}

export interface PluginContext<Reads extends TopicKind, Writes extends TopicKind> {
  bus: BusHandle<Reads, Writes>;
  core: Core;
  log: Logger;
  /** Mounts routes; plugins mount in flow order. Those of an added plugin are below `/plugins/<name>`. */
  mount(path: string, router: Router): void;
  /**
   * Routes below `/plugins/<name>`, for whoever has a caller's key, for the operator, or for everybody. Except for the
   * last, bodies are read as JSON.
   */
  routes(audience: Audience, build: (router: Router) => void): void;
  /** Adds an agent, a guard, a driver or an authenticator. Throws an Error that says what is wrong with it. */
  add<K extends keyof ExtensionKinds>(kind: K, extension: ExtensionKinds[K]): void;
  /** The plugin's own settings: `pluginSettings.<name>` of switchboard.json. */
  settings: Readonly<Record<string, unknown>>;
  /** The value of a variable that the plugin declared as a need; it is kept out of logs and answers. */
  env(name: string): string;
}

export const AUDIENCES = ['callers', 'operator', 'public'] as const;
export type Audience = (typeof AUDIENCES)[number];

/** What must be there for a plugin to start. */
export interface Needs {
  /** Names of added plugins; they are installed first. */
  plugins?: readonly string[];
  capabilities?: readonly Capability[];
  /** Members of the plugin's own settings. */
  config?: readonly string[];
  /** Environment variables. */
  env?: readonly string[];
}

export interface Installed {
  /** Called once everything is installed and before the door opens. */
  ready?(): void | Promise<void>;
  /** Called when the server opens its door; not where a host program mounts its routes instead. */
  listen?(): Promise<void>;
  /** Called when the server begins to stop, while running turns still finish: start nothing new. */
  drain?(): void;
  /** Called at shutdown, in reverse order of installation. */
  stop?(): void | Promise<void>;
}

export interface Plugin<
  C extends TopicKind = TopicKind,
  O extends TopicKind = TopicKind,
  P extends TopicKind = TopicKind,
> {
  /** `[a-z0-9-]{1,40}` */
  name: string;
  consumes: readonly C[];
  observes: readonly O[];
  produces: readonly P[];
  needs?: Needs;
  install(context: PluginContext<C | O, P>): void | Installed | Promise<void | Installed>;
}

/** What an author writes: topics that are not named are none. */
export type PluginDefinition<C extends TopicKind, O extends TopicKind, P extends TopicKind> = Omit<
  Plugin<C, O, P>,
  'consumes' | 'observes' | 'produces'
> & { consumes?: readonly C[]; observes?: readonly O[]; produces?: readonly P[] };

/** A plugin with its declared topics checked by type. */
export function definePlugin<
  const C extends TopicKind = never,
  const O extends TopicKind = never,
  const P extends TopicKind = never,
>(plugin: PluginDefinition<C, O, P>): Plugin<C, O, P> {
  return { consumes: [], observes: [], produces: [], ...plugin };
}
