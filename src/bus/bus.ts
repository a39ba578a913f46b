// The bus: mitt underneath; on top isolation, one order for everybody, wildcards, narrowing and drain.
// Invariant: `publish` returns before any handler runs and never throws because of one.
import mitt from 'mitt';
import type { Clock } from '../clock.js';
import { errorText, readable } from '../errors.js';
import type { Logger } from '../log.js';
import type { Envelope } from './envelope.js';
import { isPattern, matches } from './pattern.js';
import { TOPIC_KINDS, TOPIC_SUFFIX, type TopicKind, type TopicMap } from './topics.js';

type Handler<K extends TopicKind> = (payload: TopicMap[K], envelope: Envelope<K>) => void | Promise<void>;
/** Ends a subscription; calling it again does nothing. */
export type Unsubscribe = () => void;

/** What a participant of the bus says about itself. The flow diagram and the chokepoint test read these. */
export interface Declaration {
  name: string;
  /** Topics it answers or acts on. */
  consumes: readonly TopicKind[];
  /** Topics it only watches. */
  observes: readonly TopicKind[];
  produces: readonly TopicKind[];
}

interface PublishOptions {
  causationId?: string;
  traceparent?: string;
}

/** A participant's view of the bus: only what it declared, by type and at run time. */
export interface BusHandle<Reads extends TopicKind, Writes extends TopicKind> {
  publish<K extends Writes>(kind: K, payload: TopicMap[K], options?: PublishOptions): void;
  /** All topics of a kind: `agent.prompt.progress` means `agent.prompt.progress.*`. */
  subscribe<K extends Reads>(kind: K, handler: Handler<K>): Unsubscribe;
  /** One topic of a kind: the last segment is `id`. Prefer one `subscribe` and a map where there are many. */
  subscribeTo<K extends Reads>(kind: K, id: string, handler: Handler<K>): Unsubscribe;
  /** Whatever fits a pattern (`task.>`, `*.prompt.response.*`), within the declared kinds. */
  tap(pattern: string, handler: (envelope: Envelope) => void | Promise<void>): Unsubscribe;
}

/** After this many deliveries without a pause the bus lets the event loop breathe. */
const DELIVERIES_PER_TURN = 10_000;

export class Bus {
  private readonly emitter = mitt<Record<string, Envelope>>();
  private readonly queue: Envelope[] = [];
  private readonly inFlight = new Set<Promise<void>>();
  private readonly participants: Declaration[] = [];
  private current: Envelope | undefined;
  private scheduled = false;
  private published = 0;

  constructor(
    private readonly deps: {
      clock: Clock;
      log: Logger;
      /** Prefix of envelope ids, unique to this process. */
      boot: string;
      /** Takes secrets out of what a handler threw, which is published. */
      redact?: (text: string) => string;
      /** Tests pass a check that throws on payloads that are shared or not serialisable. */
      inspect?: (envelope: Envelope) => void;
    },
  ) {}

  /** All declarations so far, in the order they joined. */
  get declarations(): readonly Declaration[] {
    return this.participants;
  }

  /** How many topics have subscribers; for leak tests. */
  get subscribedTopics(): number {
    return this.emitter.all.size;
  }

  /** Adds a participant and hands it its narrowed bus. Throws when the name is taken. */
  join<C extends TopicKind, O extends TopicKind, P extends TopicKind>(declaration: {
    name: string;
    consumes: readonly C[];
    observes: readonly O[];
    produces: readonly P[];
  }): BusHandle<C | O, P> {
    if (this.participants.some((other) => other.name === declaration.name)) {
      throw new Error(`bus: there is already a participant named ${declaration.name}`);
    }
    this.participants.push(declaration);
    const { name } = declaration;
    const reads = new Set<TopicKind>([...declaration.consumes, ...declaration.observes]);
    const writes = new Set<TopicKind>(declaration.produces);
    const mayRead = (kind: TopicKind): void => {
      if (!reads.has(kind))
        throw new Error(`bus: ${name} has not declared that it reads ${kind}: list it in observes or consumes`);
    };
    return {
      publish: (kind, payload, options) => {
        if (!writes.has(kind))
          throw new Error(`bus: ${name} has not declared that it produces ${kind}: list it in produces`);
        this.publish(name, kind, payload, options);
      },
      subscribe: (kind, handler) => {
        mayRead(kind);
        return this.listen(name, [kind], handler as (p: unknown, e: Envelope) => void);
      },
      subscribeTo: (kind, id, handler) => {
        mayRead(kind);
        return this.listen(name, [`${kind}.${id}`], handler as (p: unknown, e: Envelope) => void);
      },
      tap: (pattern, handler) => {
        if (!isPattern(pattern)) throw new Error(`bus: ${pattern} is no topic pattern`);
        const kinds = TOPIC_KINDS.filter((kind) => reads.has(kind));
        return this.listen(name, kinds, (_payload, envelope) =>
          matches(pattern, envelope.topic) ? handler(envelope) : undefined,
        );
      },
    };
  }

  /** Resolves when the queue is empty and every handler has settled. */
  async drain(): Promise<void> {
    while (this.queue.length > 0 || this.scheduled || this.inFlight.size > 0) {
      if (this.inFlight.size > 0) await Promise.allSettled(this.inFlight);
      else await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Handlers that have not settled by now are waited for no more. */
  giveUp(): void {
    this.inFlight.clear();
  }

  private publish<K extends TopicKind>(source: string, kind: K, payload: TopicMap[K], options?: PublishOptions): void {
    const suffix = TOPIC_SUFFIX[kind];
    const fields = payload as { cid?: string; turn?: number; traceparent?: string };
    const envelope: Envelope<K> = {
      id: `${this.deps.boot}-${++this.published}`,
      kind,
      topic: suffix === null ? kind : `${kind}.${String(payload[suffix])}`,
      time: this.deps.clock.now(),
      cid: fields.cid,
      turn: fields.turn,
      causationId: options?.causationId ?? this.current?.id,
      source,
      traceparent: options?.traceparent ?? fields.traceparent ?? this.current?.traceparent,
      payload,
    };
    this.deps.inspect?.(envelope as Envelope);
    this.queue.push(envelope as Envelope);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => this.deliver());
  }

  private deliver(): void {
    let delivered = 0;
    for (; delivered < this.queue.length && delivered < DELIVERIES_PER_TURN; delivered++) {
      const envelope = this.queue[delivered] as Envelope;
      this.current = envelope;
      this.emitter.emit(envelope.kind, envelope);
      if (envelope.topic !== envelope.kind) this.emitter.emit(envelope.topic, envelope);
    }
    this.current = undefined;
    this.queue.splice(0, delivered);
    this.scheduled = false;
    if (this.queue.length > 0) {
      this.scheduled = true;
      setImmediate(() => this.deliver());
    }
  }

  private listen(
    name: string,
    topics: readonly string[],
    handler: (payload: unknown, envelope: Envelope) => void | Promise<void>,
  ): Unsubscribe {
    let active = true;
    // Subscribing inside a handler starts with the next envelope, whether one topic or a kind is subscribed to.
    const bornDuring = this.current?.id;
    // mitt emits over a copy of its list and stops at a throw: the wrapper checks `active` and never throws.
    const guarded = (envelope: Envelope): void => {
      if (!active || envelope.id === bornDuring) return;
      try {
        const result: unknown = handler(envelope.payload, envelope);
        if (isThenable(result)) this.track(name, envelope, result);
      } catch (error) {
        this.failed(name, envelope, error);
      }
    };
    for (const topic of topics) this.emitter.on(topic, guarded);
    return () => {
      if (!active) return;
      active = false;
      for (const topic of topics) {
        this.emitter.off(topic, guarded);
        if (this.emitter.all.get(topic)?.length === 0) this.emitter.all.delete(topic);
      }
    };
  }

  private track(name: string, envelope: Envelope, result: PromiseLike<unknown>): void {
    const settled = Promise.resolve(result).then(
      () => undefined,
      (error: unknown) => this.failed(name, envelope, error),
    );
    this.inFlight.add(settled);
    void settled.finally(() => this.inFlight.delete(settled));
  }

  private failed(plugin: string, envelope: Envelope, error: unknown): void {
    const { text, err } = describe(error);
    this.deps.log.error({ plugin, topic: envelope.topic, cid: envelope.cid, err }, 'a bus handler failed');
    // A failing handler of plugin.failed only logs; announcing it would loop.
    if (envelope.kind === 'plugin.failed') return;
    const failure = { plugin, topic: envelope.topic, error: this.deps.redact?.(text) ?? text };
    this.publish('bus', 'plugin.failed', failure, { causationId: envelope.id, traceparent: envelope.traceparent });
  }
}

// Not `instanceof Promise`: promises of another realm and those of libraries must be waited for as well.
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** What was thrown, for the log and the bus. */
function describe(thrown: unknown): { text: string; err: unknown } {
  const error = readable(thrown);
  const text = errorText(error);
  return { text, err: error instanceof Error ? error : text };
}
