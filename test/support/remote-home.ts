// The client of remote agents on a real guarded fetch, with the files of a temporary home and a clock that only the test
// moves.
import { afterEach } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomId } from '../../src/clock.js';
import { createGuardedFetch } from '../../src/net/guarded-fetch.js';
import { RemoteDirectory } from '../../src/remote/remote-directory.js';
import type { Peer } from '../../src/remote/remote-port.js';
import type { RemoteAgent } from '../../src/workspace/remote-agent-files.js';
import { RemoteAgentFiles } from '../../src/workspace/remote-agent-files.js';
import { TempWorkspaces } from './temp-workspaces.js';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Stops it after the test. */
export function closeAfter<T extends { stop(): unknown }>(thing: T): T {
  closing.push(() => thing.stop());
  return thing;
}

export class RemoteHome extends TempWorkspaces {
  readonly remotes: RemoteDirectory;

  constructor(enabled = true) {
    super('demo');
    const { home, workspaces, problems, secrets, clock, log } = this;
    const files = new RemoteAgentFiles({ home, workspaces, problems, secrets });
    const net = createGuardedFetch({ allowPrivate: [], clock });
    closing.push(() => net.close());
    const redact = (text: string): string => secrets.redact(text);
    const deps = { files, enabled, net, clock, newId: randomId, log, redact };
    this.remotes = closeAfter(new RemoteDirectory(deps));
  }

  /** Writes the workspace's agents.json. */
  agents(...agents: RemoteAgent[]): this {
    this.write('demo', 'agents.json', { v: 1, agents });
    return this;
  }

  /** Writes the home's list. */
  homeAgents(...agents: RemoteAgent[]): this {
    writeFileSync(join(this.home, 'switchboard.json'), JSON.stringify({ v: 1, agents }));
    return this;
  }

  /** Connects to the agent `peer` of the workspace, configured so. */
  connect(entry: Omit<RemoteAgent, 'name'>): Promise<Peer> {
    this.agents({ name: 'peer', ...entry });
    return this.remotes.connect('peer', 'demo');
  }
}
