// A full garbage collection, without a flag on the command line, for tests that measure the heap.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Collects whatever nothing refers to any more; twice, so that what finalisers released goes too. */
export function collectGarbage(): void {
  gc();
  gc();
}
