// A message as it goes out to a remote agent: files with their bytes, the hop chain, and nothing that is only meant for
// this side.
import type { Message, Metadata, Part } from '../a2a-model.js';
import type { Hop } from '../bus/topics.js';
import type { Prompt } from '../executors/contract.js';
import type { Hops } from '../hops.js';
import type { RemoteRef } from '../bus/parties.js';
import type { BlobStore } from '../workspace/blob-store.js';
import type { RemoteMessage, RemotePart, SendRequest } from './remote-port.js';

/** Where the hop chain travels, on the request and on the message, since peers read either. */
const CHAIN = 'switchboard.chain';

interface OutgoingPorts {
  hops: Pick<Hops, 'of'>;
  blobs: Pick<BlobStore, 'read'>;
}

/** The turn's message to the agent of its prompt. A file whose bytes are gone becomes a text that says so. */
export function outgoingMessage(
  prompt: Prompt,
  messageId: string,
  remote: RemoteRef | undefined,
  { hops, blobs }: OutgoingPorts,
): SendRequest {
  const { skill, caller } = prompt;
  const own: Metadata = { [CHAIN]: chainOf(prompt, hops), ...(skill !== undefined && { skill }) };
  const message = { ...wordsOf(prompt), messageId };
  return { message: outgoing(message, own, remote, (blob) => blobs.read(caller.scope, blob)), metadata: own };
}

/** A further message to a task that is open at the agent. */
export const furtherMessage = (
  message: Message,
  remote: RemoteRef,
  scope: string,
  blobs: Pick<BlobStore, 'read'>,
): SendRequest => ({ message: outgoing(message, {}, remote, (blob) => blobs.read(scope, blob)) });

/** Where the work is now, with what is known of it when it is still the same remote task. */
export const continued = (before: RemoteRef | undefined, now: RemoteRef): RemoteRef =>
  before?.taskId === now.taskId ? { ...before, ...now } : now;

function outgoing(
  message: Message,
  own: Metadata,
  remote: RemoteRef | undefined,
  read: (blob: string) => Uint8Array | undefined,
): RemoteMessage {
  const { messageId, parts, metadata, extensions } = message;
  return {
    messageId,
    role: 'ROLE_USER',
    parts: parts.map((part) => withBytes(part, read)),
    metadata: { ...metadata, ...own },
    ...(remote?.taskId !== undefined && { taskId: remote.taskId }),
    ...(remote?.contextId !== undefined && { contextId: remote.contextId }),
    ...(extensions && { extensions }),
  };
}

function withBytes(part: Part, read: (blob: string) => Uint8Array | undefined): RemotePart {
  if (!('blob' in part)) return part;
  const { blob, size: _size, ...attributes } = part;
  const bytes = read(blob);
  return bytes ? { ...attributes, bytes } : { text: `[The bytes of ${part.filename ?? 'a file'} are missing here.]` };
}

/** One mark for each crossing of this switchboard: an agent here that passes its prompt on has left its own already. */
function chainOf({ chain, agent }: Prompt, hops: Pick<Hops, 'of'>): Hop[] {
  const mark = hops.of(agent);
  return chain.at(-1)?.switchboard === mark.switchboard ? chain : [...chain, mark];
}

/** The operator's decision has no message of its own. */
function wordsOf({ message, turn, answers }: Prompt): Message {
  const last = turn > 1 ? answers.at(-1) : undefined;
  return last?.from === 'operator' ? { ...message, parts: [{ text: last.answer }] } : message;
}
