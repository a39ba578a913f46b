// A bus as tests use it: payloads sealed, log lines kept, time standing still.
import { pino } from 'pino';
import { Bus, type BusHandle } from '../../src/bus/bus.js';
import { TOPIC_KINDS, type TopicKind } from '../../src/bus/topics.js';
import type { Clock } from '../../src/clock.js';
import { sealPayload } from './sealed-payloads.js';

/** A participant that may read and write everything. */
export type OpenHandle = BusHandle<TopicKind, TopicKind>;

export interface TestBus {
  bus: Bus;
  /** Parsed log lines, oldest first. */
  logged: Record<string, unknown>[];
  /** Joins as a participant that declares every topic. */
  open(name: string): OpenHandle;
}

const stillClock: Clock = { now: () => 1_700_000_000_000, after: () => () => undefined };

export function testBus(): TestBus {
  const logged: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const bus = new Bus({ clock: stillClock, log, boot: 'b', inspect: sealPayload });
  return {
    bus,
    logged,
    open: (name) => bus.join({ name, consumes: TOPIC_KINDS, observes: [], produces: TOPIC_KINDS }),
  };
}
