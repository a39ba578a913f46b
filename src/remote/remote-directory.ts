// The agents elsewhere that the files name, as of now: who they are, what is known of them, and how they are reached.
import type { RemoteAgent, RemoteAgentFiles } from '../workspace/remote-agent-files.js';
import { PeerSession, type SessionDeps } from './peer-session.js';
import { RemoteError } from './remote-error.js';
import { RemotePeer } from './remote-peer.js';
import type { CallOptions, Peer, RemoteAgents, RemoteAgentView } from './remote-port.js';

interface RemoteDirectoryDeps extends SessionDeps {
  files: RemoteAgentFiles;
  /** False: nothing goes out. */
  enabled: boolean;
}

interface Entry {
  agent: RemoteAgent;
  listed: RemoteAgentView['listed'];
}

const OPERATOR = 'operator';
/** How often all agents are looked at in the background; whether that asks them, HTTP caching decides. */
const LOOK_MS = 300_000;

export class RemoteDirectory implements RemoteAgents {
  /** By their whole entry, so that an edit begins anew. */
  private readonly sessions = new Map<string, PeerSession>();
  private stopLooking: () => void = () => undefined;
  private stopped = false;

  constructor(private readonly deps: RemoteDirectoryDeps) {}

  /** Looks at all agents now and then, so that what they offer and whether they are there is known before it matters. */
  start(): void {
    if (!this.deps.enabled || this.stopped) return;
    const scopes = this.deps.files.scopes();
    void Promise.all(scopes.map((scope) => this.probe(scope))).then(() => {
      if (!this.stopped) this.stopLooking = this.deps.clock.after(LOOK_MS, () => this.start());
    });
  }

  stop(): void {
    this.stopped = true;
    this.stopLooking();
    for (const session of this.sessions.values()) session.close();
    this.sessions.clear();
  }

  find(name: string, scope: string): RemoteAgentView | undefined {
    const entry = this.entry(name, scope);
    return entry && this.view(entry);
  }

  list(scope: string): RemoteAgentView[] {
    return this.entries(scope).map((entry) => this.view(entry));
  }

  all(): (RemoteAgentView & { scope: string })[] {
    const { files } = this.deps;
    return files.scopes().flatMap((scope) => {
      const listed = scope === OPERATOR ? 'home' : 'workspace';
      return files.of(scope).agents.map((agent) => ({ ...this.view({ agent, listed }), scope }));
    });
  }

  unreadable(scope: string): string | undefined {
    const { files } = this.deps;
    const found = [...new Set([scope, OPERATOR])].map((one) => files.of(one).unreadable);
    return found.find((one) => one !== undefined);
  }

  async probe(scope: string, options: CallOptions = {}): Promise<RemoteAgentView[]> {
    const entries = this.entries(scope);
    // What is found, good or bad, is in the view.
    if (this.deps.enabled) {
      await Promise.all(
        entries.map(({ agent }) =>
          this.session(agent)
            .currentCard(options, true)
            .catch(() => undefined),
        ),
      );
    }
    return entries.map((entry) => this.view(entry));
  }

  async connect(name: string, scope: string, options: CallOptions = {}): Promise<Peer> {
    if (!this.deps.enabled) {
      throw new RemoteError('unsupported', 'Calls to agents elsewhere are switched off here.', false);
    }
    const entry = this.entry(name, scope);
    if (!entry) throw this.unknown(name, scope);
    const session = this.session(entry.agent);
    return new RemotePeer(session, await session.currentCard(options));
  }

  callbackUrl(name: string, scope: string): string | undefined {
    return this.entry(name, scope)?.agent.callbackUrl;
  }

  /** The scope's own agents, then those of the home. */
  private entries(scope: string): Entry[] {
    const of = (list: string, listed: RemoteAgentView['listed']): Entry[] =>
      this.deps.files.of(list).agents.map((agent) => ({ agent, listed }));
    return [...(scope === OPERATOR ? [] : of(scope, 'workspace')), ...of(OPERATOR, 'home')];
  }

  private entry(name: string, scope: string): Entry | undefined {
    return this.entries(scope).find(({ agent }) => agent.name === name);
  }

  private view({ agent, listed }: Entry): RemoteAgentView {
    const session = this.sessions.get(JSON.stringify(agent));
    const card = session?.card;
    const description = agent.description ?? card?.description;
    const unique = (values: string[]): string[] => [...new Set(values)];
    return {
      name: agent.name,
      listed,
      url: shownUrl(agent.url),
      ...(description !== undefined && { description }),
      skills: card?.skills ?? [],
      ...(session?.state ?? { reachable: 'unknown' }),
      ...(card && {
        protocols: unique(card.interfaces.map(({ protocol }) => protocol)),
        bindings: unique(card.interfaces.map(({ binding }) => binding)),
      }),
    };
  }

  private session(agent: RemoteAgent): PeerSession {
    const id = JSON.stringify(agent);
    const known = this.sessions.get(id);
    if (known) return known;
    this.forgetEdited();
    const session = new PeerSession(agent, this.deps);
    this.sessions.set(id, session);
    return session;
  }

  /** Drops what belongs to entries that are no more. */
  private forgetEdited(): void {
    const { files } = this.deps;
    const current = new Set(
      files.scopes().flatMap((scope) => files.of(scope).agents.map((one) => JSON.stringify(one))),
    );
    for (const [id, session] of this.sessions) {
      if (current.has(id)) continue;
      session.close();
      this.sessions.delete(id);
    }
  }

  private unknown(name: string, scope: string): RemoteError {
    const unreadable = this.unreadable(scope);
    if (unreadable !== undefined) return new RemoteError('unreadable-config', `${unreadable}.`, false);
    const names = [...new Set(this.entries(scope).map(({ agent }) => agent.name))];
    const others = names.length === 0 ? 'none is configured' : `configured are ${names.join(', ')}`;
    return new RemoteError(
      'unknown-agent',
      `There is no agent ${JSON.stringify(name.slice(0, 60))}; ${others}.`,
      false,
    );
  }
}

function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
