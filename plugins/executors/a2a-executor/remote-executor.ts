// The executor of remote agents. It only begins: what it sends is on record before it leaves, so that a crash at any line
// leaves either nothing sent or a watch that says what may have been. Following is the task tracker's.
import type { AgentInfo, Executor, Prompt, RunHandle, RunOutcome } from '../../../src/executors/contract.js';
import { RunFailure } from '../../../src/executors/contract.js';
import { errorText } from '../../../src/errors.js';
import type { RemoteRef, Watch } from '../../../src/ledger/records.js';
import type { Logger } from '../../../src/log.js';
import type { Core } from '../../../src/plugin.js';
import { keepParts } from '../../../src/remote/incoming-parts.js';
import { outgoingMessage } from '../../../src/remote/outgoing-message.js';
import { RemoteError } from '../../../src/remote/remote-error.js';
import type { Peer, RemoteAgentView, SendResult } from '../../../src/remote/remote-port.js';
import { remoteContext } from './remote-context.js';

export interface RemoteExecutorDeps {
  core: Pick<Core, 'remotes' | 'ledger' | 'blobs' | 'hops' | 'clock' | 'newId' | 'config'>;
  log: Logger;
}

/** A send that was canceled may take this long to tell which task has to be canceled there. */
const WITHDRAW_MS = 30_000;

export class RemoteExecutor implements Executor {
  readonly name = 'a2a-executor';

  constructor(private readonly deps: RemoteExecutorDeps) {}

  find(agent: string, scope: string): AgentInfo | undefined {
    const view = this.deps.core.remotes.find(agent, scope);
    return view && agentOf(view);
  }

  list(scope: string): AgentInfo[] {
    return this.deps.core.remotes.list(scope).map(agentOf);
  }

  async run(prompt: Prompt, handle: RunHandle): Promise<RunOutcome> {
    const { core } = this.deps;
    const { scope } = prompt.caller;
    try {
      const call = { ...(prompt.traceparent !== undefined && { traceparent: prompt.traceparent }) };
      const peer = await core.remotes.connect(prompt.agent, scope, { ...call, signal: handle.signal });
      const remote = remoteContext(core.ledger, prompt);
      const watch = await this.begin(prompt, remote);
      const result = await this.send(peer, prompt, watch, remote, handle.signal);
      if (!result) return { kind: 'delegated' };
      if ('message' in result) return await this.answered(result, peer, prompt, handle);
      const { id: taskId, contextId } = result.task;
      await core.ledger.watches.update(prompt.cid, prompt.turn, {
        watch: { ...watch, state: 'following' },
        remote: { agent: prompt.agent, taskId, contextId },
      });
      return { kind: 'delegated' };
    } catch (error) {
      if (error instanceof RemoteError) throw new RunFailure(error.message, `remote-${error.fault}`);
      throw error;
    }
  }

  /** On record before anything leaves. The id follows from the turn, so that whoever adopts the turn knows it. */
  private async begin({ cid, turn, agent, message }: Prompt, remote: RemoteRef | undefined): Promise<Watch> {
    const { ledger, clock, newId } = this.deps.core;
    const watch: Watch = {
      id: newId(),
      agent,
      state: 'sending',
      messageId: `${cid}-${turn}`,
      since: clock.now(),
      passed: message.messageId,
    };
    await ledger.watches.update(cid, turn, { watch, ...(remote && { remote }) });
    return watch;
  }

  /** Undefined when it is not known whether the message arrived: the tracker finds out. */
  private async send(
    peer: Peer,
    prompt: Prompt,
    watch: Watch,
    remote: RemoteRef | undefined,
    signal: AbortSignal,
  ): Promise<SendResult | undefined> {
    const { ledger } = this.deps.core;
    const late = new AbortController();
    const sending = peer.send(outgoingMessage(prompt, watch.messageId, remote, this.deps.core), {
      signal: late.signal,
      ...(prompt.traceparent !== undefined && { traceparent: prompt.traceparent }),
    });
    const canceled = (): void => this.withdraw(peer, sending, late);
    signal.addEventListener('abort', canceled, { once: true });
    try {
      return await sending;
    } catch (error) {
      if (!(error instanceof RemoteError) || !mayHaveArrived(error)) throw error;
      this.deps.log.warn({ cid: prompt.cid, agent: prompt.agent, reason: error.message }, 'a send had no answer');
      return ledger.isRunning(prompt.cid, prompt.turn) ? undefined : Promise.reject(error);
    } finally {
      signal.removeEventListener('abort', canceled);
    }
  }

  /** The turn is over here: what the send may still begin there is canceled as soon as it has a name. */
  private withdraw(peer: Peer, sending: Promise<SendResult>, late: AbortController): void {
    const stop = this.deps.core.clock.after(WITHDRAW_MS, () => late.abort());
    sending
      .then(async (result) => {
        if ('task' in result) await peer.cancel(result.task.id);
      })
      .catch((error: unknown) =>
        this.deps.log.info({ agent: peer.agent, reason: errorText(error) }, 'not canceled there'),
      )
      .finally(stop);
  }

  /** A direct answer: the whole of it, and nothing to follow. */
  private async answered(
    { message, unread }: Extract<SendResult, { message: unknown }>,
    peer: Peer,
    { agent, caller, cid, turn }: Prompt,
    handle: RunHandle,
  ): Promise<RunOutcome> {
    const { blobs, config, remotes, ledger } = this.deps.core;
    const ports = {
      blobs,
      scope: caller.scope,
      peer,
      agentUrl: remotes.find(agent, caller.scope)?.url ?? '',
      maxBytes: config.maxReceivedBytes,
    };
    const parts = await keepParts(message.parts, ports, { signal: handle.signal });
    for (const line of unread) handle.status(`The agent sent something that can't be read: ${line}`);
    if (message.contextId !== undefined) {
      await ledger.watches.update(cid, turn, { remote: { agent, contextId: message.contextId } });
    }
    return { kind: 'completed', parts };
  }
}

const agentOf = ({ name, description, skills }: RemoteAgentView): AgentInfo => ({
  name,
  kind: 'remote',
  ...(description !== undefined && { description }),
  exposed: true,
  skills,
});

const mayHaveArrived = ({ fault, sent }: RemoteError): boolean =>
  sent && (fault === 'unreachable' || fault === 'timeout' || fault === 'aborted');
