// Where cards are read: the generic one, and one per agent; in the document of the version that is asked for, and
// protected where the owner wants.
import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { Config } from '../../../src/config.js';
import { AppError } from '../../../src/errors.js';
import type { AgentInfo } from '../../../src/executors/contract.js';
import type { ErrorWriter } from '../../../src/http/door.js';
import type { Core } from '../../../src/plugin.js';
import { agentNotFound, usableAgent } from './agent-access.js';
import { agentCard, type CardWords } from './card.js';
import { publicCard } from './card-of-agent.js';
import { LEGACY_VERSION, negotiateVersion, PROTOCOL_VERSION } from './protocol-version.js';
import { sendCard, type Visibility } from './send-card.js';
import { hybridCard, legacyCard } from './v0-3/legacy-card.js';
import type { WireCard } from '../../../src/a2a-v0-3/wire.js';

/** The file's name, and the one it had before 0.3. */
const CARDS = ['/agent-card.json', '/agent.json'];

type CardPorts = Pick<Core, 'capabilities' | 'config' | 'doors' | 'registry' | 'workspaces' | 'baseUrl'>;

/** For mounting at `/.well-known`. */
export function genericCardRoutes(core: CardPorts, writeError: ErrorWriter): Router {
  const router = Router();
  router.all(CARDS, core.doors.open(writeError), onlyGet(writeError), (req, res) => {
    const words: CardWords = {
      name: 'A2A Switchboard',
      description: 'One durable front door for the agents behind it; the key decides which of them answers.',
      ...core.config.card,
    };
    send(core, req, res, agentCard(core, words, `${core.baseUrl()}/a2a`), 'public');
  });
  return router;
}

/** For mounting at `/agents`. */
export function agentCardRoutes(core: CardPorts, writeError: ErrorWriter): Router {
  const router = Router();
  const door = core.doors.caller(writeError);
  router.all(
    CARDS.map((file) => `/:name/.well-known${file}`),
    core.doors.open(writeError),
    onlyGet(writeError),
    (req, res, next) => {
      const agent = core.registry.find(req.params['name'] as string, 'operator')?.agent;
      if (agent?.exposed && isPublic(core, agent)) send(core, req, res, publicCard(core, agent), 'public');
      // Whatever is not public, what does not exist included, is told behind the door only: names stay secret.
      else next();
    },
    door,
    (req, res) => {
      const agent = req.caller && usableAgent(core, req.caller, req.params['name'] as string);
      if (agent) send(core, req, res, publicCard(core, agent), 'private');
      else writeError(agentNotFound(), req, res);
    },
  );
  return router;
}

/** Remote agents are the business of those who may use them. */
const isPublic = ({ workspaces }: CardPorts, agent: AgentInfo): boolean =>
  agent.kind === 'plugin' || (agent.kind === 'workspace' && workspaces.settings(agent.name).publicCard);

function send({ config }: CardPorts, req: Request, res: Response, card: WireCard, visibility: Visibility): void {
  sendCard(req, res, cardDocument(card, askedVersion(req) ?? config.cardWithoutHeader), visibility, 'application/json');
}

/** The card as one version reads it, or as all do. */
export function cardDocument(card: WireCard, version: Config['cardWithoutHeader']): object {
  if (version === PROTOCOL_VERSION) return card;
  return version === LEGACY_VERSION ? legacyCard(card) : hybridCard(card);
}

/** Undefined also for a version that is not spoken here: the card is what tells its client which ones are. */
function askedVersion(req: Request): Config['cardWithoutHeader'] | undefined {
  const header = req.get('A2A-Version');
  const query = req.query['A2A-Version'];
  if (!header && !query) return undefined;
  try {
    return negotiateVersion(header, query);
  } catch {
    return undefined;
  }
}

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
