// Who may call: the callers with their keys. A key is shown once, when it is made.
import {
  CALLERS_ANSWER,
  CALLERS_QUERY,
  KEYS_QUERY,
  MINTED_KEY,
  NEW_CALLER,
  NEW_CALLERS_KEY,
  NEW_KEY,
  REMOVED_CALLER,
  REMOVED_KEYS,
} from '../../../src/caller-wire.js';
import { PLUGINS_ANSWER } from '../../../src/operator-wire.js';
import { AppError } from '../../../src/errors.js';
import type { Core } from '../../../src/plugin.js';
import type { KeyHint } from '../../../src/workspace/callers.js';
import { CALLER_FILES, problemsOf } from './file-problems.js';
import { route, type Route } from './route.js';
import { mustBeWorkspace } from './known.js';

export function directoryRoutes(core: Core): Route[] {
  return [
    route({
      method: 'get',
      path: '/plugins',
      summary: "The plugins that were added to the product's own, and how they fare.",
      answer: PLUGINS_ANSWER,
      status: 200,
      run: () => ({ status: 200, body: { plugins: core.plugins.list() } }),
    }),
    route({
      method: 'get',
      path: '/callers',
      summary: 'Who may call; keys only as hints.',
      query: CALLERS_QUERY,
      answer: CALLERS_ANSWER,
      status: 200,
      refusals: [404],
      run: ({ query }) => {
        mustBeWorkspace(core, query.workspace);
        const callers = core.callers.list(query.workspace).map((caller) => ({
          ...caller,
          keys: caller.keys.map((key) => withUse(key, core.keyUses.of(key.id, caller.id))),
          liveTasks: core.ledger.liveTasks({ id: caller.id, scope: caller.workspace }).ofCaller,
        }));
        return { status: 200, body: { callers, ...problemsOf(core, CALLER_FILES, query.workspace) } };
      },
    }),
    route({
      method: 'post',
      path: '/callers',
      summary: 'Add a caller with a fresh key.',
      body: NEW_CALLER,
      answer: NEW_CALLERS_KEY,
      status: 201,
      refusals: [404],
      run: async ({ body: { workspace, name, ...options } }) => {
        const key = await core.callers.add(workspace, name, options);
        const unknownAgents = (options.agents ?? []).filter((agent) => !core.registry.find(agent, workspace));
        const warned = unknownAgents.length > 0 && { unknownAgents };
        return { status: 201, body: { id: `${workspace}/${name}`, key, ...warned } };
      },
    }),
    route({
      method: 'delete',
      path: '/callers/:workspace/:name',
      summary: 'Remove a caller with all its keys.',
      answer: REMOVED_CALLER,
      status: 200,
      refusals: [404],
      run: async ({ params }) => {
        const { workspace, name } = params as CallerPath;
        await core.callers.remove(workspace, name);
        return { status: 200, body: { id: `${workspace}/${name}` } };
      },
    }),
    route({
      method: 'post',
      path: '/callers/:workspace/:name/keys',
      summary: 'Add a further key; the old ones stay valid, or end at a time of your choice.',
      body: NEW_KEY,
      answer: MINTED_KEY,
      status: 201,
      refusals: [404],
      run: async ({ params, body }) => {
        const { workspace, name } = params as CallerPath;
        const key = await core.callers.addKey(workspace, name, body);
        return { status: 201, body: { id: `${workspace}/${name}`, key } };
      },
    }),
    route({
      method: 'delete',
      path: '/callers/:workspace/:name/keys',
      summary: 'Remove keys: those with the id or hint, or all but the newest. Their streams end within a second.',
      query: KEYS_QUERY,
      answer: REMOVED_KEYS,
      status: 200,
      refusals: [404],
      run: async ({ params, query }) => {
        const { workspace, name } = params as CallerPath;
        const which = query.id ?? query.hint;
        const removed = await core.callers.removeKeys(workspace, name, which);
        if (removed === 0 && which !== undefined) throw new AppError('not-found', 'There is no such key.');
        return { status: 200, body: { id: `${workspace}/${name}`, removed } };
      },
    }),
  ];
}

/** Times as the API tells them. */
const withUse = (key: KeyHint, use: ReturnType<Core['keyUses']['of']>) => ({
  ...key,
  ...(use && { lastUsedAt: new Date(use.lastUsedAt).toISOString(), requests: use.requests }),
});

type CallerPath = { workspace: string; name: string };
