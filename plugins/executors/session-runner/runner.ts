// The executor that serves workspaces: one turn is a session taken, a driver's run, and its end as the run's outcome.
import type { Conversation } from '../../../src/bus/parties.js';
import { AppError, errorText, readable } from '../../../src/errors.js';
import type { AgentInfo, Executor, Prompt, RunHandle, RunOutcome } from '../../../src/executors/contract.js';
import { RunFailure } from '../../../src/executors/contract.js';
import type { Adder } from '../../../src/extensions.js';
import type { Core } from '../../../src/plugin.js';
import type { Inbox } from '../../../src/workspace/inbox.js';
import { NAME, NAME_RULE, sessionFile } from '../../../src/workspace/names.js';
import type { CardSource, WorkspaceSettings } from '../../../src/workspace/settings.js';
import type { Transcripts } from '../../../src/workspace/transcript.js';
import type { A2aToolCore } from './a2a-tool.js';
import type { Driver, DriverContext, DriverTurn, TurnEnd } from '../../../src/authoring/driver.js';
import { download } from './download.js';
import { historyBefore } from './history.js';
import { Outgoing } from './outgoing-events.js';
import { isOwner, mayCall, SessionTurn } from './session-turn.js';
import { Sessions } from './sessions.js';
import { toolsFor } from './tools.js';

/** What the runner uses of the workspaces' files beyond the core's ports. */
export interface SessionFiles {
  transcripts: Pick<Transcripts, 'read'>;
  inbox: Pick<Inbox, 'save' | 'keep'>;
}

export type RunnerCore = Pick<
  Core,
  'config' | 'clock' | 'log' | 'workspaces' | 'blobs' | 'net' | 'environment' | 'capabilities' | 'secrets'
> &
  A2aToolCore & {
    ledger: Pick<Core['ledger'], 'saveSession' | 'get'>;
  };

interface RunnerDeps {
  core: RunnerCore;
  files: SessionFiles;
  drivers: readonly Driver[];
  /** Tells the workspace's owner something. */
  notify(prompt: Prompt, text: string): void;
}

export class Runner implements Executor {
  readonly name = 'session-runner';
  readonly keepsSessions = true;
  readonly sessions: Sessions;
  private readonly drivers: Map<string, Driver>;
  /** Who brought a driver, and hears of what it does wrong; nobody for the product's own. */
  private readonly adders = new Map<Driver, Adder>();
  private readonly agents = new Map<string, { card: CardSource; settings: WorkspaceSettings; info: AgentInfo }>();

  constructor(private readonly deps: RunnerDeps) {
    const { clock, log, config } = deps.core;
    this.drivers = new Map(deps.drivers.map((driver) => [driver.name, driver]));
    const idleMs = config.sessionIdleSeconds * 1000;
    this.sessions = new Sessions({ clock, log, idleMs, maxIdle: config.maxIdleSessions });
  }

  /** Throws an Error when the name is taken. The returned function takes the driver out again. */
  addDriver(driver: Driver, by: Adder): () => void {
    if (typeof driver !== 'object' || driver === null) throw new Error('a driver must be an object');
    const { name } = driver;
    if (typeof driver.open !== 'function') throw new Error('a driver needs a function open');
    if (!NAME.test(name)) throw new Error(`the name of a driver ${NAME_RULE}`);
    if (this.drivers.has(name)) throw new Error(`there is already a driver named ${name}`);
    this.drivers.set(name, driver);
    this.adders.set(driver, by);
    return () => void this.drivers.delete(name);
  }

  find(agent: string): AgentInfo | undefined {
    return this.deps.core.workspaces.has(agent) ? this.describe(agent) : undefined;
  }

  list(): AgentInfo[] {
    return this.deps.core.workspaces.names().map((name) => this.describe(name));
  }

  async run(prompt: Prompt, handle: RunHandle): Promise<RunOutcome> {
    const { core } = this.deps;
    const settings = core.workspaces.settings(prompt.agent);
    const driver = this.driver(settings);
    const { blobs, config, secrets } = core;
    const outgoing = new Outgoing(prompt, handle, {
      blobs,
      maxFileBytes: config.maxPartBytes,
      redact: (text) => secrets.redact(text),
      notify: this.deps.notify,
    });
    const held = await this.sessions
      .take(prompt, stampOf(settings), () => driver.open(this.context(prompt, settings), handle.signal))
      .catch((thrown: unknown) => {
        const error = readable(thrown);
        if (!handle.signal.aborted) this.blame(driver, error);
        throw error;
      });
    let end: TurnEnd;
    try {
      const signal = AbortSignal.any([handle.signal, outgoing.tooMuch]);
      const turn = await this.turn(prompt, signal, settings, outgoing);
      end = handle.signal.aborted ? { type: 'cancelled' } : await runTurn(held.session.run(turn, outgoing.emit));
    } catch (thrown) {
      const error = readable(thrown);
      // Both are for the caller to read, e.g. that the inbox can't take a file, or that a link leads nowhere.
      if (handle.signal.aborted) end = { type: 'cancelled' };
      else if (error instanceof AppError || error instanceof RunFailure)
        end = { type: 'failed', text: error.message, code: error.code };
      else end = { type: 'crashed', error };
    }
    if (end.type === 'crashed') {
      this.blame(driver, end.error);
      this.sessions.forget(held);
    } else this.sessions.give(held);
    return outgoing.end(end);
  }

  discard(prompt: Prompt): void {
    this.sessions.drop(prompt);
  }

  isOpen(conversation: Conversation): boolean {
    return this.sessions.has(conversation);
  }

  /** What a caller may read of a failure is no fault. */
  private blame(driver: Driver, error: unknown): void {
    if (error instanceof RunFailure || error instanceof AppError) return;
    this.adders.get(driver)?.failed(`its driver ${driver.name} failed: ${errorText(error)}`, error);
  }

  private driver(settings: WorkspaceSettings): Driver {
    const { name } = settings.driver;
    const driver = this.drivers.get(name);
    if (driver) return driver;
    const known = [...this.drivers.keys()].join(', ');
    throw new RunFailure(`This workspace names the driver "${name}", but there are only: ${known}.`, 'unknown-driver');
  }

  /** Made anew only when the card or the settings changed: this is asked several times per request. */
  private describe(name: string): AgentInfo {
    const { workspaces } = this.deps.core;
    const card = workspaces.card(name);
    const settings = workspaces.settings(name);
    const known = this.agents.get(name);
    if (known && known.card === card && known.settings === settings) return known.info;
    const info = describe(name, card, settings);
    this.agents.set(name, { card, settings, info });
    return info;
  }

  private context(prompt: Prompt, settings: WorkspaceSettings): DriverContext {
    // Only these few fields are captured: an idle session must not keep its first message alive.
    const { agent, caller, contextId, taskId, turn } = prompt;
    const { workspaces, clock, log, environment, capabilities } = this.deps.core;
    const { transcripts } = this.deps.files;
    return {
      workspace: agent,
      get directory() {
        return workspaces.path(agent);
      },
      contextId,
      caller,
      owner: isOwner(prompt),
      ownsTask: (id) => this.deps.core.ledger.get(id)?.envelope.caller.id === caller.id,
      tools: toolsFor({
        owner: isOwner(prompt),
        notices: capabilities.has('owner-notices'),
        calls: mayCall(prompt, settings.callAgents),
      }),
      settings,
      history: () => {
        // Lines of the turns just before may still wait for their file.
        this.deps.core.ledger.saveSession({ caller: caller.id, agent, contextId });
        return historyBefore(transcripts.read(agent, sessionFile(agent, caller.id, contextId)), { taskId, turn });
      },
      file: (name) => workspaces.driverFile(agent, name),
      fetch: this.deps.core.net.fetch({ purpose: 'model', trusted: true }),
      environment,
      clock,
      log,
    };
  }

  private turn(
    prompt: Prompt,
    signal: AbortSignal,
    settings: WorkspaceSettings,
    outgoing: Outgoing,
  ): Promise<DriverTurn> {
    const { workspaces, config, clock, blobs, net, log, capabilities } = this.deps.core;
    const { agent, caller } = prompt;
    // What links lead to counts together: a small message must not bring much more than a large one could hold.
    let room = Math.max(config.maxBodyBytes, config.maxPartBytes);
    const keep = (filename: string | undefined, bytes: Uint8Array): string =>
      this.deps.files.inbox.save(agent, { caller, filename, bytes, at: clock.now() });
    return SessionTurn.open(prompt, signal, {
      directory: () => workspaces.path(agent),
      timeZone: settings.timeZone,
      now: () => clock.now(),
      maxFileBytes: config.maxPartBytes,
      refusal: (bytes) => outgoing.refusal(bytes),
      intake: {
        save: ({ blob, filename }) => {
          const bytes = blobs.read(caller.scope, blob);
          return bytes && keep(filename, bytes);
        },
        download: async (part) => {
          const file = await download(net, part, { maxBytes: Math.min(config.maxPartBytes, room), signal });
          room -= file.bytes.length;
          return { path: keep(file.name, file.bytes), size: file.bytes.length, mediaType: file.mediaType };
        },
      },
      notices: () => capabilities.has('owner-notices'),
      callAgents: settings.callAgents,
      ownsTask: (id) => this.deps.core.ledger.get(id)?.envelope.caller.id === caller.id,
      a2a: { core: this.deps.core, ports: { inbox: this.deps.files.inbox, blobs } },
      refused: (file, reason) => log.warn({ workspace: agent, file, reason }, 'a standing file was left out'),
      emit: outgoing.emit,
    });
  }
}

/** Guards against drivers from outside the type checker. */
async function runTurn(running: Promise<TurnEnd>): Promise<TurnEnd> {
  const end = (await running) as TurnEnd | undefined | null;
  return end ?? { type: 'crashed', error: new Error('the driver ended its turn without saying how') };
}

/** What a session depends on: when it changes, the session is opened anew. */
const stampOf = (settings: WorkspaceSettings): string =>
  JSON.stringify([settings.driver, settings.tools, settings.callAgents]);

function describe(name: string, card: CardSource, { exposed, approval }: WorkspaceSettings): AgentInfo {
  const skills = card.skills.map(({ id, name: title, description, tags, examples }) => ({
    id,
    name: title,
    description,
    tags,
    ...(examples && { examples }),
  }));
  return { name, kind: 'workspace', description: card.description, exposed, skills, approval: approval.skills };
}
