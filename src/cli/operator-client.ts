// The operator API as the command line calls it. Refusals come back as AppErrors, silence as Unreachable.
import { AppError, ERROR_CODES, errorText, type ErrorCode, type ErrorDetails } from '../errors.js';
import type { CallersAnswer, MintedKey, MintedWebhookSecret, NewCallersKey, RemovedKeys } from '../caller-wire.js';
import type {
  AgentsAnswer,
  ChatRequest,
  InputAnswer,
  PluginsAnswer,
  TasksAnswer,
  TaskView,
  WatchesAnswer,
} from '../operator-wire.js';
import type { PushesAnswer, PushView, Redriven } from '../push-wire.js';
import { Unreachable } from './exit-codes.js';

export interface Readiness {
  status: string;
  ledger?: string;
  problems?: { workspace: string; file: string; problem: string }[];
  plugins?: PluginsAnswer['plugins'];
  remoteAgents?: RemoteState[];
}

/** How an agent elsewhere was reached last. */
export interface RemoteState {
  name: string;
  /** Whose agents.json names it; the home's list when absent. */
  workspace?: string;
  reachable: 'yes' | 'no' | 'unknown';
  problem?: string;
  lastSeen?: string;
  leftAloneUntil?: string;
}

export class OperatorClient {
  constructor(
    readonly url: string,
    private readonly key: string,
  ) {}

  chat = (request: ChatRequest): Promise<TaskView> => this.call('POST', '/api/a2a/chat', request);
  delegate = (request: ChatRequest): Promise<TaskView> => this.call('POST', '/api/a2a/delegate', request);
  input = (answer: InputAnswer): Promise<TaskView> => this.call('POST', '/api/a2a/input', answer);
  task = (cid: string, waitSeconds = 0): Promise<TaskView> =>
    this.call('GET', `/api/a2a/task/${encodeURIComponent(cid)}?wait=${waitSeconds}`);
  cancel = (cid: string, reason?: string): Promise<TaskView> =>
    this.call('POST', `/api/a2a/task/${encodeURIComponent(cid)}/cancel`, { reason });
  tasks = (query: Record<string, string | undefined>): Promise<TasksAnswer> =>
    this.call('GET', `/api/a2a/tasks${search(query)}`);
  pushes = (query: Record<string, string | undefined>): Promise<PushesAnswer> =>
    this.call('GET', `/api/a2a/pushes${search(query)}`);
  push = (taskId: string, configId: string): Promise<PushView> => this.call('GET', pushPath(taskId, configId));
  redrive = (taskId: string, configId: string, seq?: number): Promise<Redriven> =>
    this.call('POST', `${pushPath(taskId, configId)}/redrive`, { seq });
  redriveSince = (since: string): Promise<Redriven> => this.call('POST', '/api/a2a/pushes/redrive', { since });
  switchPush = (taskId: string, configId: string, to: 'disable' | 'enable'): Promise<PushView> =>
    this.call('POST', `${pushPath(taskId, configId)}/${to}`, {});
  agents = (query: Record<string, string | undefined> = {}): Promise<AgentsAnswer> =>
    this.call('GET', `/api/a2a/agents${search(query)}`);
  testAgent = (name: string, test: object): Promise<TaskView> =>
    this.call('POST', `/api/a2a/agents/${encodeURIComponent(name)}/test`, test);
  watches = (query: Record<string, string | undefined>): Promise<WatchesAnswer> =>
    this.call('GET', `/api/a2a/watches${search(query)}`);
  callers = (workspace?: string): Promise<CallersAnswer> =>
    this.call('GET', `/api/a2a/callers${search({ workspace })}`);
  addCaller = (caller: object): Promise<NewCallersKey> => this.call('POST', '/api/a2a/callers', caller);
  addKey = (id: string, key: object): Promise<MintedKey> => this.call('POST', `${callerPath(id)}/keys`, key);
  removeKeys = (id: string, which: { id?: string; hint?: string } = {}): Promise<RemovedKeys> =>
    this.call('DELETE', `${callerPath(id)}/keys${search(which)}`);
  newWebhookSecret = (id: string): Promise<MintedWebhookSecret> =>
    this.call('POST', `${callerPath(id)}/webhook-secret`, {});
  removeWebhookSecret = (id: string): Promise<unknown> => this.call('DELETE', `${callerPath(id)}/webhook-secret`);
  removeCaller = (id: string): Promise<unknown> => this.call('DELETE', callerPath(id));
  plugins = (): Promise<PluginsAnswer> => this.call('GET', '/api/a2a/plugins');
  /** Readiness with details; also when the server is not ready. */
  ready = (): Promise<Readiness> => this.call('GET', '/readyz');

  private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    let response: Response;
    let answer: unknown;
    try {
      response = await fetch(`${this.url}${path}`, {
        method,
        headers: { 'X-API-Key': this.key, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      answer = await response.json();
    } catch (error) {
      const reason = error instanceof SyntaxError ? 'what answers there is no switchboard' : causeOf(error);
      throw new Unreachable(`No switchboard answers at ${this.url} (${reason}).`, { cause: error });
    }
    // A failed or refused task is an answer, whatever its status; so is "not ready".
    const isAnswer = typeof answer === 'object' && answer !== null && ('taskState' in answer || 'status' in answer);
    if (response.ok || isAnswer) return answer as T;
    throw refusal(response.status, answer);
  }
}

/** Whatever a name holds stays within its segment: `demo/bob#x` is not demo/bob. */
const callerPath = (id: string): string => `/api/a2a/callers/${id.split('/').map(encodeURIComponent).join('/')}`;

const pushPath = (taskId: string, configId: string): string =>
  `/api/a2a/pushes/${encodeURIComponent(taskId)}/${encodeURIComponent(configId)}`;

function refusal(status: number, answer: unknown): AppError {
  const error = (answer as { error?: { code?: string; message?: string } & ErrorDetails } | null)?.error;
  const { code, message, ...details } = error ?? {};
  const known = ERROR_CODES.find((name): name is ErrorCode => name === code);
  return new AppError(known ?? 'internal', message ?? `The server answered with status ${status}.`, details);
}

/** fetch wraps what really happened. */
const causeOf = (error: unknown): string => {
  const cause = (error as { cause?: unknown }).cause;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? errorText(cause ?? error);
};

function search(query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
