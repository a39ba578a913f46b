// Finds processes by a mark in their environment, which children inherit whatever they do to their process group: so
// nothing is killed that only happens to have an old process's number. Where there is no /proc, nothing is found.
import { readdirSync, readFileSync } from 'node:fs';

/** The variable that carries the mark. */
export const MARK_VARIABLE = 'A2A_SWITCHBOARD_AGENT';

/** Ids of this user's processes whose mark begins so; never the own one. */
export function markedProcesses(mark: string): number[] {
  const wanted = Buffer.from(`\0${MARK_VARIABLE}=${mark}`);
  return processIds().filter((pid) => pid !== process.pid && environmentOf(pid).includes(wanted));
}

/** Ends them at once. Returns how many there were. */
export function killMarked(mark: string): number {
  const found = markedProcesses(mark);
  for (const pid of found) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
  return found.length;
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** As it was at the process's start, with a leading zero byte. Empty for what can't be read: another user's, or gone. */
function environmentOf(pid: number): Buffer {
  try {
    return Buffer.concat([Buffer.from('\0'), readFileSync(`/proc/${pid}/environ`)]);
  } catch {
    return Buffer.alloc(0);
  }
}
