// The task tracker: follows work at remote agents until it settles, over restarts, and passes cancels on.
import { isTerminal } from '../../../src/a2a-model.js';
import type { PromptCancel, WatchEvent } from '../../../src/bus/topics.js';
import { AppError, toAppError } from '../../../src/errors.js';
import { createErrorWriters } from '../../../src/http/error-writers.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import { definePlugin } from '../../../src/plugin.js';
import { CALLBACK_PATH, callbackRouter } from './callback-route.js';
import { CallLimit } from './call-limit.js';
import { Pace } from './pace.js';
import { StreamSlots } from './stream-slots.js';
import { Watcher, type WatcherDeps } from './watcher.js';

/** A start takes up this many watches at once, and the next ones this much later: the server has other things to do. */
const BATCH = 100;
const BATCH_MS = 250;
/** Streams that are held for long, over all watches; the others are asked about. */
const MOST_STREAMS = 256;
/** A cancel is answered by then, whatever the peer does. */
const CANCEL_MS = 30_000;

export const taskTracker = definePlugin({
  name: 'task-tracker',
  consumes: ['agent.prompt.delegated', 'agent.prompt.cancel'],
  observes: ['task.updated'],
  produces: ['agent.prompt.response', 'watch.started', 'watch.updated', 'watch.settled'],
  install({ bus, core, log, mount }) {
    const watchers = new Map<string, Watcher>();
    /** Watch → task, of those that are followed. */
    const taskOf = new Map<string, string>();
    /** Cancels that came before their watch was taken up. */
    const cancels = new Map<string, PromptCancel>();
    const calls = new CallLimit(core.clock, (taskId) => void watchers.get(taskId)?.look());
    let stopped = false;

    const deps: WatcherDeps = {
      core,
      log,
      random: Math.random,
      callback: ({ id, agent }, scope) => {
        const base = core.remotes.callbackUrl(agent, scope) ?? core.config.publicUrl;
        return base === undefined ? undefined : `${base.replace(/\/+$/, '')}${CALLBACK_PATH}/${id}`;
      },
      slots: new StreamSlots(MOST_STREAMS),
      pace: new Pace(core.clock, () => watchers.size),
      updated: (event) => bus.publish('watch.updated', event),
      settled: (event) => bus.publish('watch.settled', event),
    };

    const watch = (taskId: string, turn: number, begins: 'now' | 'when-free' = 'now'): void => {
      if (stopped || watchers.has(taskId)) return;
      const open = core.turns.adopt(taskId, turn);
      if (!open) return;
      const record = core.ledger.get(taskId) as TaskRecord;
      const watcher = new Watcher(taskId, open, record, deps);
      const watchId = record.envelope.watch?.id ?? '';
      watchers.set(taskId, watcher);
      taskOf.set(watchId, taskId);
      bus.publish('watch.started', startedEvent(record));
      const cancel = cancels.get(taskId);
      if (cancel) void passCancel(watcher, cancel);
      void watcher.run(begins).finally(() => {
        taskOf.delete(watchId);
        calls.forget(taskId);
        if (watchers.get(taskId) === watcher) watchers.delete(taskId);
      });
    };
    const passCancel = async (watcher: Watcher, { cid, requestId }: PromptCancel): Promise<void> => {
      cancels.delete(cid);
      const refuse = (error: unknown): void => {
        const { code, message, details } = toAppError(error);
        if (requestId === undefined) return;
        const refusal = { rule: 'cancel', code, message, details };
        bus.publish('agent.prompt.response', { cid, turn: 0, requestId, refusal });
      };
      const late = new AppError('task-not-cancelable', 'The agent has not answered the cancel yet.');
      const stopWaiting = core.clock.after(CANCEL_MS, () => refuse(late));
      try {
        await watcher.cancel();
      } catch (error) {
        refuse(error);
      } finally {
        stopWaiting();
      }
    };

    core.turns.onLook(async (cid) => watchers.get(cid)?.look());

    bus.subscribe('agent.prompt.delegated', ({ cid, turn }) => watch(cid, turn));
    bus.subscribe('task.updated', ({ taskId, requestId, event, state }) => {
      if (isTerminal(state)) cancels.delete(taskId);
      // A message that started nothing: it is for the remote task.
      if (requestId !== undefined && !event) void watchers.get(taskId)?.look();
    });
    bus.subscribe('agent.prompt.cancel', (cancel) => {
      const { cid } = cancel;
      if (core.ledger.get(cid)?.envelope.watch?.state !== 'following') return;
      const watcher = watchers.get(cid);
      // Not waited for: the peer may take its time, and the bus must not.
      if (watcher) void passCancel(watcher, cancel);
      else cancels.set(cid, cancel);
    });

    mount(
      CALLBACK_PATH,
      callbackRouter(core, createErrorWriters(log).operator, {
        // Nobody makes the index busy by calling: one that is not followed yet, after a start, is looked up as it is written.
        taskOf: (watchId) => taskOf.get(watchId) ?? core.ledger.watches.find(watchId)?.taskId,
        look: (taskId) => (watchers.has(taskId) ? calls.called(taskId) : undefined),
      }),
    );

    /** In the background: the door need not wait for what happens elsewhere. */
    const rearm = async (): Promise<void> => {
      // Those of which it is not even known whether they began come first.
      const all = core.ledger.watches.all();
      const rows = [
        ...all.filter(({ state }) => state === 'sending'),
        ...all.filter(({ state }) => state !== 'sending'),
      ];
      for (let at = 0; at < rows.length && !stopped; at++) {
        const { taskId } = rows[at]!;
        const turn = core.ledger.get(taskId)?.envelope.turn;
        if (turn !== undefined) watch(taskId, turn, 'when-free');
        const pause = at % BATCH === BATCH - 1;
        if (pause) await new Promise<void>((resolve) => void core.clock.after(BATCH_MS, resolve));
      }
    };
    const startedEvent = ({ task, envelope }: TaskRecord): WatchEvent => ({
      watchId: envelope.watch?.id ?? '',
      taskId: task.id,
      caller: envelope.caller.id,
      agent: envelope.agent,
      ...(envelope.remote?.taskId !== undefined && { remoteTaskId: envelope.remote.taskId }),
    });

    return {
      ready() {
        rearm().catch((error: unknown) => log.error({ err: error }, 'taking up watches again failed'));
      },
      stop() {
        stopped = true;
        for (const watcher of watchers.values()) watcher.stop();
      },
    };
  },
});
