// What a driver says and how its turn ends, as the host's handle and outcome take them. Nothing passes after the end, nor
// more than one turn may give out: whatever is shown is kept on the disk.
import type { Part } from '../../../src/a2a-model.js';
import type { Prompt, RunHandle, RunOutcome } from '../../../src/executors/contract.js';
import type { BlobStore } from '../../../src/workspace/blob-store.js';
import { safeFileName } from '../../../src/workspace/safe-file-name.js';
import type { DriverEvent, TurnEnd } from '../../../src/authoring/driver.js';
import { redactedFile } from '../../../src/secrets/redacted-value.js';
import { mediaTypeOf } from '../../../src/media-type.js';

interface OutgoingDeps {
  blobs: BlobStore;
  /** Largest file that is given away, in bytes. */
  maxFileBytes: number;
  /** Takes secrets out of texts. */
  redact(text: string): string;
  notify(prompt: Prompt, text: string): void;
}

/** How many files of the largest size one turn may give away. */
const FILES_OUT = 4;
/** Characters that one turn may show, and events other than pieces of an answer: beyond that somebody runs wild. */
const MAX_CHARACTERS = 2_000_000;
const MAX_EVENTS = 20_000;
/** Files that one turn may try to give away in vain. */
const MAX_LEFT_OUT = 20;
const TOO_MUCH: TurnEnd = { type: 'failed', text: 'The assistant said too much and was stopped.', code: 'too-much' };

/** One turn's way out. */
export class Outgoing {
  private readonly full = new AbortController();
  /** Bytes of files that may still go out. */
  private room: number;
  private characters = 0;
  private events = 0;
  private leftOut = 0;
  private artifacts = 0;
  private speaking = false;
  /** The first half of a character whose second one is to come. */
  private half = '';
  private ended = false;

  constructor(
    private readonly prompt: Prompt,
    private readonly handle: RunHandle,
    private readonly deps: OutgoingDeps,
  ) {
    this.room = FILES_OUT * deps.maxFileBytes;
  }

  /** Aborts when the turn has shown as much as it may. */
  get tooMuch(): AbortSignal {
    return this.full.signal;
  }

  /** What speaks against giving away a file of so many bytes. */
  refusal(bytes: number): string | undefined {
    const { maxFileBytes } = this.deps;
    if (bytes > maxFileBytes) return `it is larger than ${maxFileBytes} bytes`;
    return bytes > this.room ? 'too much was sent already' : undefined;
  }

  /** Shows one event. Ignored once the turn has ended or was aborted: a driver that talks on has no effects. */
  readonly emit = (event: DriverEvent): void => {
    if (this.ended || this.handle.signal.aborted || this.isTooMuch(event)) return;
    // Drivers from outside have no compiler to tell them; the host says so in the turn's end.
    if ('text' in event && typeof event.text !== 'string') return this.handle.status(event.text);
    switch (event.type) {
      case 'delta':
        return this.delta(event.text);
      case 'message-end':
        return this.endMessage();
      case 'status':
        return this.handle.status(event.text);
      case 'tool-started':
        return this.handle.toolStarted(event.tool);
      case 'tool-finished':
        return this.handle.toolFinished(event.tool, event.ok);
      case 'file':
        return this.file(event);
      case 'text':
        return this.artifact('text', { text: event.text });
      case 'data':
        return this.artifact('data', { data: event.data });
      case 'notice':
        return this.deps.notify(this.prompt, event.text);
      default:
        return event satisfies never;
    }
  };

  /** Closes the way and returns the run's outcome. Throws what a crashed driver threw, for the host to log. */
  end(given: TurnEnd): RunOutcome {
    const end = this.tooMuch.aborted && !this.handle.signal.aborted ? TOO_MUCH : given;
    if (this.speaking && !this.handle.signal.aborted) this.endMessage();
    this.ended = true;
    switch (end.type) {
      case 'done':
        return { kind: 'completed', ...(end.usage && { usage: end.usage }) };
      case 'question': {
        const { question, schema, from } = end;
        return { kind: 'question', question, from, ...(schema !== undefined && { schema }) };
      }
      case 'failed': {
        const { text, code, usage } = end;
        return { kind: 'failed', text, ...(code !== undefined && { code }), ...(usage && { usage }) };
      }
      case 'rejected':
        return { kind: 'rejected', text: end.text };
      case 'cancelled':
        return { kind: 'failed', text: 'The run was cancelled.', code: 'cancelled' };
      case 'crashed':
        throw end.error;
      default:
        return end satisfies never;
    }
  }

  private isTooMuch(event: DriverEvent): boolean {
    if (event.type !== 'delta' && event.type !== 'message-end') this.events += 1;
    this.characters += charactersOf(event);
    if (this.characters > MAX_CHARACTERS || this.events > MAX_EVENTS) this.full.abort();
    return this.tooMuch.aborted;
  }

  /** A model's pieces may end in the middle of a character. */
  private delta(text: string): void {
    const whole = this.half + text;
    this.half = /[\uD800-\uDBFF]$/.exec(whole)?.[0] ?? '';
    const ready = this.half === '' ? whole : whole.slice(0, -1);
    if (ready === '') return;
    this.speaking = true;
    this.handle.delta(ready);
  }

  private endMessage(): void {
    this.speaking = false;
    this.half = '';
    this.handle.endMessage();
  }

  private file(event: Extract<DriverEvent, { type: 'file' }>): void {
    const filename = safeFileName(event.name);
    const mediaType = event.mediaType ?? mediaTypeOf(filename);
    const reason = this.refusal(event.bytes.length);
    if (reason !== undefined) {
      if (++this.leftOut > MAX_LEFT_OUT) return this.full.abort();
      return this.handle.status(`the file ${filename} was left out: ${reason}`);
    }
    this.room -= event.bytes.length;
    const bytes = redactedFile(event.bytes, mediaType, (text) => this.deps.redact(text));
    this.artifact(filename, { ...this.deps.blobs.put(this.prompt.caller.scope, bytes), filename, mediaType });
  }

  /** Ids follow from the turn and the order within it, so that they are unique in the task. */
  private artifact(name: string, part: Part): void {
    const { cid, turn } = this.prompt;
    const artifactId = `${cid}-${turn}-${++this.artifacts}`;
    this.handle.artifact({ artifactId, name, parts: [part] }, { lastChunk: true });
  }
}

/** What an event shows as text. */
function charactersOf(event: DriverEvent): number {
  if ('text' in event) return typeof event.text === 'string' ? event.text.length : 0;
  return event.type === 'data' ? (JSON.stringify(event.data)?.length ?? 0) : 0;
}
