// A small client of the A2A and operator surfaces that sees everything a client can see: raw JSON, and the ids of
// server-sent events. It tells a dead server from a refusal.
import type { Message, Part, TaskState } from '../../src/a2a-model.js';

/** The wire form of a part: file bytes inline, in base64. */
export type WirePart = Exclude<Part, { blob: string }> | { raw: string; filename?: string; mediaType?: string };

export interface WireArtifact {
  artifactId: string;
  parts: WirePart[];
}

export interface WireTask {
  id: string;
  contextId: string;
  status: { state: TaskState; message?: Message };
  artifacts?: WireArtifact[];
  history?: (Omit<Message, 'parts'> & { parts: WirePart[] })[];
}

export interface WireEvent {
  task?: WireTask;
  statusUpdate?: { taskId: string; contextId: string; status: WireTask['status'] };
  artifactUpdate?: { taskId: string; artifact: WireArtifact; append?: boolean };
}

export interface SeenEvent {
  /** The position from the SSE id `<boot>.<seq>`. */
  seq: number;
  id: string;
  event: WireEvent;
}

/** The connection failed or broke off: nobody knows what the server did. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected';
}

/** The server answered with an error. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    readonly status: number,
    readonly code: number | string,
    message: string,
  ) {
    super(`${status} ${code}: ${message}`);
  }
}

interface Answer {
  status: number;
  body: unknown;
}

export class A2aClient {
  private calls = 0;

  constructor(
    private readonly url: string,
    private readonly key: string,
    /** Where JSON-RPC is spoken. */
    private readonly path = '/a2a',
  ) {}

  /** The same server with another key. */
  withKey(key: string): A2aClient {
    return new A2aClient(this.url, key, this.path);
  }

  /** A JSON-RPC call's result. */
  async rpc<T>(method: string, params: unknown): Promise<T> {
    const { status, body } = await this.json('POST', this.path, this.envelope(method, params));
    const { result, error } = body as { result?: T; error?: { code: number; message: string } };
    if (error) throw new Refused(status, error.code, error.message);
    return result as T;
  }

  /** A REST call's body. */
  async rest<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    const answer = await this.json(method, path, body);
    if (answer.status < 300) return answer.body as T;
    const { error } = answer.body as { error?: { code: number | string; message: string } };
    throw new Refused(answer.status, error?.code ?? answer.status, error?.message ?? JSON.stringify(answer.body));
  }

  /** The events of a streaming JSON-RPC call, until the server ends the stream. */
  stream(method: string, params: unknown, headers: Record<string, string> = {}): AsyncGenerator<SeenEvent> {
    return this.events('POST', this.path, this.envelope(method, params), headers);
  }

  /** The events of a REST stream. */
  restStream(method: 'GET' | 'POST', path: string, body?: unknown): AsyncGenerator<SeenEvent> {
    return this.events(method, path, body);
  }

  private envelope(method: string, params: unknown): unknown {
    return { jsonrpc: '2.0', id: ++this.calls, method, params };
  }

  private async json(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await this.request(method, path, body);
    let text: string;
    try {
      text = await response.text();
    } catch (error) {
      throw new Disconnected('while reading the answer', { cause: error });
    }
    return { status: response.status, body: JSON.parse(text) as unknown };
  }

  private async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    try {
      return await fetch(this.url + path, {
        method,
        headers: {
          'A2A-Version': '1.0',
          'X-API-Key': this.key,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (error) {
      throw new Disconnected('while asking', { cause: error });
    }
  }

  private async *events(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): AsyncGenerator<SeenEvent> {
    const response = await this.request(method, path, body, headers);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const text = await response.text().catch((error: unknown) => {
        throw new Disconnected('while reading the answer', { cause: error });
      });
      throw new Refused(response.status, 'no stream', text);
    }
    for await (const frame of frames(response)) {
      const data = frame.match(/^data: ?(.*)$/m)?.[1];
      if (data === undefined) continue;
      const id = frame.match(/^id: ?(.*)$/m)?.[1] ?? '';
      const value = JSON.parse(data) as { result?: WireEvent; error?: { code: number; message: string } } & WireEvent;
      if (value.error) throw new Refused(200, value.error.code, value.error.message);
      yield { id, seq: Number(id.split('.')[1] ?? Number.NaN), event: value.result ?? value };
    }
  }
}

/** Whole SSE frames as they come. A break in the connection throws Disconnected; an unfinished frame was not seen. */
async function* frames(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending = '';
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const chunk = await reader.read().catch((error: unknown) => {
        throw new Disconnected('in the middle of a stream', { cause: error });
      });
      if (chunk.done) return;
      pending += decoder.decode(chunk.value as Uint8Array, { stream: true });
      const complete = pending.split('\n\n');
      pending = complete.pop() ?? '';
      yield* complete;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export const textMessage = (messageId: string, text: string, more: Record<string, unknown> = {}) => ({
  messageId,
  role: 'ROLE_USER',
  parts: [{ text }] as WirePart[],
  ...more,
});
