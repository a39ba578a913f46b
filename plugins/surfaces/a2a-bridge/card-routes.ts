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
import { grpcPlace, publicCard, type CardPorts } from './card-of-agent.js';
import { LEGACY_VERSION, negotiateVersion, PROTOCOL_VERSION } from './protocol-version.js';
import { sendCard, type Visibility } from './send-card.js';
import type { CardSigner } from './signing/sign-card.js';
import { hybridCard, legacyCard } from './v0-3/legacy-card.js';
import type { WireCard } from '../../../src/a2a-v0-3/wire.js';

/** The file's name, and the one it had before 0.3. */
const CARDS = ['/agent-card.json', '/agent.json'];

type RoutePorts = CardPorts & Pick<Core, 'doors' | 'registry'>;

/** For mounting at `/.well-known`. */
export function genericCardRoutes(core: RoutePorts, writeError: ErrorWriter): Router {
  const router = Router();
  router.all(CARDS, core.doors.open(writeError), onlyGet(writeError), (req, res) => {
    const words: CardWords = {
      name: 'A2A Switchboard',
      description: 'One durable front door for the agents behind it; the key decides which of them answers.',
      ...core.config.card,
    };
    send(core, req, res, agentCard(core, words, { url: `${core.baseUrl()}/a2a`, ...grpcPlace(core) }), 'public');
  });
  router.all('/jwks.json', core.doors.open(writeError), onlyGet(writeError), (req, res, next) => {
    if (core.signer.signs) sendCard(req, res, core.signer.jwks, 'public', 'application/jwk-set+json');
    else next();
  });
  return router;
}

/** For mounting at `/agents`. */
export function agentCardRoutes(core: RoutePorts, writeError: ErrorWriter): Router {
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

function send(
  { config, signer }: CardPorts,
  req: Request,
  res: Response,
  card: WireCard,
  visibility: Visibility,
): void {
  sendCard(
    req,
    res,
    cardDocument(card, askedVersion(req) ?? config.cardWithoutHeader, signer),
    visibility,
    'application/json',
  );
}

/** The card as one version reads it, or as all do; then the signatures are those of 1.0. */
function cardDocument(
  card: WireCard,
  version: Config['cardWithoutHeader'],
  signer: Pick<CardSigner, 'signed'>,
): object {
  if (version === LEGACY_VERSION) return signer.signed(legacyCard(card));
  const signed = signer.signed(card);
  return version === PROTOCOL_VERSION ? signed : hybridCard(signed);
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
