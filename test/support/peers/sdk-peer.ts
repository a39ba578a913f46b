// A remote agent on loopback made of the official SDK's own server: JSON-RPC, HTTP+JSON and gRPC, 1.0 and 0.3, with an
// executor that does what the message says. What it is asked over HTTP is kept for tests to look at.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as grpc from '@grpc/grpc-js';
import { AgentCard } from '@a2a-js/sdk';
import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { DefaultRequestHandler, InMemoryPushNotificationStore, InMemoryTaskStore, type User } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import express from 'express';
import { ScriptedPeerExecutor } from './scripted-peer-executor.js';

export type PeerBinding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';

export interface SdkPeerOptions {
  /** In the card's order; all with JSON-RPC first when absent. */
  bindings?: readonly PeerBinding[];
  /** What the card offers, and is served; 1.0 when absent. */
  versions?: readonly ('1.0' | '0.3')[];
  /** When set, calls without it as Bearer or `X-API-Key` get 401. */
  key?: string;
  /** Members of the card beyond or instead of the usual ones. */
  card?: Record<string, unknown>;
  tenant?: string;
}

export class SdkPeer {
  readonly executor = new ScriptedPeerExecutor();
  readonly requests: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  /** gRPC calls: path of the method and metadata. */
  readonly grpcCalls: { path: string; metadata: Record<string, unknown> }[] = [];
  /** What was done to webhooks, e.g. `save https://…` and `delete <id>`. */
  readonly webhooks: string[] = [];
  private server: Server | undefined;
  private grpcServer: grpc.Server | undefined;
  private grpcPort = 0;
  private handler?: DefaultRequestHandler;

  constructor(private readonly options: SdkPeerOptions = {}) {}

  async start(): Promise<this> {
    const app = express();
    this.server = createServer(app).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const bindings = this.options.bindings ?? ['JSONRPC', 'HTTP+JSON', 'GRPC'];
    if (bindings.includes('GRPC')) await this.startGrpc();
    this.mount(app, bindings);
    return this;
  }

  async stop(): Promise<void> {
    this.executor.releaseAll();
    this.grpcServer?.forceShutdown();
    this.server?.closeAllConnections();
    this.server?.close();
    if (this.server?.listening) await once(this.server, 'close');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server?.address() as AddressInfo).port}`;
  }

  /** The HTTP requests below a path. */
  asked(path: string): typeof this.requests {
    return this.requests.filter((request) => request.path.startsWith(path));
  }

  private mount(app: express.Express, bindings: readonly PeerBinding[]): void {
    const requestHandler = (this.handler ??= this.makeHandler(bindings));
    const legacyCompat = { enabled: this.legacy };
    const userBuilder = UserBuilder.noAuthentication;
    app.use((req, res, next) => {
      const request = { method: req.method, path: req.originalUrl, headers: req.headers, body: '' };
      this.requests.push(request);
      req.on('data', (chunk: Buffer) => (request.body += chunk.toString()));
      const { authorization } = req.headers;
      const { key } = this.options;
      const keys = [authorization, req.headers['x-api-key']];
      if (key === undefined || req.path.includes('well-known') || keys.some((one) => String(one).endsWith(key))) next();
      else res.status(401).json({ error: 'unauthorized' });
    });
    app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }));
    if (bindings.includes('JSONRPC')) app.use('/a2a', jsonRpcHandler({ requestHandler, userBuilder, legacyCompat }));
    if (bindings.includes('HTTP+JSON')) app.use('/rest', restHandler({ requestHandler, userBuilder, legacyCompat }));
  }

  private get legacy(): boolean {
    return this.options.versions?.includes('0.3') ?? false;
  }

  private makeHandler(bindings: readonly PeerBinding[]): DefaultRequestHandler {
    const urls = { JSONRPC: `${this.url}/a2a`, 'HTTP+JSON': `${this.url}/rest`, GRPC: `127.0.0.1:${this.grpcPort}` };
    const card = AgentCard.fromJSON({
      name: 'SDK peer',
      description: 'The SDK as it comes',
      version: '1.0.0',
      supportedInterfaces: (this.options.versions ?? ['1.0']).flatMap((protocolVersion) =>
        bindings.map((protocolBinding) => ({
          url: urls[protocolBinding],
          protocolBinding,
          protocolVersion,
          ...(this.options.tenant !== undefined && { tenant: this.options.tenant }),
        })),
      ),
      capabilities: { streaming: true, pushNotifications: true },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'script', name: 'Script', description: 'Does what it is told', tags: ['test'] }],
      ...this.options.card,
    });
    const webhooks = new InMemoryPushNotificationStore();
    const [save, remove] = [webhooks.save.bind(webhooks), webhooks.delete.bind(webhooks)];
    webhooks.save = (taskId, context, config) => {
      this.webhooks.push(`save ${config.url}`);
      return save(taskId, context, config);
    };
    webhooks.delete = (taskId, context, id) => {
      this.webhooks.push(`delete ${id}`);
      return remove(taskId, context, id);
    };
    return new DefaultRequestHandler(card, new InMemoryTaskStore(), this.executor, undefined, webhooks);
  }

  private async startGrpc(): Promise<void> {
    const calls = this.grpcCalls;
    const { key } = this.options;
    const server = new grpc.Server({
      interceptors: [
        (method, call) =>
          new grpc.ServerInterceptingCall(call, {
            start: (next) =>
              next({
                onReceiveMetadata: (metadata, forward) => {
                  calls.push({ path: method.path, metadata: metadata.getMap() });
                  const keys = [...metadata.get('authorization'), ...metadata.get('x-api-key')];
                  if (key === undefined || keys.some((one) => String(one).endsWith(key))) forward(metadata);
                  else call.sendStatus({ code: grpc.status.UNAUTHENTICATED, details: 'unauthorized' });
                },
              }),
          }),
      ],
    });
    this.grpcPort = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    );
    this.handler = this.makeHandler(this.options.bindings ?? ['JSONRPC', 'HTTP+JSON', 'GRPC']);
    const anyone = (): Promise<User> => Promise.resolve({ isAuthenticated: true, userName: 'caller' });
    const options = { requestHandler: this.handler, userBuilder: anyone };
    server.addService(A2AService, grpcService(options));
    if (this.legacy) server.addService(LegacyA2AService, legacyGrpcService(options));
    this.grpcServer = server;
  }
}
