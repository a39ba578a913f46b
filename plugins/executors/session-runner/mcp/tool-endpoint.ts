// The session tools of one session as an MCP server. It knows whether the agent has really asked for the list of tools:
// an address that was handed over proves nothing.
import { randomUUID } from 'node:crypto';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { LoopbackRequest, LoopbackResponse } from '../../../../src/http/loopback-listener.js';
import type { ToolDeclaration, ToolResult } from '../../../../src/authoring/driver.js';

export interface OfferedTools {
  tools: readonly ToolDeclaration[];
  /** Runs a tool with whatever arguments the agent gave. */
  call(name: string, args: unknown): ToolResult | Promise<ToolResult>;
}

/** An agent connects once, or anew after it lost the connection; more than this at a time is no agent's need. */
const MAX_CONNECTIONS = 8;

export class ToolEndpoint {
  private readonly connections = new Map<string, StreamableHTTPServerTransport>();
  private wasListed = false;
  private tellListed: () => void = () => undefined;
  /** Resolves when the agent has fetched the list of tools. */
  readonly listing = new Promise<void>((resolve) => (this.tellListed = resolve));

  constructor(private readonly offered: OfferedTools) {}

  /** True once the agent has fetched the list of tools. */
  get listed(): boolean {
    return this.wasListed;
  }

  /** Serves a request whose sender has shown the session's token. */
  async handle(request: LoopbackRequest, response: LoopbackResponse): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.connections.get(id) : undefined;
    if (id !== undefined && !known) return void response.writeHead(404).end();
    const transport = known ?? (await this.connect());
    await transport.handleRequest(request, response);
    // What did not turn out to be the start of a connection is not kept.
    if (!known && transport.sessionId === undefined) await transport.close();
  }

  async close(): Promise<void> {
    const open = [...this.connections.values()];
    this.connections.clear();
    await Promise.all(open.map((transport) => transport.close()));
  }

  private async connect(): Promise<StreamableHTTPServerTransport> {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.connections.set(id, transport);
        const [oldest] = this.connections;
        if (this.connections.size > MAX_CONNECTIONS && oldest) {
          this.connections.delete(oldest[0]);
          void oldest[1].close();
        }
      },
      onsessionclosed: (id) => void this.connections.delete(id),
    });
    await this.server().connect(transport);
    return transport;
  }

  private server(): Server {
    const { tools, call } = this.offered;
    const server = new Server({ name: 'a2a-switchboard', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => {
      this.wasListed = true;
      this.tellListed();
      const list = tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters }));
      return { tools: list };
    });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      const { ok, text } = await call(params.name, params.arguments ?? {});
      return { content: [{ type: 'text', text }], isError: !ok };
    });
    return server;
  }
}
