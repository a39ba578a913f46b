// Where agents in processes of their own reach the session tools: one listener on loopback for all sessions, open while
// there is one, each session behind a path and a token that only its own agent is given.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  listenOnLoopback,
  type LoopbackListener,
  type LoopbackRequest,
  type LoopbackResponse,
} from '../../../../src/http/loopback-listener.js';
import type { Logger } from '../../../../src/log.js';
import type { Secrets } from '../../../../src/secrets/secrets.js';
import { ToolEndpoint, type OfferedTools } from './tool-endpoint.js';

/** What an agent is told of its tools, and how they are taken back. */
export interface ServedTools {
  url: string;
  /** The value of the `Authorization` header. */
  authorization: string;
  endpoint: ToolEndpoint;
  close(): Promise<void>;
}

interface Place {
  endpoint: ToolEndpoint;
  /** SHA-256 of the whole header. */
  authorization: Buffer;
}

export class ToolListener {
  private readonly places = new Map<string, Place>();
  private listener: Promise<LoopbackListener> | undefined;

  constructor(private readonly deps: { log: Logger; secrets: Pick<Secrets, 'addPassing'> }) {}

  /** Whether it listens, i.e. whether any session's tools are served. */
  get open(): boolean {
    return this.listener !== undefined;
  }

  async serve(offered: OfferedTools): Promise<ServedTools> {
    const path = `/${randomBytes(18).toString('base64url')}`;
    const token = randomBytes(32).toString('base64url');
    this.deps.secrets.addPassing(token);
    const authorization = `Bearer ${token}`;
    const endpoint = new ToolEndpoint(offered);
    this.places.set(path, { endpoint, authorization: digest(authorization) });
    try {
      const { url } = await (this.listener ??= listenOnLoopback((request, response) => this.handle(request, response)));
      return { url: url + path, authorization, endpoint, close: () => this.close(path) };
    } catch (error) {
      this.places.delete(path);
      this.listener = undefined;
      throw error;
    }
  }

  private async close(path: string): Promise<void> {
    const place = this.places.get(path);
    if (!place) return;
    this.places.delete(path);
    const last = this.places.size === 0 ? this.listener : undefined;
    if (last) this.listener = undefined;
    await place.endpoint.close();
    await (await last)?.close();
  }

  private handle(request: LoopbackRequest, response: LoopbackResponse): void {
    // Agents that are refused look for a login below the same address: there is none, and no path tells of another.
    const place = this.places.get(request.url ?? '');
    if (!place) return void response.writeHead(404).end();
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), place.authorization)) {
      return void response.writeHead(401).end();
    }
    place.endpoint.handle(request, response).catch((error: unknown) => {
      this.deps.log.warn({ err: error }, 'a call of session tools failed');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
