// A conversation with a language model: each turn is one run of several steps, told to the model with what came before.
import type { jsonSchema, ModelMessage, stepCountIs, streamText } from 'ai';
import type { LlmSettings } from '../../../../../src/workspace/driver-settings.js';
import type {
  DriverContext,
  DriverEvent,
  DriverSession,
  DriverTurn,
  TurnEnd,
} from '../../../../../src/authoring/driver.js';
import { FileTools } from '../../file-tools/file-tools.js';
import { plainTurn, type Conversation } from './conversation.js';
import { modelFailure, ModelFailure, reasonsOf } from './model-failure.js';
import { ModelRun } from './model-stream.js';
import { ModelTools, type ToolRun } from './model-tools.js';
import { orAborted, Patience } from './patience.js';
import { userContent } from './user-message.js';

interface LlmParts {
  settings: LlmSettings;
  context: DriverContext;
  conversation: Conversation;
  model: Parameters<typeof streamText>[0]['model'];
  library: { streamText: typeof streamText; stepCountIs: typeof stepCountIs; jsonSchema: typeof jsonSchema };
}

type Emit = (event: DriverEvent) => void;

export class LlmSession implements DriverSession {
  private readonly files: FileTools;
  /** Set while a turn runs. */
  private running: AbortController | undefined;

  constructor(private readonly parts: LlmParts) {
    this.files = new FileTools(parts.context);
  }

  async run(turn: DriverTurn, emit: Emit): Promise<TurnEnd> {
    if (turn.signal.aborted) return { type: 'cancelled' };
    const controller = new AbortController();
    // Without a reason: the library takes any other one for an error of the request.
    const abort = (): void => controller.abort();
    turn.signal.addEventListener('abort', abort, { once: true });
    this.running = controller;
    try {
      return await this.perform(turn, controller, emit);
    } catch (error) {
      return turn.signal.aborted ? { type: 'cancelled' } : { type: 'crashed', error };
    } finally {
      turn.signal.removeEventListener('abort', abort);
      this.running = undefined;
    }
  }

  close(): void {
    this.running?.abort();
  }

  private async perform(turn: DriverTurn, controller: AbortController, emit: Emit): Promise<TurnEnd> {
    const { library, conversation } = this.parts;
    const { signal } = controller;
    const { toolCalls, maxSteps, patienceSeconds } = this.parts.settings;
    // The last step is for the answer, so with one step there are no tools.
    const offered = toolCalls && maxSteps > 1 ? [...turn.tools, ...this.files.tools] : [];
    const { system, content } = this.prompt(turn, offered);
    const patience = new Patience(this.parts.context.clock, patienceSeconds * 1000, () => controller.abort());
    const call: ToolRun['call'] = (name, args) =>
      patience.during(() => (this.files.has(name) ? this.files.call(name, args, signal) : turn.callTool(name, args)));
    const tools = new ModelTools({ tools: offered, call, emit, signal }, library.jsonSchema);
    const run = new ModelRun();
    try {
      const stream = this.start(system, content, tools, signal);
      // A request that ignores its abort must not keep the turn.
      await orAborted(
        signal,
        run.read({ parts: stream.fullStream, emit, reached: (id) => tools.reached(id), alive: patience.alive }),
      );
      const { messages } = await stream.response;
      conversation.add(remembered(turn.message(), run.said, messages, tools.end));
      return endOf(run, tools.end, emit);
    } catch (error) {
      if (tools.end && !turn.signal.aborted) {
        // The question was asked; what the model still wanted to say does not count.
        conversation.add(plainTurn(turn.message(), said(run.said, tools.end)));
        return tools.end;
      }
      conversation.add(plainTurn(turn.message(), run.said));
      if (turn.signal.aborted) return { type: 'cancelled' };
      tools.abandon();
      return this.failed(
        patience.over ? new ModelFailure('model-timeout', { cause: error }) : modelFailure(error),
        run,
      );
    } finally {
      patience.end();
      // Breaks off whatever still runs, e.g. a stream that told of an error and goes on.
      controller.abort();
    }
  }

  private prompt(turn: DriverTurn, offered: Parameters<DriverTurn['frame']>[0]) {
    const { context, settings } = this.parts;
    const { system, prompt } = turn.frame(offered);
    return { system, content: userContent(prompt, turn.attachments, context.directory, settings) };
  }

  private start(system: string, content: ReturnType<typeof userContent>, tools: ModelTools, signal: AbortSignal) {
    const { library, model, settings, conversation } = this.parts;
    const { maxSteps, maxOutputTokens, temperature } = settings;
    const usable = Object.keys(tools.set).length > 0;
    return library.streamText({
      model,
      system,
      messages: [...conversation.messages(), { role: 'user', content }],
      ...(usable && { tools: tools.set }),
      prepareStep: ({ stepNumber }) => (usable && stepNumber + 1 >= maxSteps ? { toolChoice: 'none' } : {}),
      stopWhen: [library.stepCountIs(maxSteps), () => tools.end !== undefined],
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(temperature !== undefined && { temperature }),
      abortSignal: signal,
      maxRetries: 0,
      onError: () => undefined,
    });
  }

  private failed(failure: ModelFailure, run: ModelRun): TurnEnd {
    const { log, workspace } = this.parts.context;
    const { model } = this.parts.settings;
    log.warn({ workspace, model, code: failure.code, reasons: reasonsOf(failure.cause) }, 'a model failed');
    return { type: 'failed', text: failure.message, code: failure.code, usage: run.usage };
  }
}

function endOf(run: ModelRun, end: TurnEnd | undefined, emit: Emit): TurnEnd {
  if (end) return end;
  if (run.finish === 'length') emit({ type: 'status', text: 'the answer was cut off at its greatest length' });
  return { type: 'done', usage: run.usage };
}

const said = (words: string, end: TurnEnd | undefined): string =>
  [words, end?.type === 'question' ? end.question : ''].filter((text) => text !== '').join('\n\n');

/** The turn for later ones: without thoughts, and with the question as the assistant's own words. */
function remembered(message: string, words: string, messages: readonly ModelMessage[], end: TurnEnd | undefined) {
  const kept = messages.flatMap((one): ModelMessage[] => {
    if (one.role !== 'assistant' || typeof one.content === 'string') return [one];
    const content = one.content.filter((part) => part.type !== 'reasoning');
    return content.length > 0 ? [{ ...one, content }] : [];
  });
  const plain = plainTurn(message, said(words, end));
  if (end?.type === 'question') kept.push({ role: 'assistant', content: end.question });
  // What ends with a tool's result would have no answer.
  return kept.at(-1)?.role === 'assistant' ? { ...plain, messages: kept } : plain;
}
