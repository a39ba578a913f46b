// Results of `once`: found with the task, or made now and stored with it before anybody sees them.
import type { Ledger } from '../../../src/ledger/ledger-port.js';
import type { Kept } from '../../../src/ledger/records.js';

const MAX_BYTES = 64 * 1024;
const MOST = 200;

export class Keepsakes {
  /** What this run has made or is making; the same id twice at once is one piece of work. */
  private readonly made = new Map<string, Promise<unknown>>();

  constructor(
    private readonly taskId: string,
    private readonly turn: number,
    private readonly ledger: Pick<Ledger, 'get' | 'keep'>,
  ) {}

  /** @param mustRun throws when the run has ended meanwhile: its work counts no more. */
  once<T>(id: string, work: () => T | Promise<T>, mustRun: () => void): Promise<T> {
    let known = this.made.get(id);
    if (!known) {
      known = this.findOrMake(id, work, mustRun);
      this.made.set(id, known);
      // It may be tried again: nothing was kept. Work may throw at once, so this is known only after it was noted.
      known.catch(() => this.made.delete(id));
    }
    return known as Promise<T>;
  }

  private async findOrMake(id: string, work: () => unknown, mustRun: () => void): Promise<unknown> {
    const kept = this.ledger.get(this.taskId)?.envelope.kept ?? [];
    const found = kept.find((one) => one.id === id);
    if (found) return structuredClone(found.value);
    if (kept.length >= MOST) throw new Error(`once('${id}'): a task keeps at most ${MOST} results`);
    const made = plain(id, await work());
    mustRun();
    await this.ledger.keep(this.taskId, this.turn, made);
    return structuredClone(made.value);
  }
}

/** As it will be found again, so that the first run sees nothing that later ones don't. */
function plain(id: string, value: unknown): Kept {
  if (value === undefined) return { id };
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined;
  }
  if (text === undefined) throw new Error(`once('${id}'): the result must be plain JSON`);
  if (Buffer.byteLength(text) > MAX_BYTES) {
    throw new Error(`once('${id}'): the result is larger than ${MAX_BYTES} bytes; send it as an artifact`);
  }
  return { id, value: JSON.parse(text) as unknown };
}
