// The composition root: builds the core in the order in which its parts stand on each other, installs the plugins in
// flow order, and takes it all down again so that nothing is lost.
import type { Express } from 'express';
import { PLUGINS } from '../plugins/index.js';
import { Bus } from './bus/bus.js';
import { drained } from './bus/drained.js';
import { createCapabilities } from './capabilities.js';
import { Extensions } from './extensions.js';
import { startAddedPlugins } from './installation/added-plugins.js';
import { insideContext } from './installation/inside-context.js';
import { PluginReports } from './installation/plugin-reports.js';
import { orderedId, randomId, systemClock, type Clock } from './clock.js';
import { loadConfig, type Config } from './config.js';
import { createEnvironment, type Environment, type Variables } from './environment.js';
import { AgentCalls } from './executors/calls.js';
import { ExecutorHost, HOST_DECLARATION } from './executors/host.js';
import { Prompts, PROMPTS_DECLARATION } from './executors/prompts.js';
import { ExecutorRegistry } from './executors/registry.js';
import { Failpoints } from './failpoints.js';
import { lockHome } from './home-lock.js';
import { ensureOperatorKey, removeServerInfo, writeServerInfo } from './home.js';
import { Hops } from './hops.js';
import { Authenticators } from './http/authenticators.js';
import { createFront } from './http/create-front.js';
import type { LagSource } from './http/loop-lag.js';
import { listensEverywhere, localUrl } from './http/local-url.js';
import { createHttpServer } from './http/server.js';
import { LEDGER_DECLARATION } from './ledger/bus-events.js';
import { Housekeeping, type TaskLimits } from './ledger/housekeeping.js';
import { FileLedger } from './ledger/ledger.js';
import { createLogger, type Logger } from './log.js';
import { Secrets } from './secrets/secrets.js';
import { createGuardedFetch } from './net/guarded-fetch.js';
import type { ResolveName } from './net/resolve-name.js';
import type { Core, Installed, Plugin } from './plugin.js';
import { RemoteDirectory } from './remote/remote-directory.js';
import { redactingLogger } from './redacting-logger.js';
import { secretsIn } from './secrets/secret-values.js';
import { ensureSwitchboardId } from './switchboard-id.js';
import { Freshness } from './workspace/freshness.js';
import { openCallers } from './workspace/open-callers.js';
import { openWorkspaces } from './workspace/open-workspaces.js';
import { openStorage } from './open-storage.js';
import { FileProblems } from './workspace/file-problems.js';
import { RemoteAgentFiles } from './workspace/remote-agent-files.js';
import { taskLimits } from './task-limits.js';

export interface SwitchboardOptions {
  /** Complete configuration, or what differs from the environment and the home's file. */
  config?: Partial<Config>;
  /**
   * A logger of the host program; by default JSON lines on standard error. What is logged is redacted by name and value
   * at any depth; class instances other than errors pass as they are.
   */
  log?: Logger;
  clock?: Clock;
  /** The process's own environment when absent. */
  env?: Variables;
  /** What tells how late the event loop is; the real one when absent. */
  lag?: LagSource;
  /** How outbound HTTP resolves names; by the system's name service when absent. */
  resolve?: ResolveName;
  /** Further plugins, installed after the built-in ones. */
  plugins?: readonly Plugin[];
  /** Called once all of the switchboard's own is there, before any code of the home's plugins runs. */
  beforePlugins?(core: Pick<Core, 'plugins' | 'log'>): void;
}

export interface Switchboard {
  /**
   * Ends what the last process left running and starts what waits. Before anything is served: `start` does it, a host
   * that mounts `app` calls it first. Again does nothing.
   */
  ready(): Promise<void>;
  /** Opens the door. Resolves once requests are served. */
  start(): Promise<{ url: string }>;
  /** Lets running turns finish for a while, stores everything, and frees the home. */
  stop(): Promise<void>;
  /** The express application, for a host that mounts it instead of listening. */
  readonly app: Express;
  readonly core: Core;
  /** The bus, for its declarations and for `drain`. */
  readonly bus: Bus;
}

const HTTP_CLOSE_MS = 2_000;

/**
 * Builds a switchboard on a home: takes its lock, recovers what the last process left, installs the plugins. It serves
 * nothing before `start`. Throws AppError `locked` when another process holds the home, `config` for unusable files.
 */
export async function createSwitchboard(options: SwitchboardOptions = {}): Promise<Switchboard> {
  const { env, config: overrides = {} } = options;
  const { config, variables, warnings } = loadConfig({ overrides, ...(env && { env }) });
  const clock = options.clock ?? systemClock;
  const secrets = new Secrets();
  const environment = createEnvironment(variables, secrets);
  const log = options.log ? redactingLogger(options.log, secrets) : createLogger(config.logLevel, secrets);
  for (const warning of warnings) log.warn(warning);
  const lock = await lockHome(config.home, { waitMs: 2_000 });
  const closers: (() => unknown)[] = [() => lock.release()];
  try {
    return await build(config, { ...options, environment, clock, secrets, log, closers });
  } catch (error) {
    await closeAll(log, closers);
    throw error;
  }
}

interface Foundation extends Pick<SwitchboardOptions, 'lag' | 'resolve' | 'plugins' | 'beforePlugins'> {
  environment: Environment;
  clock: Clock;
  secrets: Secrets;
  log: Logger;
  /** Undo steps, in the order in which their parts were built. */
  closers: (() => unknown)[];
}

async function build(config: Config, foundation: Foundation): Promise<Switchboard> {
  const { environment, clock, secrets, log, closers, resolve, plugins = [] } = foundation;
  const { home } = config;
  const boot = randomId().slice(0, 8);
  const operatorKey = ensureOperatorKey(home, config.operatorKey);
  secrets.add(operatorKey);
  // What others' code is given it may show, by mistake or in what it throws.
  for (const secret of secretsIn(config.pluginSettings)) secrets.add(secret);

  const problems = new FileProblems(log);
  const fresh = new Freshness(true);
  const workspaces = openWorkspaces({ home, log, problems, secrets, fresh });
  const remoteFiles = new RemoteAgentFiles({ home, workspaces, problems, secrets, fresh });
  // Read now, so that no log line comes before their keys are known.
  for (const scope of remoteFiles.scopes()) remoteFiles.of(scope);
  const failpoints = new Failpoints(config.failpoint);
  const callers = openCallers({
    workspaces,
    clock,
    log,
    secrets,
    problems,
    fresh,
    beforeRename: () => failpoints.hit('callers.before-rename'),
    afterRename: () => failpoints.hit('callers.after-rename'),
  });
  const storage = await openStorage({ config, workspaces, failpoints, problems, clock, log, closers });
  const { blobs, transcripts, inbox, stores, mirror, leftovers, scopes } = storage;

  const redact = (text: string): string => secrets.redact(text);
  const bus = new Bus({ clock, log, boot, redact });
  const registry = new ExecutorRegistry(log);
  const ledger = new FileLedger({
    bus: bus.join(LEDGER_DECLARATION),
    clock,
    log,
    mirror,
    stores,
    boot,
    leftovers,
    isOpen: (conversation) => registry.isOpen(conversation),
  });
  closers.push(() => ledger.close());
  const limitsOf = (scope: string): TaskLimits | undefined =>
    taskLimits(config, scope === 'operator' ? undefined : workspaces.settings(scope));
  const housekeeping = new Housekeeping({ ledger, mirror, clock, log, scopes, limitsOf });
  closers.push(() => housekeeping.stop());
  const turnDeadlineMs = config.turnDeadlineSeconds * 1000;
  const hostBus = bus.join(HOST_DECLARATION);
  const host = new ExecutorHost({
    bus: hostBus,
    registry,
    ledger,
    clock,
    newId: orderedId,
    log,
    turnDeadlineMs,
    redact,
  });
  const prompts = new Prompts({ bus: bus.join(PROMPTS_DECLARATION), ledger, newId: orderedId });
  const keyUseStore = mirror.keyUses;
  const extensions = new Extensions();
  const authenticators = new Authenticators({ callers, clock });
  extensions.accept('authenticator', (one, by) => authenticators.add(one, by));
  const front = createFront({
    config,
    callers,
    authenticators,
    clock,
    log,
    operatorKey,
    keyUseStore,
    lag: foundation.lag,
  });
  closers.push(() => front.stop());
  const { doors, streams, metrics, keyUses } = front;
  const http = createHttpServer({ config, log, clock, metrics });
  const net = createGuardedFetch({ allowPrivate: config.allowPrivate, clock, ...(resolve && { resolve }) });
  closers.push(() => net.close());
  const enabled = config.outbound;
  const remotes = new RemoteDirectory({ files: remoteFiles, enabled, net, clock, newId: randomId, log, redact });
  closers.push(() => remotes.stop());
  let url = config.publicUrl ?? localUrl(config.host, config.port);

  const hops = new Hops(ensureSwitchboardId(home, randomId));
  const callPorts = { prompts, ledger, blobs, turns: host, workspaces, hops, clock, newId: orderedId, log };
  const calls = new AgentCalls(callPorts);
  const core: Core = {
    config,
    environment,
    clock,
    newId: orderedId,
    log,
    secrets,
    ledger,
    blobs,
    prompts,
    calls,
    registry,
    turns: host,
    callers,
    workspaces,
    hops,
    doors,
    streams,
    metrics,
    keyUses,
    net,
    remotes,
    capabilities: createCapabilities(),
    extensions,
    plugins: new PluginReports(log, redact),
    failpoints,
    baseUrl: () => url,
  };
  const installed: Installed[] = [];
  for (const plugin of [...PLUGINS({ transcripts, inbox }), ...plugins]) {
    const part = await plugin.install(insideContext(plugin, { bus, core, mount: http.mount }));
    if (part) installed.push(part);
  }
  foundation.beforePlugins?.(core);
  installed.push(await startAddedPlugins({ bus, core, mount: http.mount }));

  let readied: Promise<void> | undefined;
  const makeReady = async (): Promise<void> => {
    await ledger.reconcile();
    for (const part of installed) await part.ready?.();
    remotes.start();
    housekeeping.start();
  };
  const ready = (): Promise<void> => (readied ??= makeReady());
  return {
    app: http.app,
    core,
    bus,
    ready,
    async start() {
      await ready();
      for (const part of installed) await part.listen?.();
      const { host: address, port } = await http.listen(config.host, config.port);
      const local = localUrl(address, port);
      if (listensEverywhere(address) && config.publicUrl === undefined) {
        log.warn('cards name this machine only: set publicUrl to the address that clients use');
      }
      url = config.publicUrl ?? local;
      writeServerInfo(home, { url: local, pid: process.pid, startedAt: new Date(clock.now()).toISOString() });
      return { url: local };
    },
    async stop() {
      front.gate.drain();
      prompts.stop();
      calls.stop();
      for (const part of installed) part.drain?.();
      await host.stop(config.drainSeconds * 1000);
      await drained(bus, clock);
      await stores.flush();
      await drained(bus, clock);
      await closeAll(log, [
        ...closers.splice(0),
        () => removeServerInfo(home, process.pid),
        () => http.close(HTTP_CLOSE_MS),
        ...installed.map((part) => () => part.stop?.()),
      ]);
    },
  };
}

/** Undoes every step, last one first, also when one of them fails: the lock must be free in any case. */
async function closeAll(log: Logger, closers: (() => unknown)[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      log.error({ err: error }, 'a step of stopping failed');
    }
  }
}
