// Where cards are read: the generic one, and one per agent; conditional, cacheable, and protected where the owner wants.
import { createHash } from 'node:crypto';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../../../src/errors.js';
import type { AgentInfo } from '../../../src/executors/contract.js';
import type { ErrorWriter } from '../../../src/http/door.js';
import type { Core } from '../../../src/plugin.js';
import { agentNotFound, usableAgent } from './agent-access.js';
import { agentCard, type CardWords } from './card.js';

/** Seconds. Short: an owner's edit should be seen soon. */
const MAX_AGE = 60;
const CARD = '/agent-card.json';

export type CardPorts = Pick<Core, 'capabilities' | 'config' | 'doors' | 'registry' | 'workspaces' | 'baseUrl'>;

/** For mounting at `/.well-known`. */
export function genericCardRoutes(core: CardPorts, writeError: ErrorWriter): Router {
  const router = Router();
  router.all(CARD, onlyGet(writeError), (req, res) => {
    const words: CardWords = {
      name: 'A2A Switchboard',
      description: 'One durable front door for the agents behind it; the key decides which of them answers.',
      ...core.config.card,
    };
    sendCard(req, res, agentCard(words, `${core.baseUrl()}/a2a`, core.capabilities), 'public');
  });
  return router;
}

/** For mounting at `/agents`. */
export function agentCardRoutes(core: CardPorts, writeError: ErrorWriter): Router {
  const router = Router();
  const door = core.doors.caller(writeError);
  const send = (req: Request, res: Response, agent: AgentInfo, visibility: 'public' | 'private'): void => {
    const url = `${core.baseUrl()}/agents/${agent.name}/a2a`;
    sendCard(req, res, agentCard(wordsOf(core, agent), url, core.capabilities), visibility);
  };
  router.all(
    `/:name/.well-known${CARD}`,
    onlyGet(writeError),
    (req, res, next) => {
      const name = req.params['name'] as string;
      const agent = core.registry.find(name, 'operator')?.agent;
      if (agent?.exposed && isPublic(core, agent)) send(req, res, agent, 'public');
      // Whatever is not public, what does not exist included, is told behind the door only: names stay secret.
      else next();
    },
    door,
    (req, res) => {
      const agent = req.caller && usableAgent(core, req.caller, req.params['name'] as string);
      if (agent) send(req, res, agent, 'private');
      else writeError(agentNotFound(), req, res);
    },
  );
  return router;
}

/** Remote agents are the business of those who may use them. */
const isPublic = ({ workspaces }: CardPorts, agent: AgentInfo): boolean =>
  agent.kind === 'plugin' || (agent.kind === 'workspace' && workspaces.settings(agent.name).publicCard);

function wordsOf({ workspaces }: CardPorts, agent: AgentInfo): CardWords {
  if (agent.kind === 'workspace') return workspaces.card(agent.name);
  return { name: agent.name, description: agent.description ?? '', skills: agent.skills };
}

function sendCard(req: Request, res: Response, card: Record<string, unknown>, visibility: 'public' | 'private'): void {
  const body = JSON.stringify(card);
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
  res.setHeader('ETag', etag);
  res.setHeader('Cache-Control', `${visibility}, max-age=${MAX_AGE}`);
  res.append('Vary', visibility === 'public' ? 'A2A-Version' : 'A2A-Version, Authorization, X-API-Key');
  if (isKnown(etag, req.headers['if-none-match'])) {
    res.status(304).end();
    return;
  }
  res.setHeader('Content-Type', 'application/json');
  res.end(body);
}

/** Whether If-None-Match, a list, names this version. Unlike express, `Cache-Control: no-cache` beside it is no matter. */
const isKnown = (etag: string, header: string | undefined): boolean =>
  header !== undefined && header.split(',').some((entry) => ['*', etag].includes(entry.trim().replace(/^W\//, '')));

function onlyGet(writeError: ErrorWriter): RequestHandler {
  return (req, res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD') {
      next();
      return;
    }
    res.setHeader('Allow', 'GET, HEAD');
    writeError(new AppError('method-not-allowed', 'A card can only be read.'), req, res);
  };
}
