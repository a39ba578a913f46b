// How much memory a server process holds after a garbage collection.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerChild } from '../support/server-child.js';
import { compiledScript } from './script.js';

export interface Memory {
  /** Bytes. */
  rss: number;
  /** JavaScript heap plus what it holds outside (buffers). */
  heap: number;
}

/** Flags with which a server can be asked for its memory. */
export const probeFlags = (): string[] => ['--expose-gc', '--import', compiledScript('memory-probe')];

/** Asks a server that was started with `probeFlags`. */
export async function readMemory(child: ServerChild): Promise<Memory> {
  const readings = (): RegExpExecArray[] => [...child.stderr().matchAll(/^memory (\d+) (\{.*\})$/gm)];
  const before = Number(readings().at(-1)?.[1] ?? 0);
  child.signal('SIGUSR2');
  for (let waited = 0; waited < 30_000; waited += 20) {
    const last = readings().at(-1);
    if (last !== undefined && Number(last[1]) > before) {
      const usage = JSON.parse(last[2] ?? '') as NodeJS.MemoryUsage;
      return { rss: usage.rss, heap: usage.heapUsed + usage.external };
    }
    await sleep(20);
  }
  throw new Error('the server did not tell its memory');
}
