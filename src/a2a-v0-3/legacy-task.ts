// A task as the two bindings of 0.3 wrote it, made of its 1.0 JSON: with a `kind` over JSON-RPC and in webhooks, as
// ProtoJSON of the old schema over REST. Pure.
import { shortState, type TaskState } from '../a2a-model.js';
import { legacyRestPart, legacyRpcPart } from './legacy-part.js';
import type { Json, WireArtifact, WireMessage, WirePart, WireStatus, WireTask } from './wire.js';

/** How the two bindings differ. */
export interface Spelling {
  kind(kind: string): Json;
  /** A message's parts under their name. */
  parts(parts: readonly WirePart[]): Json;
  part(part: WirePart): Json;
  role(role: WireMessage['role']): string;
  state(state: TaskState): string;
}

export const RPC: Spelling = {
  kind: (kind) => ({ kind }),
  parts: (parts) => ({ parts: parts.map(legacyRpcPart) }),
  part: legacyRpcPart,
  role: (role) => (role === 'ROLE_USER' ? 'user' : 'agent'),
  state: shortState,
};
export const REST: Spelling = {
  kind: () => ({}),
  parts: (parts) => ({ content: parts.map(legacyRestPart) }),
  part: legacyRestPart,
  role: (role) => role,
  // The old schema spelt it with two Ls.
  state: (state) => (state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state),
};

export function writeMessage(spelling: Spelling, { role, parts, ...rest }: WireMessage): Json {
  return { ...spelling.kind('message'), ...rest, role: spelling.role(role), ...spelling.parts(parts) };
}

export function writeStatus(spelling: Spelling, { state, message, timestamp }: WireStatus): Json {
  return {
    state: spelling.state(state as TaskState),
    ...(message && { message: writeMessage(spelling, message) }),
    ...(timestamp !== undefined && { timestamp }),
  };
}

export const writeArtifact = (spelling: Spelling, { parts, ...rest }: WireArtifact): Json => ({
  ...rest,
  parts: parts.map(spelling.part),
});

export function writeTask(spelling: Spelling, { status, artifacts, history, ...rest }: WireTask): Json {
  return {
    ...spelling.kind('task'),
    ...rest,
    status: writeStatus(spelling, status),
    ...(artifacts && { artifacts: artifacts.map((artifact) => writeArtifact(spelling, artifact)) }),
    ...(history && { history: history.map((message) => writeMessage(spelling, message)) }),
  };
}
