// The driver for agents that speak the Agent Client Protocol: one process per session, started in the workspace, given
// the session tools over loopback, and ended with all it has started.
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { RequestError, type McpServer } from '@agentclientprotocol/sdk';
import type { NewId } from '../../../../../src/clock.js';
import { RunFailure } from '../../../../../src/executors/contract.js';
import type { Logger } from '../../../../../src/log.js';
import type { Core } from '../../../../../src/plugin.js';
import { ACP_SETTINGS } from '../../../../../src/workspace/driver-settings.js';
import { sessionFile } from '../../../../../src/workspace/names.js';
import { ToolListener, type ServedTools } from '../../mcp/tool-listener.js';
import type { Driver, DriverContext, DriverSession } from '../../../../../src/authoring/driver.js';
import { AcpSession } from './acp-session.js';
import { AgentConnection } from './agent-connection.js';
import { agentFailure } from './agent-failure.js';
import type { AgentLink } from './agent-link.js';
import { settlesInTime } from './settles-in-time.js';
import { launchAgent, type LaunchOptions } from './launch-agent.js';
import { killMarked } from './marked-processes.js';
import { greet, openConversation } from './open-conversation.js';
import { PermissionDesk } from './permission-desk.js';
import { CANCELLED } from './permissions.js';
import { RememberedSession } from './remembered-session.js';

interface AcpDriverDeps {
  tools: ToolListener;
  newId: NewId;
  log: Logger;
  /** Tells this home's processes from all others', and is the same after a restart. */
  homeMark: string;
  /** Replaced by tests whose agents run in this process. */
  launch?: (options: LaunchOptions) => Promise<AgentLink>;
}

/** How long after its connection an agent's process may end and still count as the one that ended it. */
const DEATH_MS = 1_000;
/** How long a new conversation waits for the agent to fetch its tools before it does without. */
const LIST_MS = 3_000;

export class AcpDriver implements Driver {
  readonly name = 'acp';
  private readonly links = new Set<AgentLink>();
  private readonly endAll = (): void => this.links.forEach((link) => link.kill());

  constructor(private readonly deps: AcpDriverDeps) {}

  /** Ends what an earlier run of this home left behind when it was killed. */
  start(): void {
    const left = killMarked(`${this.deps.homeMark}.`);
    if (left > 0) this.deps.log.warn({ processes: left }, 'ended processes of agents that an earlier run left behind');
    // A process that ends without a stop, e.g. at a second signal, has time for this much.
    process.once('exit', this.endAll);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.links].map((link) => link.close()));
    process.off('exit', this.endAll);
  }

  async open(given: DriverContext, signal: AbortSignal): Promise<DriverSession> {
    const context = { ...given, log: given.log.child({ workspace: given.workspace, contextId: given.contextId }) };
    const settings = ACP_SETTINGS.parse(context.settings.driver);
    const { directory, clock, log, environment } = context;
    const mark = `${this.deps.homeMark}.${this.deps.newId()}`;
    const { launch = launchAgent } = this.deps;
    const link = await launch({ settings, cwd: directory, mark, environment, clock, log });
    this.links.add(link);
    void link.ended.then(() => this.links.delete(link));
    const desk = new PermissionDesk(settings.permissions, context.owner);
    let session: AcpSession | undefined;
    let served: ServedTools | undefined;
    // Until the session is there, nobody asked for anything: what comes is the replay of an old conversation.
    const connection = new AgentConnection(
      link.stream,
      {
        update: (params) => session?.update(params),
        permission: (request, withdrawn) => session?.permission(request, withdrawn) ?? Promise.resolve(CANCELLED),
      },
      clock,
    );
    try {
      const abilities = await greet(connection, signal);
      const call = (name: string, args: unknown) =>
        session?.callTool(name, args) ?? { ok: false, text: 'No message is being answered now.' };
      if (abilities.http && context.tools.length > 0) {
        served = await this.deps.tools.serve({ tools: context.tools, call });
      }
      const memory = this.memory(context, [settings.command, settings.args]);
      const { sessionId, remembers } = await openConversation(connection, {
        abilities,
        settings,
        cwd: directory,
        mcpServers: served ? [mcpServer(served)] : [],
        remembered: memory.read(),
        log,
        signal,
      });
      this.remember(memory, sessionId, log);
      await this.toolsListed(context, served, signal);
      const history = remembers ? [] : context.history();
      const { takes } = abilities;
      const { idleProcesses: idleLimit } = settings;
      session = new AcpSession({ context, link, connection, desk, sessionId, takes, history, served, idleLimit });
      return session;
    } catch (error) {
      const failure = await this.failure(error, link, context);
      connection.close();
      await served?.close();
      throw failure;
    }
  }

  /** A conversation that can't be remembered goes on all the same; after a restart its transcript has to do. */
  private remember(memory: RememberedSession, sessionId: string, log: Logger): void {
    try {
      memory.write(sessionId);
    } catch (error) {
      log.warn({ err: error }, 'an agent’s id of a conversation could not be stored');
    }
  }

  private memory({ directory, workspace, caller, contextId }: DriverContext, agent: unknown[]): RememberedSession {
    return new RememberedSession(directory, sessionFile(workspace, caller.id, contextId), agent);
  }

  /** Waits until the agent has fetched the list of tools; without that, the tools are not spoken of. */
  private async toolsListed({ clock, log }: DriverContext, served: ServedTools | undefined, signal: AbortSignal) {
    if (!served) log.warn('the agent takes no tools over HTTP: the session tools are not available to it');
    else if (!(await settlesInTime(served.endpoint.listing, { clock, ms: LIST_MS, signal })) && !signal.aborted) {
      log.warn('the agent has not asked for the session tools: they are not mentioned until it does');
    }
  }

  /** What went wrong at the start, in words for the caller; what the agent said of it is for the log. */
  private async failure(error: unknown, link: AgentLink, { clock, log }: DriverContext): Promise<unknown> {
    const told = error instanceof RunFailure || error instanceof RequestError;
    const died = !told && (await settlesInTime(link.ended, { clock, ms: DEATH_MS }));
    await link.close();
    const how = await link.ended;
    log.warn({ err: error, how, agent: link.lastErrors }, 'an agent did not get ready');
    if (error instanceof RunFailure) return error;
    if (error instanceof RequestError) {
      const { text, code } = agentFailure(error);
      return new RunFailure(text, code);
    }
    const what = died ? `process ended before it was ready (${how})` : 'connection ended before it was ready';
    return new RunFailure(`The agent's ${what}.`, 'agent-start');
  }
}

const mcpServer = ({ url, authorization }: ServedTools): McpServer => ({
  type: 'http',
  name: 'switchboard',
  url,
  headers: [{ name: 'Authorization', value: authorization }],
});

/** The driver on the core's ports. */
export const acpDriverOf = (core: Pick<Core, 'config' | 'hops' | 'log' | 'newId' | 'secrets'>): Driver =>
  new AcpDriver({
    tools: new ToolListener({ log: core.log, secrets: core.secrets }),
    newId: core.newId,
    log: core.log,
    homeMark: markOf(core.config.home, core.hops.of('').switchboard),
  });

/** Of the home's place and its id: a copy of a home is another home. */
const markOf = (home: string, id: string): string =>
  createHash('sha256')
    .update(`${realpathSync(home)}\n${id}`)
    .digest('hex')
    .slice(0, 20);
