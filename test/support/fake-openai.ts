// An OpenAI-compatible endpoint on loopback whose every answer a test decides, the bad ones included.
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | { type: string; text?: string; image_url?: { url: string } }[] | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface ChatRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: {
    model: string;
    messages: ChatMessage[];
    stream?: boolean;
    tools?: { function: { name: string } }[];
    tool_choice?: unknown;
    max_tokens?: number;
    temperature?: number;
  };
}

export interface FakeCall {
  name: string;
  /** An object, or text that is sent as it is. */
  args: unknown;
}

export type FakeReply =
  | {
      /** The answer's pieces, one chunk each. */
      text?: string | string[];
      calls?: FakeCall[];
      finish?: string | null;
      /** One JSON document, although a stream was asked for. */
      block?: boolean;
      /** Lines that are sent in between, as they are. */
      raw?: string;
      /** After the pieces: the connection is cut, or nothing more comes. */
      then?: 'cut' | 'hang';
      /** The bytes of the stream come in pieces of so many. */
      bytesAtOnce?: number;
    }
  | { status: number; headers?: Record<string, string>; body?: string; type?: string }
  /** Not even headers. */
  | 'hang';

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

export class FakeOpenAi {
  readonly requests: ChatRequest[] = [];
  /** What the endpoint answers. */
  answer: (request: ChatRequest) => FakeReply = () => ({ text: 'hello' });
  private readonly sockets = new Set<Socket>();
  /** Requests that are not answered yet. */
  busy = 0;
  private readonly waiting: (() => void)[] = [];

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    server.on('request', (request, response) => {
      this.busy += 1;
      response.on('close', () => (this.busy -= 1));
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest['body'];
        const seen = { path: request.url ?? '', headers: request.headers, body };
        this.requests.push(seen);
        const reply = this.answer(seen);
        void send(response, reply, this.requests.length).then(() => this.waiting.splice(0).forEach((go) => go()));
      });
    });
  }

  static async start(): Promise<FakeOpenAi> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FakeOpenAi(server);
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  get connections(): number {
    return this.sockets.size;
  }

  /** Resolves when an answer has been sent as far as it goes. */
  answered(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Replies one after the other; the last one stays. */
  script(...replies: FakeReply[]): void {
    this.answer = () => (replies.length > 1 ? replies.shift() : replies[0]) as FakeReply;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** The last message of the user, as text. */
export const askedOf = ({ body }: ChatRequest): string => textOf(body.messages.findLast(({ role }) => role === 'user'));

export const textOf = (message: ChatMessage | undefined): string => {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : content.map((part) => part.text ?? `<${part.type}>`).join('\n');
};

async function send(response: ServerResponse, reply: FakeReply, number: number): Promise<void> {
  if (reply === 'hang') return;
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': reply.type ?? 'application/json', ...reply.headers });
    response.end(reply.body ?? JSON.stringify({ error: { message: `status ${reply.status}`, type: 'fake' } }));
    return;
  }
  const { text = [], calls = [], then } = reply;
  const pieces = typeof text === 'string' ? [text] : text;
  const finish = reply.finish === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : reply.finish;
  const toolCalls = calls.map(({ name, args }, index) => ({
    index,
    id: `call-${number}-${index}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
  const head = { id: `chat-${number}`, created: 0, model: 'fake-1' };
  if (reply.block) {
    const message = { role: 'assistant', content: pieces.join('') || null, tool_calls: toolCalls };
    const document = { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...document, usage: USAGE }));
    return;
  }
  const chunk = (delta: object, more: object = {}): string =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, ...more }] })}\n\n`;
  const frames = [
    chunk({ role: 'assistant', content: '' }),
    ...pieces.map((content) => chunk({ content })),
    ...(reply.raw === undefined ? [] : [reply.raw]),
  ];
  if (!then) {
    if (toolCalls.length > 0) frames.push(chunk({ tool_calls: toolCalls }));
    if (finish !== null) frames.push(chunk({}, { finish_reason: finish }));
    frames.push(`data: ${JSON.stringify({ ...head, choices: [], usage: USAGE })}\n\n`);
    if (finish !== null) frames.push('data: [DONE]\n\n');
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const bytes = Buffer.from(frames.join(''));
  const size = reply.bytesAtOnce ?? bytes.length;
  for (let at = 0; at < bytes.length; at += size) {
    // Each piece leaves in a packet of its own.
    await new Promise<void>((resolve) => response.write(bytes.subarray(at, at + size), () => setImmediate(resolve)));
  }
  if (then === 'cut') response.socket?.resetAndDestroy();
  else if (then !== 'hang') response.end();
}
