// Finds plugins that block the event loop: a thread beside this one sees that it stands still, and where.
import { Worker } from 'node:worker_threads';
import { errorText } from '../errors.js';
import type { Logger } from '../log.js';
import type { PluginReports } from './plugin-reports.js';
import type { Stall, StallWatchData } from './stall-worker.js';

const STALLED_AFTER_MS = 1_000;
const BEAT_MS = 100;

/** Begins to watch; the returned function ends it. */
export function watchStalls(reports: PluginReports, log: Logger): () => void {
  const beat = new SharedArrayBuffer(4);
  const beats = new Int32Array(beat);
  const timer = setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS);
  timer.unref();
  const workerData: StallWatchData = { beat, stalledAfterMs: STALLED_AFTER_MS };
  const worker = new Worker(new URL('./stall-worker.js', import.meta.url), { workerData });
  worker.unref();
  worker.on('message', ({ frames }: Stall) => blame(frames, reports, log));
  worker.on('error', (error) => log.warn({ reason: errorText(error) }, 'nobody watches for a blocked event loop'));
  return () => {
    clearInterval(timer);
    void worker.terminate();
  };
}

/** The innermost frame of a plugin's code is the one that did it. */
function blame(frames: readonly string[], reports: PluginReports, log: Logger): void {
  const place = frames.find((frame) => reports.whose(frame) !== undefined);
  const plugin = place === undefined ? undefined : reports.whose(place);
  if (plugin !== undefined) {
    reports.fault(plugin, `it blocks the event loop, at ${place}; whatever else runs here waits for it`);
  } else log.warn({ at: frames[0] ?? 'in no code of JavaScript' }, 'the event loop was blocked');
}
