// Follows one remote task until the turn here has its one end. Everything it knows is in the task's record and at the
// peer, so it can be dropped at any line and begun again.
import type { WatchEvent, WatchSettled } from '../../../src/bus/topics.js';
import { AppError, errorText } from '../../../src/errors.js';
import type { OpenTurn } from '../../../src/executors/turns.js';
import type { TaskRecord, Watch } from '../../../src/ledger/records.js';
import type { Logger } from '../../../src/log.js';
import type { Core } from '../../../src/plugin.js';
import { RemoteError } from '../../../src/remote/remote-error.js';
import type { Peer } from '../../../src/remote/remote-port.js';
import { adopt } from './adoption.js';
import { recordQuestion } from './answered-question.js';
import { Callbacks } from './callbacks.js';
import { endBy, ended, endOf, type End } from './endings.js';
import { KeptParts } from './kept-parts.js';
import { pollMs, SAFETY_MS, sooner, STREAM_MS, type Rung } from './ladder.js';
import type { Pace } from './pace.js';
import { letGo } from './let-go.js';
import { passOn } from './pass-on.js';
import { Pause } from './pause.js';
import { Position } from './position.js';
import { Relay } from './relay.js';
import type { StreamSlots } from './stream-slots.js';

export interface WatcherDeps {
  core: Pick<Core, 'ledger' | 'remotes' | 'blobs' | 'clock' | 'config' | 'secrets' | 'hops' | 'failpoints'>;
  log: Logger;
  /** Where this watch's peer may call back; undefined when nobody can reach this server. */
  callback(watch: Watch, scope: string): string | undefined;
  /** Streams that are held for long, over all watches. */
  slots: StreamSlots;
  /** Moments for looks that nobody waits for, over all watches. */
  pace: Pace;
  /** In [0, 1). */
  random(): number;
  updated(event: WatchEvent): void;
  settled(event: WatchSettled): void;
}

/** How often in a row following may fail for a reason that is nobody's answer. */
const MAX_CRASHES = 3;
/** The peer has this long to confirm a cancel, and then to stop. */
const CANCEL_MS = 10_000;

export class Watcher {
  private readonly pause: Pause;
  private readonly relay: Relay;
  private readonly position = new Position();
  private readonly lookers: (() => void)[] = [];
  private readonly callbacks: Callbacks;
  private readonly over = new AbortController();
  /** Whoever shows what the peer says does it alone: a cancel's answer and the stream's must not mix. */
  private showing: Promise<unknown> = Promise.resolve();

  constructor(
    readonly taskId: string,
    private readonly turn: OpenTurn,
    record: TaskRecord,
    private readonly deps: WatcherDeps,
  ) {
    this.pause = new Pause(deps.core.clock, deps.pace, () => !this.position.isClose);
    this.callbacks = new Callbacks(record, { ...deps, url: (watch) => deps.callback(watch, this.lookIn) });
    const kept = new KeptParts(record.task.artifacts, turn.prompt, deps.core, this.over.signal);
    this.relay = new Relay(record, {
      handle: turn.handle,
      keep: (parts) => kept.keep(parts),
      asked: (question) => recordQuestion(deps.core.ledger, taskId, question),
      now: () => deps.core.clock.now(),
    });
    turn.handle.signal.addEventListener('abort', () => this.stop(), { once: true });
  }

  /** Resolves when nothing is left to follow, or after `stop`. Never rejects. */
  async run(begins: 'now' | 'when-free'): Promise<void> {
    let crashes = 0;
    if (begins === 'when-free') await this.pause.moment();
    while (!this.stopped) {
      try {
        const end = await this.follow();
        crashes = 0;
        if (end) this.finish(end);
      } catch (error) {
        if (this.stopped) return;
        const { log } = this.deps;
        log.error({ cid: this.taskId, err: error, reason: errorText(error) }, 'following a remote task failed');
        if (++crashes < MAX_CRASHES) await this.pause.wait(pollMs('poll', crashes, this.deps.random()));
        else this.finish(ended('stopped', 'Following the remote task failed again and again.'));
      }
    }
  }

  /** Ends the watch's work here, and leaves the watch as it is. */
  stop(): void {
    this.over.abort();
    this.pause.end();
    this.looked();
  }

  /** Something may have changed at the peer, or is to be said to it: looks now. Resolves when that is done. */
  look(): Promise<void> {
    if (this.stopped) return Promise.resolve();
    const looked = new Promise<void>((resolve) => this.lookers.push(resolve));
    this.pause.wake();
    return looked;
  }

  private looked(): void {
    for (const done of this.lookers.splice(0)) done();
  }

  /** Asks the peer to stop. Throws an AppError that says why it does not. */
  async cancel(): Promise<void> {
    const { remotes, clock } = this.deps.core;
    const { watch, remote } = this.record?.envelope ?? {};
    if (!watch || remote?.taskId === undefined) return;
    try {
      const peer = await remotes.connect(watch.agent, this.lookIn, { timeoutMs: CANCEL_MS });
      const task = await peer.cancel(remote.taskId, { timeoutMs: CANCEL_MS });
      const outcome = await this.show(() => this.relay.snapshot(task));
      if (outcome) return this.finish({ end: endOf(outcome), outcome });
      void this.look();
      await new Promise<void>((resolve) => {
        const stopWaiting = clock.after(CANCEL_MS, resolve);
        const stopped = (): void => {
          stopWaiting();
          resolve();
        };
        if (this.stopped) stopped();
        else this.over.signal.addEventListener('abort', stopped, { once: true });
      });
      const late = `${watch.agent} was asked to stop and has not stopped yet.`;
      if (!this.stopped) throw new AppError('task-not-cancelable', late);
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      const end = this.explain(error);
      if (end) return this.finish(end);
      // It may have ended by itself just now, which then is the answer.
      void this.look();
      throw new AppError('task-not-cancelable', `Not canceled: ${error.message}`, {}, { cause: error });
    }
  }

  /** One round: connects, and follows by the current rung until something ends that. */
  private async follow(): Promise<End | undefined> {
    const { core } = this.deps;
    const { record } = this;
    const watch = record?.envelope.watch;
    if (!record || !watch) return { end: 'gone' };
    const age = core.clock.now() - watch.since;
    if (this.leftMs(watch) <= 0) return ended('no-result', `${watch.agent} had no result in the time allowed.`);
    const { signal } = this.over;
    try {
      const peer = await core.remotes.connect(watch.agent, this.lookIn, { signal });
      const remoteTaskId = record.envelope.remote?.taskId;
      if (watch.state === 'sending' || remoteTaskId === undefined) {
        const keep = (parts: Parameters<Relay['keep']>[0]): ReturnType<Relay['keep']> => this.relay.keep(parts);
        const timeoutMs = this.leftMs(watch);
        return await adopt(record, this.turn.prompt, peer, { ...core, keep }, { signal, timeoutMs });
      }
      await passOn(record, peer, core, { signal, status: (text) => this.turn.handle.status(text) });
      this.choose(peer, watch, age);
      const task = await peer.get(remoteTaskId, { signal });
      const outcome = await this.show(() => this.relay.snapshot(task));
      if (outcome) return { end: endOf(outcome), outcome };
      this.looked();
      return await this.step(peer, remoteTaskId, watch);
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      const end = this.explain(error);
      this.looked();
      if (!end) await this.pause.wait(this.position.nextPollMs(this.deps.random()), this.leftMs(watch));
      return end;
    }
  }

  private async step(peer: Peer, remoteTaskId: string, watch: Watch): Promise<End | undefined> {
    switch (this.position.rung) {
      case 'close-stream':
        return this.stream(peer, remoteTaskId, Math.max(1, this.closeLeftMs(watch)));
      case 'stream': {
        const release = this.deps.slots.take();
        if (!release)
          return void (await this.pause.wait(this.position.nextPollMs(this.deps.random()), this.leftMs(watch)));
        try {
          return await this.stream(peer, remoteTaskId, sooner(STREAM_MS, this.deps.random()));
        } finally {
          release();
        }
      }
      case 'push':
        return void (await this.awaitCall(peer, remoteTaskId, watch));
      default:
        await this.pause.wait(this.position.nextPollMs(this.deps.random()), this.leftMs(watch));
        return undefined;
    }
  }

  /**
   * Holds a stream for a while. One that ends before the task does is opened again a little later, and given up after
   * some times; it counts as one that works when it brought more than its snapshot.
   */
  private async stream(peer: Peer, remoteTaskId: string, holdMs: number): Promise<End | undefined> {
    const hold = new AbortController();
    const stopHolding = this.deps.core.clock.after(holdMs, () => hold.abort());
    const stopLooking = this.pause.onWake(() => hold.abort());
    let events = 0;
    try {
      for await (const event of peer.subscribe(remoteTaskId, { signal: hold.signal })) {
        if (++events > 1) this.position.streamWorks();
        const outcome = await this.show(() => this.relay.event(event));
        if (outcome) return { end: endOf(outcome), outcome };
        if (this.stopped) return undefined;
      }
    } catch (error) {
      if (!(error instanceof RemoteError) || endBy(error)) throw error;
      if (error.fault === 'unsupported') this.position.noStreams();
    } finally {
      stopHolding();
      stopLooking();
    }
    if (hold.signal.aborted) return undefined;
    const wait = this.position.streamCut();
    if (wait !== undefined) await this.pause.wait(wait);
    return undefined;
  }

  /** Registers for callbacks; then the next round looks once more, since something may have happened before. */
  private async awaitCall(peer: Peer, remoteTaskId: string, watch: Watch): Promise<void> {
    if (this.callbacks.registered) await this.pause.wait(sooner(SAFETY_MS, this.deps.random()), this.leftMs(watch));
    else if (!(await this.callbacks.register(peer, remoteTaskId, watch))) this.position.noCallbacks(peer.offers);
  }

  /** Where on the ladder this round is. */
  private choose(peer: Peer, watch: Watch, age: number): void {
    const { offers } = peer;
    const closeMs = this.deps.core.config.followSeconds * 1000;
    const means = { streaming: offers.streaming, push: offers.push && this.callbacks.possible(watch) };
    if (!this.position.choose(means, age, closeMs)) return;
    this.deps.updated({ ...this.event(), rung: this.position.rung as Rung });
  }

  private closeLeftMs(watch: Watch): number {
    return watch.since + this.deps.core.config.followSeconds * 1000 - this.deps.core.clock.now();
  }

  private leftMs(watch: Watch): number {
    return watch.since + this.deps.core.config.followTimeoutSeconds * 1000 - this.deps.core.clock.now();
  }

  /** What a peer's refusal means for the watch; undefined when it changes nothing. */
  private explain(error: RemoteError): End | undefined {
    const end = endBy(error);
    const why = { cid: this.taskId, fault: error.fault, reason: error.message };
    if (!end) this.deps.log.info(why, 'a remote task could not be looked at');
    return end;
  }

  private finish({ end, outcome }: End): void {
    if (this.stopped) return;
    const event = { ...this.event(), end };
    this.stop();
    this.deps.core.failpoints.hit('watch.before-end');
    if (outcome) this.turn.end(outcome);
    this.deps.settled(event);
    const { callbacks, lookIn } = this;
    const connect = (): Promise<Peer> => this.deps.core.remotes.connect(this.turn.prompt.agent, lookIn, {});
    void letGo({ callbacks, connect, settled: event, log: this.deps.log });
  }

  private show<T>(work: () => Promise<T>): Promise<T> {
    const shown = this.showing.then(work, work);
    this.showing = shown.catch(() => undefined);
    return shown;
  }

  private get stopped(): boolean {
    return this.over.signal.aborted;
  }

  private get record(): TaskRecord | undefined {
    return this.deps.core.ledger.get(this.taskId);
  }

  private get lookIn(): string {
    const { lookIn, caller } = this.turn.prompt;
    return lookIn ?? caller.scope;
  }

  private event(): WatchEvent {
    const { caller, agent } = this.turn.prompt;
    const remoteTaskId = this.record?.envelope.remote?.taskId;
    return {
      watchId: this.callbacks.watchId,
      taskId: this.taskId,
      caller: caller.id,
      agent,
      ...(remoteTaskId !== undefined && { remoteTaskId }),
    };
  }
}
