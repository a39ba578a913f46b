// Whether an answer is one that a client of that binding can live with. Says what is wrong, or nothing.
import type { RawAnswer, RawRequest } from './raw-request.js';

type Binding = 'json-rpc' | 'rest' | 'operator';

/** The binding of an address, where that is beyond doubt. */
export function bindingOf(path: string): Binding | undefined {
  const plain = path.split(/[?#]/, 1)[0] ?? '';
  if (!/^[\w/:.-]*$/.test(plain) || plain.includes('//') || plain.includes('/.')) return undefined;
  if (/^\/(a2a|agents\/[^/]+\/a2a)$/.test(plain)) return 'json-rpc';
  if (/^\/(a2a|agents\/[^/]+\/a2a)\/./.test(plain)) return 'rest';
  return plain.startsWith('/api/') ? 'operator' : undefined;
}

export function verdict(request: RawRequest, answer: RawAnswer): string | undefined {
  const { status, type, text } = answer;
  if (status >= 500) return `status ${status}`;
  if (['HEAD', 'OPTIONS'].includes(request.method) || status === 204 || status === 304) return undefined;
  if (type.startsWith('text/event-stream')) return streamVerdict(request, text);
  if (!/^application\/(a2a\+|openapi\+)?json/.test(type)) return `content type ${JSON.stringify(type)}`;
  const value = parse(text);
  if (typeof value !== 'object' || value === null) return 'the body is no JSON object';
  // Headers that are too large are refused before anybody knows the address.
  const binding = status === 431 ? undefined : bindingOf(request.path);
  if (binding === 'rest' && status >= 400 && asksLegacy(request))
    return legacyVerdict(value as Record<string, unknown>);
  return shapeVerdict(value as Record<string, unknown>, status, binding);
}

function shapeVerdict(body: Record<string, unknown>, status: number, binding: Binding | undefined): string | undefined {
  if (binding === 'json-rpc') return rpcVerdict(body);
  if (status < 400) return 'error' in body && binding === 'rest' ? 'an error with a good status' : undefined;
  const error = body['error'] as Record<string, unknown> | undefined;
  // A task that failed is the operator's answer with 502 or 429, and shows the task.
  if (typeof error !== 'object' || error === null) return binding === undefined ? undefined : 'no error object';
  if (typeof error['message'] !== 'string' || error['message'] === '') return 'an error without a message';
  if (binding === 'rest') {
    if (error['code'] !== status) return `code ${String(error['code'])} with status ${status}`;
    if (typeof error['status'] !== 'string') return 'no google.rpc status';
  }
  if (binding === 'operator' && typeof error['code'] !== 'string') return 'no code';
  return leaks(error['message']);
}

/** Without a version in header or query the version is 0.3. */
const asksLegacy = ({ headers, path }: RawRequest): boolean =>
  /^\s*(?:0\.3(?:\.\d{1,9})?)?\s*$/.test(headers['A2A-Version'] ?? '') && !/[?&]a2a-version=/i.test(path);

function legacyVerdict({ code, message }: Record<string, unknown>): string | undefined {
  if (!Number.isInteger(code) || typeof message !== 'string' || message === '') return 'no code or message of 0.3';
  return [-32008, -32009].includes(code as number) ? 'a code that 0.3 did not know' : leaks(message);
}

function rpcVerdict(body: Record<string, unknown>): string | undefined {
  if (body['jsonrpc'] !== '2.0') return 'not JSON-RPC 2.0';
  const { id } = body;
  if (id !== null && typeof id !== 'string' && typeof id !== 'number') return 'an id that no response may have';
  if ('result' in body === 'error' in body) return 'neither or both of result and error';
  if ('result' in body) return undefined;
  const error = body['error'] as Record<string, unknown>;
  if (!Number.isInteger(error['code']) || typeof error['message'] !== 'string')
    return 'an error without code or message';
  if (error['code'] === -32603) return 'an internal error';
  return leaks(error['message']);
}

function streamVerdict({ path }: RawRequest, text: string): string | undefined {
  const frames = text.split('\n\n').slice(0, -1);
  for (const frame of frames) {
    const data = frame.match(/^data: ?(.*)$/m)?.[1];
    if (data === undefined) continue;
    const value = parse(data) as Record<string, unknown> | undefined;
    if (typeof value !== 'object' || value === null) return 'a stream event that is no JSON';
    const wrong = bindingOf(path) === 'json-rpc' ? rpcVerdict(value) : undefined;
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** Internals have no place in a message. */
const leaks = (message: unknown): string | undefined =>
  /\bat .+\.(js|ts):\d+|node_modules|\/workspaces\/|SQLITE|ENOENT|EACCES/.test(String(message))
    ? `a message that tells internals: ${String(message)}`
    : undefined;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Ids of the tasks that an answer shows. */
export function tasksIn({ text, type }: RawAnswer): string[] {
  const documents = type.startsWith('text/event-stream')
    ? [...text.matchAll(/^data: ?(.*)$/gm)].map((match) => parse(match[1] ?? ''))
    : [parse(text)];
  return documents.flatMap((document) => {
    const value = document as { result?: Shown; taskState?: string; taskId?: string } & Shown;
    const old = value?.result?.kind === 'task' ? value.result.id : undefined;
    const found = value?.result?.task?.id ?? value?.task?.id ?? old;
    if (found !== undefined) return [found];
    return value?.taskState !== undefined && value.taskState !== 'unknown' ? [value.taskId ?? ''] : [];
  });
}

interface Shown {
  kind?: string;
  id?: string;
  task?: { id?: string };
}
