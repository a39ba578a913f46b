// What the agent sent, kept as it came: each file is fetched once for a watch, however often a snapshot names it.
import type { Artifact, Part } from '../../../src/a2a-model.js';
import type { Prompt } from '../../../src/executors/contract.js';
import type { Core } from '../../../src/plugin.js';
import { keepParts } from '../../../src/remote/incoming-parts.js';
import { RemoteError } from '../../../src/remote/remote-error.js';
import type { Peer, RemotePart } from '../../../src/remote/remote-port.js';

/** A file that could not be had so often is not asked for again. */
const TRIES = 3;
/** Bytes of all files of one task together. */
export const MOST_FILE_BYTES = 1024 * 1024 * 1024;
/** All its downloads together may take so long: the task must not wait for them for ever. */
const MOST_MS = 3_600_000;

export class KeptParts {
  private readonly fetched = new Map<string, Part>();
  private readonly failures = new Map<string, number>();
  /** Sizes by blob. */
  private readonly files = new Map<string, number>();
  private spentMs = 0;

  /** `shown`: what the task has already. */
  constructor(
    shown: readonly Artifact[],
    private readonly prompt: Prompt,
    private readonly core: Pick<Core, 'blobs' | 'remotes' | 'config' | 'clock'>,
    private readonly signal: AbortSignal,
  ) {
    for (const { parts } of shown) for (const part of parts) this.count(part);
  }

  async keep(parts: readonly RemotePart[]): Promise<Part[]> {
    const kept: Part[] = [];
    for (const part of parts) kept.push('url' in part ? await this.linked(part) : ((await this.store(part)) as Part));
    return kept;
  }

  private async linked(part: Extract<RemotePart, { url: string }>): Promise<Part> {
    const { url, ...attributes } = part;
    const known = this.fetched.get(url);
    if (known) return { ...known, ...attributes };
    const kept = await this.store(part);
    const tries = (this.failures.get(url) ?? 0) + 1;
    this.failures.set(url, tries);
    if (!('text' in kept) || tries >= TRIES) this.fetched.set(url, kept);
    return kept;
  }

  private async store(part: RemotePart): Promise<Part> {
    const { blobs, remotes, config, clock } = this.core;
    const { agent, caller, lookIn } = this.prompt;
    const from = lookIn ?? caller.scope;
    const { signal } = this;
    const download: Peer['download'] = async (url, maxBytes) => {
      if (this.spentMs >= MOST_MS) throw new RemoteError('timeout', `the files of ${agent} took too long`, false);
      const begun = clock.now();
      try {
        return await (await remotes.connect(agent, from, { signal })).download(url, maxBytes, { signal });
      } finally {
        this.spentMs += clock.now() - begun;
      }
    };
    const agentUrl = remotes.find(agent, from)?.url ?? '';
    const left = MOST_FILE_BYTES - [...this.files.values()].reduce((sum, size) => sum + size, 0);
    const maxBytes = Math.max(0, Math.min(config.maxReceivedBytes, left));
    const [kept] = await keepParts([part], { blobs, scope: caller.scope, peer: { download }, agentUrl, maxBytes });
    this.count(kept as Part);
    return kept as Part;
  }

  private count(part: Part): void {
    if ('blob' in part) this.files.set(part.blob, part.size);
  }
}
