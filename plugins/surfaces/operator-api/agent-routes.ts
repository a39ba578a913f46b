// Which agents there are and how those elsewhere are reached, a test that asks one, and the watches on their work.
import { shortState } from '../../../src/a2a-model.js';
import type { ResolvedAgent } from '../../../src/executors/registry-port.js';
import { settle } from '../../../src/executors/settle.js';
import type { WatchRow } from '../../../src/mirror/rows.js';
import {
  AGENT_TEST,
  AGENTS_ANSWER,
  AGENTS_QUERY,
  MAX_WAIT_SECONDS,
  TASK_VIEW,
  WATCHES_ANSWER,
  WATCHES_QUERY,
} from '../../../src/operator-wire.js';
import type { Core } from '../../../src/plugin.js';
import type { RemoteAgentView } from '../../../src/remote/remote-port.js';
import { OPERATOR } from './chat-routes.js';
import { readCursor, writeCursor } from './cursor.js';
import { AGENT_FILES, problemsOf } from './file-problems.js';
import { knownTask, mustBeWorkspace } from './known.js';
import { route, type Route } from './route.js';
import { pollUrl, taskView, type ViewPorts } from './task-view.js';

const HELLO = 'This is a test. Please answer briefly.';

export function agentRoutes(core: Core, views: ViewPorts): Route[] {
  return [
    route({
      method: 'get',
      path: '/agents',
      summary: 'All agents that can be addressed, and how those elsewhere were reached last.',
      query: AGENTS_QUERY,
      answer: AGENTS_ANSWER,
      status: 200,
      refusals: [404],
      run: async ({ query, signal }) => {
        const { workspace } = query;
        mustBeWorkspace(core, workspace);
        const scopes = workspace === undefined ? [OPERATOR.scope, ...core.workspaces.names()] : [workspace];
        if (query.probe === 'true') await Promise.all(scopes.map((scope) => core.remotes.probe(scope, { signal })));
        const agents = scopes.flatMap((scope, at) => {
          const found = core.registry.list(scope);
          // What a workspace sees beyond its own list is in the first list already.
          const own = at === 0 ? found : found.filter((one) => viewOf(core, one, scope)?.listed === 'workspace');
          return own.map((one) => agentRow(core, one, scope));
        });
        return { status: 200, body: { agents, ...problemsOf(core, AGENT_FILES, workspace) } };
      },
    }),
    route({
      method: 'post',
      path: '/agents/:name/test',
      summary: 'Ask an agent something, marked as a test: it counts as no outcome and notifies no owner.',
      body: AGENT_TEST,
      answer: TASK_VIEW,
      status: 200,
      refusals: [404, 409, 503],
      run: async ({ params, body, signal }) => {
        mustBeWorkspace(core, body.workspace);
        const admission = await core.prompts.submit({
          agent: params['name'] as string,
          caller: OPERATOR,
          message: { messageId: core.newId(), role: 'ROLE_USER', parts: [{ text: body.message ?? HELLO }] },
          chain: [],
          surface: 'operator',
          synthetic: true,
          ...(body.workspace !== undefined && { lookIn: body.workspace }),
        });
        const seconds = Math.min(body.waitSeconds ?? MAX_WAIT_SECONDS, MAX_WAIT_SECONDS);
        const limit = { clock: core.clock, seconds };
        return { status: 200, body: taskView(await settle(admission.taskId, { ...core, limit, signal }), views) };
      },
    }),
    route({
      method: 'get',
      path: '/watches',
      summary: 'Work at agents elsewhere that is followed now, the oldest first.',
      query: WATCHES_QUERY,
      answer: WATCHES_ANSWER,
      status: 200,
      run: ({ query }) => {
        const { agent, caller, state, cursor, pageSize } = query;
        const owner = (row: WatchRow): string | undefined => core.ledger.get(row.taskId)?.envelope.caller.id;
        const rows = core.ledger.watches
          .all()
          .filter(
            (row) =>
              (agent === undefined || row.agent === agent) &&
              (state === undefined || row.state === state) &&
              (caller === undefined || owner(row) === caller),
          );
        const after = readCursor(cursor);
        const start = after === undefined ? 0 : rows.findIndex((row) => isAfter(row, after));
        const page = start < 0 ? [] : rows.slice(start, start + pageSize);
        const more = start >= 0 && start + pageSize < rows.length;
        const watches = page.map((row) => watchRow(core, row, views));
        return {
          status: 200,
          body: { watches, total: rows.length, nextCursor: more ? cursorOf(page.at(-1)) : undefined },
        };
      },
    }),
  ];
}

function agentRow(core: Core, found: ResolvedAgent, scope: string) {
  const { agent, executor } = found;
  const view = viewOf(core, found, scope);
  const inWorkspace = view?.listed === 'workspace' ? { workspace: scope } : {};
  return {
    name: agent.name,
    kind: agent.kind,
    executor: executor.name,
    description: agent.description,
    exposed: agent.exposed,
    skills: agent.skills.map(({ id, name, description }) => ({ id, name, description })),
    cardUrl: `${core.baseUrl()}/agents/${agent.name}/.well-known/agent-card.json`,
    ...(view && { remote: { ...shown(view), ...inWorkspace } }),
  };
}

const viewOf = (core: Core, { agent }: ResolvedAgent, scope: string): RemoteAgentView | undefined =>
  agent.kind === 'remote' ? core.remotes.find(agent.name, scope) : undefined;

const shown = ({ url, reachable, lastSeen, leftAloneUntil, problem, protocols, bindings }: RemoteAgentView) => ({
  url,
  reachable,
  ...(lastSeen !== undefined && { lastSeen }),
  ...(leftAloneUntil !== undefined && { leftAloneUntil }),
  ...(problem !== undefined && { problem }),
  ...(protocols && { protocols }),
  ...(bindings && { bindings }),
});

function watchRow(core: Core, { taskId, watchId, agent, state, remoteTaskId, since }: WatchRow, views: ViewPorts) {
  const { task, envelope } = knownTask(core, taskId);
  return {
    watchId,
    cid: taskId,
    agent,
    caller: envelope.caller.id,
    state,
    ...(remoteTaskId !== undefined && { remoteTaskId }),
    since: new Date(since).toISOString(),
    taskState: shortState(task.status.state),
    pollUrl: pollUrl(views.baseUrl(), taskId),
  };
}

const isAfter = (row: WatchRow, { at, taskId }: { at: number; taskId: string }): boolean =>
  row.since > at || (row.since === at && row.taskId > taskId);

const cursorOf = (row: WatchRow | undefined): string | undefined =>
  row && writeCursor({ at: row.since, taskId: row.taskId });
