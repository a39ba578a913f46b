// The way of a request into the SDK's adapters: door, agent, body, version, parameters; then the adapter, which only
// dispatches and serialises. Nothing that could be refused on the request's own grounds gets past here.
import { jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import { ServerCallContext, type ServerCallContextBuilder } from '@a2a-js/sdk/server';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../../../src/errors.js';
import type { ErrorWriter } from '../../../src/http/door.js';
import type { ErrorWriters } from '../../../src/http/error-writers.js';
import type { SseHub } from '../../../src/http/sse-hub.js';
import type { Core } from '../../../src/plugin.js';
import type { CardSource } from '../../../src/workspace/settings.js';
import type { Caller } from '../../../src/workspace/callers.js';
import { agentMissing, agentNotFound, usableAgent } from './agent-access.js';
import { answerJson, handOver, stubRest, stubRpc } from './adapter-stubs.js';
import { Call, type CallTarget } from './call.js';
import { activeExtensions, EXTENSIONS_HEADER, LEGACY_EXTENSIONS_HEADER, requestedExtensions } from './extensions.js';
import { invalid } from './fields.js';
import { acceptsInput } from './input-modes.js';
import { isStreaming, readOperation } from './operation.js';
import { LEGACY_VERSION, PROTOCOL_VERSION } from './protocol-version.js';
import { asksLegacy, readRest, readRpc, versionOf, type ReadRequest } from './read-request.js';
import type { BridgeRequestHandler } from './request-handler.js';
import { LEGACY_REST, LEGACY_RPC } from './v0-3/legacy-shape.js';

export interface RouteDeps {
  core: Pick<Core, 'capabilities' | 'config' | 'doors' | 'net' | 'registry' | 'streams' | 'workspaces'>;
  handler: BridgeRequestHandler;
  hub: SseHub;
  writers: ErrorWriters;
}

const isRpc = (req: Request): boolean => req.path === '/';

/**
 * The routes of one interface URL, relative to it: JSON-RPC at the URL itself, REST below. `agentParam` is the path
 * parameter that names the agent; without one the key's workspace answers.
 */
export function interfaceRoutes(deps: RouteDeps, agentParam?: string): RequestHandler[] {
  const { core, writers } = deps;
  const writeError: ErrorWriter = (error, req, res) => {
    const { jsonRpc, rest, legacyJsonRpc, legacyRest } = writers;
    const [rpcWriter, restWriter] = asksLegacy(req) ? [legacyJsonRpc, legacyRest] : [jsonRpc, rest];
    (isRpc(req) ? rpcWriter : restWriter)(error, req, res);
  };
  const rpcBody = core.doors.json(writeError);
  const restBody = core.doors.json(writeError, { types: ['application/a2a+json', 'application/json'] });
  const enter = entrance(deps);

  return [
    core.doors.caller(writeError),
    (req, res, next) => {
      try {
        const name = agentParam === undefined ? undefined : (req.params[agentParam] as string);
        if (name !== undefined && !usableAgent(core, req.caller as Caller, name)) throw agentNotFound();
        if (isRpc(req) && req.method !== 'POST') {
          res.setHeader('Allow', 'POST');
          throw new AppError('method-not-allowed', 'JSON-RPC requests are POSTed.');
        }
      } catch (error) {
        writeError(error, req, res);
        return;
      }
      void (isRpc(req) ? rpcBody : restBody)(req, res, next);
    },
    (req, res) => {
      try {
        enter(req, res, agentParam === undefined ? undefined : (req.params[agentParam] as string), writeError);
      } catch (error) {
        writeError(error, req, res);
      }
    },
  ];
}

type Entrance = (req: Request, res: Response, pathAgent: string | undefined, writeError: ErrorWriter) => void;

/** Checks what the request says, builds its call, and hands it to the binding's adapter. Throws AppErrors. */
function entrance({ core, handler, hub }: RouteDeps): Entrance {
  const options = { requestHandler: handler, userBuilder, contextBuilder };
  const rpcAdapter = jsonRpcHandler(options);
  const restAdapter = restHandler(options);

  return (req, res, pathAgent, writeError) => {
    const version = versionOf(req);
    // The adapters speak 1.0 only, whoever asks, and compare the header literally.
    req.headers['a2a-version'] = PROTOCOL_VERSION;
    const legacy = version === LEGACY_VERSION;
    res.locals['legacy'] = legacy;
    const request = isRpc(req) ? readRpc(req, version) : readRest(req, res, version);
    const active = activeExtensions(requestedExtensions(req.headers, legacy), core.config.requiredExtensions);
    if (active.length > 0) res.setHeader(legacy ? LEGACY_EXTENSIONS_HEADER : EXTENSIONS_HEADER, active.join(', '));
    const target = findTarget(core, req.caller as Caller, request, pathAgent);
    const operation = readOperation(request.name, request.params, {
      maxPartBytes: core.config.maxPartBytes,
      accepts: (mediaType, skill) => acceptsInput(mediaType, skill, () => skillsOf(core, target)),
      urlProblem: (url) => core.net.urlProblem({ purpose: 'webhook', trusted: false }, url),
      pushNotifications: core.capabilities.has('push-notifications'),
      version,
    });
    if (isStreaming(operation.name) && !core.config.streaming) {
      throw new AppError('unsupported-operation', 'There are no streams here; poll the task, or register a webhook.');
    }
    const call = new Call(req, res, req.caller as Caller, target, operation, writeError);
    req.rawBody = undefined;
    if (request.notification) {
      void handler.notify(call, operation);
      res.status(204).end();
      return;
    }
    res.locals['call'] = call;
    res.json = answerJson;
    if (legacy) call.legacy = isRpc(req) ? LEGACY_RPC : LEGACY_REST;
    if (isStreaming(operation.name)) {
      call.sink = hub.wrap(res, call);
      // Before anything is created; given back when the response closes.
      call.sink.group = core.streams.take(call.caller.id, req.keyHash, call.sink);
    }
    if (isRpc(req)) {
      call.frame = [`data: {"jsonrpc":"2.0","id":${JSON.stringify(request.id ?? null)},"result":`, '}\n\n'];
      stubRpc(req, request.id ?? null, operation);
      handOver(rpcAdapter, call);
    } else {
      stubRest(req, operation);
      handOver(restAdapter, call);
    }
  };
}

function findTarget(
  core: RouteDeps['core'],
  caller: Caller,
  { name, tenant }: ReadRequest,
  pathAgent: string | undefined,
): CallTarget {
  if (pathAgent !== undefined && tenant !== undefined && tenant !== pathAgent) {
    throw invalid('tenant', 'differs from the agent in the address');
  }
  const agent = usableAgent(core, caller, pathAgent ?? tenant ?? caller.workspace);
  if (!agent) throw pathAgent === undefined ? agentMissing(name) : agentNotFound();
  return { agent, byPath: pathAgent !== undefined, ...(tenant !== undefined && { tenant }) };
}

/** The skills with what their owner's card says about their input. */
const skillsOf = ({ workspaces }: RouteDeps['core'], { agent }: CallTarget): readonly CardSource['skills'][number][] =>
  agent.kind === 'workspace' ? workspaces.card(agent.name).skills : agent.skills;

const userBuilder = (req: Request): Promise<Call> => Promise.resolve(req.res?.locals['call'] as Call);

const contextBuilder: ServerCallContextBuilder = ({ user, requestedVersion }) =>
  new ServerCallContext({ ...(user && { user }), ...(requestedVersion !== undefined && { requestedVersion }) });

/** Both interfaces: `/a2a` by key, for mounting there; and `/:name/a2a`, for mounting at `/agents`. */
export function bridgeRouters(deps: RouteDeps): { byKey: Router; byName: Router } {
  const byKey = Router();
  byKey.use(...interfaceRoutes(deps));
  const byName = Router();
  byName.use('/:name/a2a', ...interfaceRoutes(deps, 'name'));
  return { byKey, byName };
}
