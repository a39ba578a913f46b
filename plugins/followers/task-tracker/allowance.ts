// How much one remote task may put into the task here: an agent that never stops must not fill this server's memory.
import type { Artifact, Part } from '../../../src/a2a-model.js';
import { RemoteError } from '../../../src/remote/remote-error.js';

/** Text and data, artifacts and statuses together; for files see `KeptParts`. */
export const MOST_BYTES = 32 * 1024 * 1024;
/** What each step costs beyond its content. */
const STEP_BYTES = 32;

export class Allowance {
  private used: number;

  /** `shown`: what the task has already. */
  constructor(
    private readonly agent: string,
    shown: readonly Artifact[],
  ) {
    this.used = shown.reduce((sum, { parts }) => sum + sizeOf(parts), 0);
  }

  /** Throws RemoteError with code `TOO_MUCH` when this is more than what is left. */
  take(parts: readonly Part[]): void {
    this.used += STEP_BYTES + sizeOf(parts);
    if (this.used <= MOST_BYTES) return;
    const text = `${this.agent} sent more than a task here takes: ${MOST_BYTES / 1024 / 1024} MiB of text and data.`;
    throw new RemoteError('refused', text, true, { code: 'TOO_MUCH' });
  }
}

const sizeOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : JSON.stringify(part).length), 0);
