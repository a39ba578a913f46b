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
import type { Caller } from '../../../src/workspace/callers.js';
import { agentNotFound, usableAgent } from './agent-access.js';
import { answerJson, endWithEmpty, handOver, stubRest, stubRpc } from './adapter-stubs.js';
import { checkedCall, extensionsFor } from './checked-call.js';
import { EXTENSIONS_HEADER, LEGACY_EXTENSIONS_HEADER } from './extensions.js';
import { HttpCall } from './http-call.js';
import { isStreaming } from './operation.js';
import type { Operations } from './operations.js';
import { LEGACY_VERSION, PROTOCOL_VERSION } from './protocol-version.js';
import { asksLegacy, readRest, readRpc, versionOf } from './read-request.js';
import { BridgeRequestHandler } from './request-handler.js';
import type { CardSigner } from './signing/sign-card.js';
import { LEGACY_REST, LEGACY_RPC } from './v0-3/legacy-shape.js';

interface RouteDeps {
  core: Pick<Core, 'capabilities' | 'config' | 'doors' | 'net' | 'registry' | 'streams' | 'workspaces'>;
  operations: Operations;
  signer: CardSigner;
  hub: SseHub;
  writers: ErrorWriters;
}

const STREAMING_PATH = /:(stream|subscribe)$/;
const isRpc = (req: Request): boolean => req.path === '/';

/**
 * The routes of one interface URL, relative to it: JSON-RPC at the URL itself, REST below. `agentParam` is the path
 * parameter that names the agent; without one the key's workspace answers.
 */
function interfaceRoutes(deps: RouteDeps, agentParam?: string): RequestHandler[] {
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
        // Nobody's body is read for a stream that has no room.
        if (STREAMING_PATH.test(req.path)) core.streams.mustHaveRoom((req.caller as Caller).id);
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
function entrance({ core, operations, signer, hub }: RouteDeps): Entrance {
  const handler = new BridgeRequestHandler(operations);
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
    const asked = {
      caller: req.caller as Caller,
      version,
      headers: req.headers,
      ...(pathAgent !== undefined && { pathAgent }),
    };
    const active = extensionsFor(core, asked);
    if (active.length > 0) res.setHeader(legacy ? LEGACY_EXTENSIONS_HEADER : EXTENSIONS_HEADER, active.join(', '));
    const { target, operation } = checkedCall(core, asked, request);
    const call = new HttpCall(req, res, asked.caller, target, operation, writeError);
    req.rawBody = undefined;
    if (request.notification) {
      void operations.notify(call, operation);
      res.status(204).end();
      return;
    }
    res.locals['call'] = call;
    res.json = answerJson;
    if (legacy) {
      call.legacy = isRpc(req) ? LEGACY_RPC : LEGACY_REST;
      call.sign = (document) => signer.signed(document);
    }
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
      if (operation.name === 'DeleteTaskPushNotificationConfig' && !legacy) res.end = endWithEmpty as Response['end'];
      stubRest(req, operation);
      handOver(restAdapter, call);
    }
  };
}

const userBuilder = (req: Request): Promise<HttpCall> => Promise.resolve(req.res?.locals['call'] as HttpCall);

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
