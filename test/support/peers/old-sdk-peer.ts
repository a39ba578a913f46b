// A remote agent on loopback made of the official SDK as it was at A2A 0.3, which knows nothing of 1.0.
import { once } from 'node:events';
import * as grpc from '@grpc/grpc-js';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentCard, Message, Part, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from 'a2a-sdk-0.3';
import {
  DefaultRequestHandler,
  InMemoryTaskStore,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from 'a2a-sdk-0.3/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from 'a2a-sdk-0.3/server/express';
import { A2AService, grpcService } from 'a2a-sdk-0.3/server/grpc';
import express from 'express';

/** Answers with the parts that it was sent, as an artifact; a text that ends in `?` is answered with a question. */
class Mirror implements AgentExecutor {
  readonly begun: Message[] = [];

  execute({ taskId, contextId, userMessage }: RequestContext, bus: ExecutionEventBus): Promise<void> {
    this.begun.push(userMessage);
    const { parts } = userMessage;
    const ids = { taskId, contextId };
    const status = (state: 'working' | 'completed' | 'input-required', final: boolean): TaskStatusUpdateEvent => ({
      kind: 'status-update',
      ...ids,
      status: { state, timestamp: new Date().toISOString() },
      final,
    });
    const artifact = (some: Part[]): TaskArtifactUpdateEvent => ({
      kind: 'artifact-update',
      ...ids,
      artifact: { artifactId: 'mirror', parts: some },
      append: false,
      lastChunk: true,
    });
    bus.publish({
      kind: 'task',
      id: taskId,
      contextId,
      status: { state: 'submitted' },
      history: [userMessage],
    });
    bus.publish(status('working', false));
    const asks = parts.some((part) => part.kind === 'text' && part.text.endsWith('?'));
    if (!asks) bus.publish(artifact(parts));
    bus.publish(status(asks ? 'input-required' : 'completed', true));
    bus.finished();
    return Promise.resolve();
  }

  cancelTask = (): Promise<void> => Promise.resolve();
}

export class OldSdkPeer {
  readonly executor = new Mirror();
  private server: Server | undefined;
  private readonly grpcServer = new grpc.Server();

  constructor(private readonly transport: 'JSONRPC' | 'HTTP+JSON' | 'GRPC') {}

  get url(): string {
    return `http://127.0.0.1:${(this.server?.address() as AddressInfo).port}`;
  }

  async start(): Promise<this> {
    const app = express();
    this.server = createServer(app).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const grpcPort = await new Promise<number>((resolve, reject) =>
      this.grpcServer.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    );
    const card: AgentCard = {
      name: 'Old peer',
      description: 'The SDK of 0.3 as it comes',
      version: '1',
      protocolVersion: '0.3.0',
      url: this.transport === 'GRPC' ? `127.0.0.1:${grpcPort}` : `${this.url}/a2a`,
      preferredTransport: this.transport,
      capabilities: { streaming: true, pushNotifications: true },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'mirror', name: 'Mirror', description: 'Mirrors', tags: [] }],
    };
    const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), this.executor);
    const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };
    app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
    if (this.transport === 'JSONRPC') app.use('/a2a', jsonRpcHandler(options));
    else if (this.transport === 'HTTP+JSON') app.use('/a2a', restHandler(options));
    else this.grpcServer.addService(A2AService, grpcService(options));
    return this;
  }

  async stop(): Promise<void> {
    this.grpcServer.forceShutdown();
    this.server?.closeAllConnections();
    this.server?.close();
    if (this.server?.listening) await once(this.server, 'close');
  }
}
