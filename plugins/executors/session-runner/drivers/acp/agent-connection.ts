// The connection to an agent over the protocol's own client. Updates are taken off the stream before the library sees
// them: in exactly the order of the wire, before the answer they precede, and unknown ones can't be lost on its way.
import * as acp from '@agentclientprotocol/sdk';
import type { Clock } from '../../../../../src/clock.js';
import { RunFailure } from '../../../../../src/executors/contract.js';
import { isObject } from '../../../../../src/read-json.js';

/** What an agent asks and tells of its own accord. */
interface AgentListener {
  /** The parameters of an update, unchecked. */
  update(params: Record<string, unknown>): void;
  permission(request: acp.RequestPermissionRequest, signal: AbortSignal): Promise<acp.RequestPermissionResponse>;
}

type AgentMethod = acp.AgentRequestMethod;
type Params<M extends AgentMethod> = acp.AgentRequestParamsByMethod[M];

export class AgentConnection {
  private readonly connection: acp.ClientConnection;

  constructor(
    stream: acp.Stream,
    listener: AgentListener,
    private readonly clock: Clock,
  ) {
    this.connection = acp
      .client({ name: 'a2a-switchboard' })
      .onRequest(acp.methods.client.session.requestPermission, ({ params, signal }) =>
        listener.permission(params, signal),
      )
      .onRequest('*', ({ method }) => {
        throw acp.RequestError.methodNotFound(method);
      })
      .connect(tapped(stream, listener));
  }

  /** Resolves when nothing more will come. */
  get closed(): Promise<void> {
    return this.connection.closed;
  }

  /** The answer, unchecked. Rejects with the agent's error, or with why the connection ended. */
  request<M extends AgentMethod>(method: M, params: Params<M>): Promise<Record<string, unknown>> {
    return this.connection.agent.request(method, params).then((result: unknown) => (isObject(result) ? result : {}));
  }

  /** As `request`; rejects with a RunFailure when no answer comes in time, or when `signal` aborts. */
  async ask<M extends AgentMethod>(
    method: M,
    params: Params<M>,
    { seconds, signal }: { seconds: number; signal: AbortSignal },
  ): Promise<Record<string, unknown>> {
    let clear = (): void => undefined;
    const given = new Promise<never>((_, reject) => {
      const late = new RunFailure(`The agent did not answer "${method}" within ${seconds} s.`, 'agent-silent');
      const cancelTimer = this.clock.after(seconds * 1000, () => reject(late));
      const stop = (): void => reject(new RunFailure('The run was cancelled.', 'cancelled'));
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      clear = () => {
        cancelTimer();
        signal.removeEventListener('abort', stop);
      };
    });
    try {
      return await Promise.race([this.request(method, params), given]);
    } finally {
      clear();
    }
  }

  /** Never throws: what can't be told any more need not be. */
  tell(method: acp.AgentNotificationMethod, params: acp.CancelNotification): void {
    this.connection.agent.notify(method, params).catch(() => undefined);
  }

  close(): void {
    this.connection.close();
  }
}

/** Passes requests, known answers and cancellations of requests on; everything else the library would only complain of. */
function tapped(stream: acp.Stream, listener: AgentListener): acp.Stream {
  const asked = new Set<unknown>();
  const writer = stream.writable.getWriter();
  const writable = new WritableStream<acp.AnyMessage>({
    write(message) {
      if ('method' in message && 'id' in message) asked.add(message.id);
      return writer.write(message);
    },
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
  const tap = new TransformStream<acp.AnyMessage, acp.AnyMessage>({
    transform(message, controller) {
      if (!('method' in message)) {
        if ('id' in message && asked.delete(message.id)) controller.enqueue(message);
      } else if ('id' in message || message.method === acp.methods.protocol.cancelRequest) controller.enqueue(message);
      else if (message.method === acp.methods.client.session.update && isObject(message.params)) {
        listener.update(message.params);
      }
    },
  });
  return { readable: stream.readable.pipeThrough(tap), writable };
}
