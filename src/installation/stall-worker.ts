// Runs beside the main thread and looks whether that one still turns. When it has stood still for a while, this asks the
// engine where it stands, lets it go on, and tells: code that blocks the event loop can't be found out from inside it.
import { Session, type Debugger, type InspectorNotification } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';

/** What the main thread is told about a stall once it turns again. */
export interface Stall {
  /** Where it stood, innermost first: `<url>:<line>`. Empty when it was in no code of JavaScript. */
  frames: string[];
}

export interface StallWatchData {
  beat: SharedArrayBuffer;
  stalledAfterMs: number;
}

const EVERY_MS = 100;
const FRAMES = 20;

const { beat, stalledAfterMs } = workerData as StallWatchData;
const beats = new Int32Array(beat);
let last = Atomics.load(beats, 0);
let since = performance.now();
let told = false;

setInterval(() => {
  const now = Atomics.load(beats, 0);
  if (now !== last) {
    last = now;
    since = performance.now();
    told = false;
  } else if (!told && performance.now() - since > stalledAfterMs) {
    told = true;
    lookAtMainThread((frames) => parentPort?.postMessage({ frames } satisfies Stall));
  }
}, EVERY_MS);

function lookAtMainThread(done: (frames: string[]) => void): void {
  const session = new Session();
  session.connectToMainThread();
  const urls = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }: InspectorNotification<Debugger.ScriptParsedEventDataType>) => {
    urls.set(params.scriptId, params.url);
  });
  session.on('Debugger.paused', ({ params }: InspectorNotification<Debugger.PausedEventDataType>) => {
    const frames = params.callFrames.slice(0, FRAMES).map(({ location: { scriptId, lineNumber } }) => {
      return `${urls.get(scriptId) ?? ''}:${lineNumber + 1}`;
    });
    session.post('Debugger.resume');
    session.post('Debugger.disable', () => session.disconnect());
    done(frames);
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
}
