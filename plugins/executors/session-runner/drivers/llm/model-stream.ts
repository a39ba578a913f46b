// Reads one run of the model to its end: words become events as they come, steps add up their usage, and whatever goes
// wrong is thrown as the failure that it is.
import type { TextStreamPart, ToolSet } from 'ai';
import type { Usage } from '../../../../../src/bus/topics.js';
import type { DriverEvent } from '../../../../../src/authoring/driver.js';
import { ModelFailure } from './model-failure.js';

interface StreamReading {
  parts: AsyncIterable<TextStreamPart<ToolSet>>;
  emit(event: DriverEvent): void;
  /** The stream has come to this tool call. */
  reached(callId: string): void;
  /** Something came. */
  alive(): void;
}

/** What is known of a run, also of one that failed. */
export class ModelRun {
  readonly usage: Usage = {};
  /** The assistant's messages so far, joined. */
  said = '';
  /** How the last step ended; undefined when the endpoint did not say. */
  finish: string | undefined;
  private speaking = false;

  /** Throws what the stream throws, the error that it tells of, and a ModelFailure when it stops without an end. */
  async read({ parts, emit, reached, alive }: StreamReading): Promise<void> {
    for await (const part of parts) {
      alive();
      switch (part.type) {
        case 'text-delta':
          if (part.text === '') break;
          if (!this.speaking && this.said !== '') this.said += '\n\n';
          this.speaking = true;
          this.said += part.text;
          emit({ type: 'delta', text: part.text });
          break;
        case 'text-end':
        case 'finish-step':
          if (this.speaking) emit({ type: 'message-end' });
          this.speaking = false;
          if (part.type === 'finish-step') this.step(part);
          break;
        case 'tool-call':
          reached(part.toolCallId);
          break;
        case 'error':
          throw part.error;
        default:
      }
    }
    if (this.finish === undefined) throw new ModelFailure('model-broke-off');
    if (this.finish === 'content-filter') throw new ModelFailure('model-filtered');
  }

  private step({
    usage,
    rawFinishReason,
    finishReason,
  }: Extract<TextStreamPart<ToolSet>, { type: 'finish-step' }>): void {
    this.finish = rawFinishReason === undefined ? undefined : finishReason;
    for (const name of ['inputTokens', 'outputTokens', 'totalTokens'] as const) {
      const tokens = usage[name];
      if (tokens !== undefined) this.usage[name] = (this.usage[name] ?? 0) + tokens;
    }
  }
}
