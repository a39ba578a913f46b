// How much one turn of an agent may show: whatever is shown is kept on the disk, and a function that never stops must not
// fill it, nor the server's memory.
import type { Part } from '../../../src/a2a-model.js';
import { RunFailure } from '../../../src/executors/contract.js';

/** Statuses, percentages, artifacts and parts of the answer together. */
export const MOST_STEPS = 20_000;
/** Characters of texts and data together. */
export const MOST_CHARACTERS = 32 * 1024 * 1024;
/** Bytes of files. */
export const MOST_FILE_BYTES = 1024 * 1024 * 1024;

export class TurnAllowance {
  private readonly full = new AbortController();
  private steps = 0;
  private characters = 0;
  private fileBytes = 0;

  constructor(private readonly agent: string) {}

  /** Aborts, with the failure for a reason, when the turn wanted to show more than it may. */
  get tooMuch(): AbortSignal {
    return this.full.signal;
  }

  /** These three throw the RunFailure that the turn then ends with. */
  text(text: string): void {
    this.take(1, text.length, 0);
  }

  parts(parts: readonly Part[]): void {
    this.take(
      parts.length,
      parts.reduce((sum, part) => sum + charactersOf(part), 0),
      0,
    );
  }

  file(bytes: number): void {
    this.take(0, 0, bytes);
  }

  private take(steps: number, characters: number, fileBytes: number): void {
    this.steps += steps;
    this.characters += characters;
    this.fileBytes += fileBytes;
    const over = this.steps > MOST_STEPS || this.characters > MOST_CHARACTERS || this.fileBytes > MOST_FILE_BYTES;
    if (over && !this.full.signal.aborted) {
      this.full.abort(new RunFailure(`The agent ${this.agent} showed too much and was stopped.`, 'too-much'));
    }
    this.full.signal.throwIfAborted();
  }
}

const charactersOf = (part: Part): number => {
  if ('text' in part) return part.text.length;
  return 'blob' in part ? 0 : JSON.stringify(part).length;
};
