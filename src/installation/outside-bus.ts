// The bus as a plugin from outside has it: what it publishes is checked, what it is handed is its own copy, and all its
// subscriptions end together.
import type { BusHandle, Unsubscribe } from '../bus/bus.js';
import type { TopicKind } from '../bus/topics.js';
import { payloadProblem } from './outside-topics.js';

interface OutsideBus {
  handle: BusHandle<TopicKind, TopicKind>;
  /** Ends all its subscriptions. */
  leave(): void;
}

/** @param inner narrowed to what the plugin declared. @param refused is told of every publish that was refused. */
export function outsideBus(inner: BusHandle<TopicKind, TopicKind>, refused: (problem: string) => void): OutsideBus {
  const open = new Set<Unsubscribe>();
  let left = false;
  const mustBeHere = (): void => {
    if (left) throw new Error('bus: this plugin does not run any more');
  };
  const kept = (listen: () => Unsubscribe): Unsubscribe => {
    mustBeHere();
    const end = listen();
    const once = (): void => {
      open.delete(once);
      end();
    };
    open.add(once);
    return once;
  };
  return {
    handle: {
      publish(kind, payload, options) {
        try {
          mustBeHere();
          const problem = payloadProblem(kind, payload);
          if (problem !== undefined) throw new Error(`bus: a wrong payload for ${kind}: ${problem}`);
          inner.publish(kind, structuredClone(payload), options);
        } catch (error) {
          refused((error as Error).message);
          throw error;
        }
      },
      subscribe: (kind, handler) =>
        kept(() =>
          inner.subscribe(kind, (payload, envelope) => handler(structuredClone(payload), structuredClone(envelope))),
        ),
      subscribeTo: (kind, id, handler) =>
        kept(() =>
          inner.subscribeTo(kind, id, (payload, envelope) =>
            handler(structuredClone(payload), structuredClone(envelope)),
          ),
        ),
      tap: (pattern, handler) => kept(() => inner.tap(pattern, (envelope) => handler(structuredClone(envelope)))),
    },
    leave: () => {
      left = true;
      for (const end of [...open]) end();
    },
  };
}
