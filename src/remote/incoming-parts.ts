// What comes from a remote agent, kept as everything here is: bytes in blobs, and links to the agent's own files fetched,
// since nobody further out has its key.
import type { Part } from '../a2a-model.js';
import { parseUrl } from '../net/parse-url.js';
import type { BlobStore } from '../workspace/blob-store.js';
import { RemoteError } from './remote-error.js';
import type { CallOptions, Peer, RemotePart } from './remote-port.js';

export interface KeepPorts {
  blobs: Pick<BlobStore, 'put'>;
  scope: string;
  /** Reaches the agent whose parts these are. */
  peer: Pick<Peer, 'download'>;
  /** The agent's configured address: links to the same origin are fetched, others stay links. */
  agentUrl: string;
  /** Bytes of one file. */
  maxBytes: number;
}

/** The parts as they are kept. A file that can't be had becomes a text that says so: nothing is lost in silence. */
export async function keepParts(
  parts: readonly RemotePart[],
  ports: KeepPorts,
  options: CallOptions = {},
): Promise<Part[]> {
  const kept: Part[] = [];
  for (const part of parts) kept.push(await keepPart(part, ports, options));
  return kept;
}

async function keepPart(
  part: RemotePart,
  { blobs, scope, peer, agentUrl, maxBytes }: KeepPorts,
  options: CallOptions,
): Promise<Part> {
  if ('bytes' in part) {
    const { bytes, ...attributes } = part;
    if (bytes.byteLength > maxBytes) return missing(part.filename, `it is larger than ${maxBytes} bytes`);
    return { ...attributes, ...blobs.put(scope, bytes) };
  }
  if (!('url' in part) || originOf(part.url) !== originOf(agentUrl)) return part;
  const { url, ...attributes } = part;
  try {
    const { bytes, ...found } = await peer.download(url, maxBytes, options);
    return { ...found, ...attributes, ...blobs.put(scope, bytes) };
  } catch (error) {
    // What the peer did is told; what this side could not do is no part of an answer.
    if (!(error instanceof RemoteError)) throw error;
    return missing(part.filename, error.message);
  }
}

const missing = (filename: string | undefined, why: string): Part => ({
  text: `[The file ${filename === undefined ? '' : `"${filename}" `}that the agent sent could not be taken over: ${why}.]`,
});

const originOf = (url: string): string | undefined => parseUrl(url)?.origin;
