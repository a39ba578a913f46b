// An agent made of the protocol's own library, in this process: what it does is up to the test.
import * as acp from '@agentclientprotocol/sdk';
import type { AgentLink } from '../../plugins/executors/session-runner/drivers/acp/agent-link.js';

export interface Prompted {
  /** The text of the prompt. */
  text: string;
  /** Sends an update of the conversation. */
  update(update: acp.SessionUpdate): Promise<void>;
  say(text: string): Promise<void>;
  client: acp.AgentContext;
  sessionId: string;
  /** Resolves at a cancel. */
  cancelled: Promise<void>;
}

export interface InProcessAgent {
  /** Its answer to `initialize`; absent: none ever comes. */
  capabilities?: acp.AgentCapabilities;
  opened?(request: acp.NewSessionRequest): void;
  prompt(prompted: Prompted): Promise<acp.StopReason>;
}

/** Runs it and returns what a session holds of it. */
export function runInProcess(agent: InProcessAgent): AgentLink & { killed: boolean } {
  const there = new TransformStream<acp.AnyMessage, acp.AnyMessage>();
  const back = new TransformStream<acp.AnyMessage, acp.AnyMessage>();
  let cancel = (): void => undefined;
  const connection = acp
    .agent()
    .onRequest('initialize', () => {
      if (!agent.capabilities) return new Promise<never>(() => undefined);
      return { protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: agent.capabilities };
    })
    .onRequest('session/new', ({ params }) => {
      agent.opened?.(params);
      return { sessionId: 'in-process' };
    })
    .onRequest('session/prompt', async ({ params: { sessionId, prompt }, client }) => {
      const cancelled = new Promise<void>((resolve) => (cancel = resolve));
      const update = (body: acp.SessionUpdate) => client.notify('session/update', { sessionId, update: body });
      const stopReason = await agent.prompt({
        text: prompt[0]?.type === 'text' ? prompt[0].text : '',
        update,
        say: (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }),
        client,
        sessionId,
        cancelled,
      });
      return { stopReason };
    })
    .onNotification('session/cancel', () => cancel())
    .connect({ readable: there.readable, writable: back.writable });
  let over = false;
  const end = (): void => {
    over = true;
    connection.close();
    // The other side's requests fail, as they do when a process ends.
    void back.writable.close().catch(() => undefined);
  };
  const link = {
    stream: { readable: back.readable, writable: there.writable },
    ended: connection.closed.then(() => 'exit code 0'),
    get over() {
      return over;
    },
    lastErrors: '',
    killed: false,
    close: () => Promise.resolve(end()),
    kill() {
      link.killed = true;
      end();
    },
  };
  return link;
}
