// What is left to do at the peer when a watch has ended here.
import type { WatchSettled } from '../../../src/bus/topics.js';
import { errorText } from '../../../src/errors.js';
import type { Logger } from '../../../src/log.js';
import type { Peer } from '../../../src/remote/remote-port.js';
import type { Callbacks } from './callbacks.js';

interface Left {
  callbacks: Callbacks;
  connect(): Promise<Peer>;
  settled: WatchSettled;
  log: Logger;
}

/** Takes back the push config, and cancels work that would go on for nobody. Never throws. */
export async function letGo({ callbacks, connect, settled: { end, taskId, remoteTaskId }, log }: Left): Promise<void> {
  await callbacks.forget(connect);
  if (end !== 'stopped' || remoteTaskId === undefined) return;
  try {
    await (await connect()).cancel(remoteTaskId);
  } catch (error) {
    log.info({ cid: taskId, reason: errorText(error) }, 'not canceled there');
  }
}
