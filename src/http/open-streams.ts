// Who has how many streams open, and with which key: a caller can't take them all, and a stream ends soon after its key
// does. One timer looks at all keys that hold a stream; a stream costs an entry in a set.
import type { Clock } from '../clock.js';
import { AppError } from '../errors.js';

/** A stream, as far as somebody else may end it. */
export interface Endable {
  /** Ends it soon; again does nothing. */
  stop(): void;
}

interface StreamLimits {
  perCaller: number;
  total: number;
}

/** All streams that a caller opened with one key. */
export class StreamGroup {
  readonly streams = new Set<Endable>();

  constructor(
    readonly callerId: string,
    /** Absent where a plugin's authenticator said who calls. */
    readonly keyHash: string | undefined,
    private readonly released: (group: StreamGroup) => void,
  ) {}

  /** Gives the stream's place back; again does nothing. */
  release(stream: Endable): void {
    if (this.streams.delete(stream)) this.released(this);
  }
}

interface OpenStreamsDeps {
  limits: StreamLimits;
  clock: Clock;
  /** Whose key that is now, if it is good. */
  ownerOf(keyHash: string): string | undefined;
  /** Whether that caller stands in its owner's file. */
  isCaller(callerId: string): boolean;
}

/** How often keys and callers are looked at (ms): the streams of a revoked one are gone within a second. */
const LOOK_MS = 500;
const RETRY_AFTER = 5;

export class OpenStreams {
  private readonly groups = new Map<string, StreamGroup>();
  private readonly byCaller = new Map<string, number>();
  private cancelLook: (() => void) | undefined;
  private count = 0;
  /** Streams that found no place. */
  refused = 0;

  constructor(private readonly deps: OpenStreamsDeps) {}

  get open(): number {
    return this.count;
  }

  /** Throws AppError `rate-limited` when the caller has too many, `overloaded` when everybody together has. */
  mustHaveRoom(callerId: string): void {
    const { perCaller, total } = this.deps.limits;
    const retryAfter = RETRY_AFTER;
    const ofCaller = this.of(callerId);
    if (ofCaller >= perCaller || this.count >= total) this.refused++;
    if (ofCaller >= perCaller) {
      throw new AppError('rate-limited', `This caller has ${perCaller} open streams, its limit.`, { retryAfter });
    }
    if (this.count >= total) throw new AppError('overloaded', 'Too many streams are open.', { retryAfter });
  }

  /** Throws as `mustHaveRoom` does. */
  take(callerId: string, keyHash: string | undefined, stream: Endable): StreamGroup {
    this.mustHaveRoom(callerId);
    const group = this.groupOf(callerId, keyHash);
    group.streams.add(stream);
    this.bump(callerId, 1);
    this.cancelLook ??= this.deps.clock.after(LOOK_MS, () => this.look());
    return group;
  }

  of(callerId: string): number {
    return this.byCaller.get(callerId) ?? 0;
  }

  private groupOf(callerId: string, keyHash: string | undefined): StreamGroup {
    const name = nameOf(callerId, keyHash);
    let group = this.groups.get(name);
    if (!group) this.groups.set(name, (group = new StreamGroup(callerId, keyHash, (left) => this.released(left))));
    return group;
  }

  private released({ callerId, keyHash, streams }: StreamGroup): void {
    this.bump(callerId, -1);
    if (streams.size === 0) this.groups.delete(nameOf(callerId, keyHash));
    if (this.count > 0) return;
    this.cancelLook?.();
    this.cancelLook = undefined;
  }

  private bump(callerId: string, change: number): void {
    this.count += change;
    const left = this.of(callerId) + change;
    if (left > 0) this.byCaller.set(callerId, left);
    else this.byCaller.delete(callerId);
  }

  private look(): void {
    this.cancelLook = this.deps.clock.after(LOOK_MS, () => this.look());
    for (const { callerId, keyHash, streams } of this.groups.values()) {
      const { ownerOf, isCaller } = this.deps;
      if (keyHash === undefined ? isCaller(callerId) : ownerOf(keyHash) === callerId) continue;
      for (const stream of [...streams]) stream.stop();
    }
  }
}

/** A space is in no caller's id. */
const nameOf = (callerId: string, keyHash = ''): string => `${callerId} ${keyHash}`;
