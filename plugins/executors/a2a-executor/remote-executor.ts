// The executor of remote agents. It only begins: what it sends is on record before it leaves, so that a crash at any line
// leaves either nothing sent or a watch that says what may have been. Following is the task tracker's.
import type { AgentInfo, Executor, Prompt, RunHandle, RunOutcome } from '../../../src/executors/contract.js';
import { RunFailure } from '../../../src/executors/contract.js';
import { errorText } from '../../../src/errors.js';
import type { RemoteRef, Watch } from '../../../src/ledger/records.js';
import type { Logger } from '../../../src/log.js';
import type { Core } from '../../../src/plugin.js';
import { keepParts } from '../../../src/remote/incoming-parts.js';
import { continued, outgoingMessage } from '../../../src/remote/outgoing-message.js';
import { RemoteError } from '../../../src/remote/remote-error.js';
import type { CallOptions, Peer, RemoteAgentView, SendResult } from '../../../src/remote/remote-port.js';
import { answerOrTask } from './answer-or-task.js';
import { remoteContext } from './remote-context.js';

interface RemoteExecutorDeps {
  core: Pick<Core, 'remotes' | 'ledger' | 'blobs' | 'hops' | 'clock' | 'newId' | 'config' | 'failpoints'>;
  log: Logger;
  /** Whose agents: those of a workspace's own list, or those of the home's. */
  listed: RemoteAgentView['listed'];
}

/** A send that was canceled may take this long to tell which task has to be canceled there. */
const WITHDRAW_MS = 30_000;
/** How often it is looked whether the turn is over of a send that nobody needs the answer of any more. */
const LET_GO_MS = 60_000;

export class RemoteExecutor implements Executor {
  readonly name: string;
  /** As long as work elsewhere is followed: a peer may answer only when the work is over. */
  readonly turnDeadlineMs: number;
  private stopping = false;

  constructor(private readonly deps: RemoteExecutorDeps) {
    this.name = deps.listed === 'workspace' ? 'a2a-executor' : 'a2a-home-executor';
    this.turnDeadlineMs = deps.core.config.followTimeoutSeconds * 1000;
  }

  find(agent: string, scope: string): AgentInfo | undefined {
    const view = this.deps.core.remotes.find(agent, scope);
    return view?.listed === this.deps.listed ? agentOf(view) : undefined;
  }

  list(scope: string): AgentInfo[] {
    const views = this.deps.core.remotes.list(scope);
    return views.filter(({ listed }) => listed === this.deps.listed).map(agentOf);
  }

  /** From now on a send without an answer is left to the next process. */
  stop(): void {
    this.stopping = true;
  }

  async run(prompt: Prompt, handle: RunHandle): Promise<RunOutcome> {
    const { remotes, ledger, failpoints } = this.deps.core;
    try {
      const call = { ...traced(prompt), signal: handle.signal };
      const peer = await remotes.connect(prompt.agent, prompt.lookIn ?? prompt.caller.scope, call);
      const remote = remoteContext(ledger, prompt);
      failpoints.hit('watch.before-begin');
      const watch = await this.begin(prompt, remote);
      failpoints.hit('watch.before-send');
      const result = await this.send(peer, prompt, watch, remote, handle.signal);
      failpoints.hit('watch.after-send');
      if (!result) return { kind: 'delegated' };
      if ('message' in result) return await this.answered(result, peer, prompt, handle);
      await this.follow(result.task, peer, prompt, remote, handle.signal);
      failpoints.hit('watch.after-follow');
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
    await ledger.watches.begin(cid, turn, watch, remote);
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
    const { core, log } = this.deps;
    // A cancel came while the watch was stored: nothing has left.
    if (signal.aborted) throw new RemoteError('aborted', 'The message was not sent.', false);
    const late = new AbortController();
    const request = outgoingMessage(prompt, watch.messageId, remote, core);
    const sending = peer.send(request, { ...traced(prompt), signal: late.signal });
    const canceled = (): void => this.withdraw(peer, sending, late);
    signal.addEventListener('abort', canceled, { once: true });
    try {
      const where = { messageId: watch.messageId, remote, signal, clock: core.clock };
      const result = await answerOrTask(sending, peer, where);
      this.letGo(sending, late, prompt);
      if (!signal.aborted) return result;
    } catch (error) {
      if (!(error instanceof RemoteError) || !(this.stopping || mayHaveArrived(error))) throw error;
      log.warn({ cid: prompt.cid, agent: prompt.agent, reason: error.message }, 'a send had no answer');
      if (core.ledger.isRunning(prompt.cid, prompt.turn)) return undefined;
      throw error;
    } finally {
      signal.removeEventListener('abort', canceled);
    }
    throw new RemoteError('aborted', 'The task was canceled.');
  }

  /** The remote task is known from now on; or canceled, when the turn here is over. */
  private async follow(
    { id: taskId, contextId }: { id: string; contextId: string },
    peer: Peer,
    { cid, turn, agent }: Prompt,
    before: RemoteRef | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const remote = continued(before, { agent, taskId, contextId });
      await this.deps.core.ledger.watches.update(cid, turn, { watch: { state: 'following' }, remote });
      if (!signal.aborted) return;
    } catch (error) {
      this.cancelThere(peer, taskId);
      throw error;
    }
    this.cancelThere(peer, taskId);
  }

  /** The turn is over here: what the send may still begin there is canceled as soon as it has a name. */
  private withdraw(peer: Peer, sending: Promise<SendResult>, late: AbortController): void {
    const stop = this.deps.core.clock.after(WITHDRAW_MS, () => late.abort());
    sending
      .then((result) => ('task' in result ? this.cancelThere(peer, result.task.id) : undefined))
      .catch(() => undefined)
      .finally(stop);
  }

  /** A send whose task was found stays open as long as the turn: some peers stop working when their caller hangs up. */
  private letGo(sending: Promise<unknown>, late: AbortController, { cid, turn }: Prompt): void {
    const { ledger, clock } = this.deps.core;
    let stop: () => void = () => undefined;
    const look = (): void => {
      if (ledger.isRunning(cid, turn)) stop = clock.after(LET_GO_MS, look);
      else late.abort();
    };
    stop = clock.after(LET_GO_MS, look);
    sending.catch(() => undefined).finally(() => stop());
  }

  private cancelThere(peer: Peer, taskId: string): void {
    peer.cancel(taskId).catch((error: unknown) => {
      this.deps.log.info({ agent: peer.agent, reason: errorText(error) }, 'not canceled there');
    });
  }

  /** A direct answer: the whole of it, and nothing to follow. */
  private async answered(
    { message, unread }: Extract<SendResult, { message: unknown }>,
    peer: Peer,
    { agent, caller, cid, turn, lookIn }: Prompt,
    handle: RunHandle,
  ): Promise<RunOutcome> {
    const { blobs, config, remotes, ledger } = this.deps.core;
    const ports = {
      blobs,
      scope: caller.scope,
      peer,
      agentUrl: remotes.find(agent, lookIn ?? caller.scope)?.url ?? '',
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

const traced = ({ traceparent }: Prompt): CallOptions => (traceparent === undefined ? {} : { traceparent });

const agentOf = ({ name, description, skills }: RemoteAgentView): AgentInfo => ({
  name,
  kind: 'remote',
  ...(description !== undefined && { description }),
  exposed: true,
  skills,
});

const mayHaveArrived = ({ fault, sent }: RemoteError): boolean =>
  sent && (fault === 'unreachable' || fault === 'timeout' || fault === 'aborted');
