// The two HTTP bindings of 0.3 behind one face.
import { frames, type Answer, type BridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import type { Any } from './binding.js';

/** 0.3 clients say no version. */
export const OLD = { 'A2A-Version': '' };

export interface Legacy {
  readonly name: 'JSON-RPC' | 'HTTP+JSON';
  readonly isRpc: boolean;
  send(parts: Any[], more?: object, configuration?: object): Promise<Answer>;
  /** A whole stream of one text; each event has its kind, also where the binding says it otherwise. */
  stream(text: string, more?: object): Promise<Any[]>;
  get(id: string, historyLength?: number): Promise<Answer>;
  cancel(id: string): Promise<Answer>;
  resubscribe(id: string): Promise<Any[]>;
  card(): Promise<Answer>;
  /** The task of an answer to a send. */
  task(answer: Answer): Any;
  text(text: string): Any;
  code(answer: Answer): number | undefined;
  state(state: string): string;
}

let messages = 0;
export const legacyMessageId = (): string => `l-${++messages}`;
const eventsOf = ({ text }: Answer): Any[] => frames(text).map(({ event }) => event as Any);

export function overRpc(server: BridgeServer): Legacy {
  const call = (method: string, params?: object): Promise<Answer> => server.rpc(method, params, { headers: OLD });
  const message = (parts: Any[], more: object): object => ({
    kind: 'message',
    messageId: legacyMessageId(),
    role: 'user',
    parts,
    ...more,
  });
  const results = (answer: Answer): Any[] => eventsOf(answer).map(({ result }) => result);
  return {
    name: 'JSON-RPC',
    isRpc: true,
    text: (text) => ({ kind: 'text', text }),
    send: (parts, more = {}, configuration) => call('message/send', { message: message(parts, more), configuration }),
    stream: async (text, more = {}) =>
      results(await call('message/stream', { message: message([{ kind: 'text', text }], more) })),
    get: (id, historyLength) => call('tasks/get', { id, historyLength }),
    cancel: (id) => call('tasks/cancel', { id }),
    resubscribe: async (id) => results(await call('tasks/resubscribe', { id })),
    card: () => call('agent/getAuthenticatedExtendedCard'),
    task: ({ json }) => json.result,
    code: ({ json }) => json.error?.code,
    state: (state) => state,
  };
}

const STATES: Readonly<Record<string, string>> = {
  canceled: 'CANCELLED',
  'input-required': 'INPUT_REQUIRED',
  completed: 'COMPLETED',
  failed: 'FAILED',
  'auth-required': 'AUTH_REQUIRED',
};
const KINDS: Readonly<Record<string, string>> = {
  task: 'task',
  statusUpdate: 'status-update',
  artifactUpdate: 'artifact-update',
};

function withKind(event: Any): Any {
  const [[member, value]] = Object.entries<Any>(event) as [[string, Any]];
  return { kind: KINDS[member], ...value };
}

export function overRest(server: BridgeServer): Legacy {
  const call = (method: string, path: string, body?: object): Promise<Answer> =>
    server.send(method, `/a2a/v1${path}`, { headers: OLD, ...(body && { body }) });
  const message = (content: Any[], more: object): object => ({
    messageId: legacyMessageId(),
    role: 'ROLE_USER',
    content,
    ...more,
  });
  const results = (answer: Answer): Any[] => eventsOf(answer).map(withKind);
  return {
    name: 'HTTP+JSON',
    isRpc: false,
    text: (text) => ({ text }),
    send: (content, more = {}, configuration) =>
      call('POST', '/message:send', { message: message(content, more), configuration }),
    stream: async (text, more = {}) =>
      results(await call('POST', '/message:stream', { message: message([{ text }], more) })),
    get: (id, historyLength) =>
      call('GET', `/tasks/${id}${historyLength === undefined ? '' : `?historyLength=${historyLength}`}`),
    cancel: (id) => call('POST', `/tasks/${id}:cancel`),
    resubscribe: async (id) => results(await call('GET', `/tasks/${id}:subscribe`)),
    card: () => call('GET', '/card'),
    task: ({ json }) => json.task,
    code: ({ json }) => json.code,
    state: (state) => `TASK_STATE_${STATES[state]}`,
  };
}
