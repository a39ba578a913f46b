// Mixed load from several clients at once, until the server dies or the time is over.
import { setTimeout as sleep } from 'node:timers/promises';
import { A2aClient, Disconnected } from '../support/a2a-client.js';
import type { Random } from '../support/random.js';
import type { ServerChild } from '../support/server-child.js';
import { OPERATOR_KEY, type TestHome } from '../support/test-home.js';
import type { Model } from './model.js';
import { SCENARIOS } from './scenarios.js';

const CLIENTS = 8;

export interface Traffic {
  /** Resolves when every client has stopped. */
  finished: Promise<void>;
  /** Lets the visits that are under way end, and starts no more. */
  stop(): void;
}

let visits = 0;

/** What a client met that no client should: kept in `complaints`. */
export function startTraffic(
  server: ServerChild,
  home: TestHome,
  model: Model,
  random: Random,
  complaints: string[],
): Traffic {
  let stopped = false;
  const operator = new A2aClient(server.url, OPERATOR_KEY);
  const owners = Object.keys(home.keys);

  const client = async (i: number): Promise<void> => {
    const owner = owners[i % owners.length] as string;
    const own = new A2aClient(server.url, home.keys[owner] as string);
    while (!stopped && server.alive) {
      const scenario = random.pick(SCENARIOS);
      try {
        await scenario({ owner, client: own, operator, model, random, n: `m${process.pid}-${++visits}` });
      } catch (error) {
        if (error instanceof Disconnected && (await died(server))) return;
        if (server.alive || !(error instanceof Disconnected)) {
          complaints.push(
            `a visit failed: ${error instanceof Error ? `${error.stack} ${String(error.cause)}` : String(error)}`,
          );
          return;
        }
      }
    }
  };
  const finished = Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(i))).then(() => undefined);
  return { finished, stop: () => void (stopped = true) };
}

/** A connection may break a moment before the process is known to be gone. */
async function died(server: ServerChild): Promise<boolean> {
  return Promise.race([server.exited.then(() => true), sleep(2_000).then(() => false)]);
}
