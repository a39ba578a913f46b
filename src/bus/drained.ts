// Waits for what is on the bus while the server stops. A handler of a plugin may never settle: it is waited for once, and
// nothing of the product's own waits for it.
import type { Clock } from '../clock.js';
import type { Bus } from './bus.js';

const HANDLERS_MS = 5_000;

/** Resolves when everything is delivered and handled, or the patience with handlers is over. */
export async function drained(bus: Pick<Bus, 'drain' | 'giveUp'>, clock: Clock): Promise<void> {
  let cancel = (): void => undefined;
  const late = new Promise<void>((resolve) => (cancel = clock.after(HANDLERS_MS, resolve)));
  await Promise.race([bus.drain(), late]);
  cancel();
  bus.giveUp();
}
