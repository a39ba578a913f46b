// The driver for any endpoint that speaks OpenAI's chat completions. The library is loaded with the first conversation:
// most starts do without.
import { RunFailure } from '../../../../../src/executors/contract.js';
import { LLM_SETTINGS, type LlmSettings } from '../../../../../src/workspace/driver-settings.js';
import type { Driver, DriverContext, DriverSession } from '../../../../../src/authoring/driver.js';
import { Conversation } from './conversation.js';
import { LlmSession } from './llm-session.js';
import { pastTurns } from './past-turns.js';
import { retryingFetch } from './retrying-fetch.js';
import { streamedAnswer } from './streamed-answer.js';

export const llmDriver: Driver = {
  name: 'llm',
  async open(context): Promise<DriverSession> {
    const settings = settingsOf(context);
    const apiKey = keyOf(context, settings);
    const { library, createOpenAICompatible } = await (loaded ??= load());
    const provider = createOpenAICompatible({
      name: 'endpoint',
      baseURL: settings.baseUrl,
      ...(apiKey !== undefined && { apiKey }),
      includeUsage: true,
      fetch: endpointFetch(context),
    });
    return new LlmSession({
      settings,
      context,
      conversation: new Conversation(settings.historyTokens, pastTurns(context.history())),
      model: provider(settings.model),
      library,
    });
  },
};

let loaded: ReturnType<typeof load> | undefined;

async function load() {
  const library = await import('ai');
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  // Else it writes to the console.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return { library, createOpenAICompatible };
}

function endpointFetch(context: DriverContext): DriverContext['fetch'] {
  const { clock, log, workspace } = context;
  const waiting = (ms: number): void => log.info({ workspace, ms }, 'a model asks for a pause');
  const retrying = retryingFetch(context.fetch, { clock, waiting });
  return async (input, init) => streamedAnswer(await retrying(input, init));
}

function settingsOf({ settings, log, workspace }: DriverContext): LlmSettings {
  const parsed = LLM_SETTINGS.safeParse(settings.driver);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path }) => `driver.${path.join('.')}`);
  log.warn({ workspace, problems }, 'settings of the llm driver are not usable');
  throw new RunFailure('The language model of this assistant is not set up.', 'model-settings');
}

/** Throws a RunFailure when the named variable is not set. */
function keyOf({ environment, log, workspace }: DriverContext, { keyEnv }: LlmSettings): string | undefined {
  if (keyEnv === undefined) return undefined;
  const key = environment.secret(keyEnv);
  if (key !== undefined) return key;
  log.warn({ workspace, variable: keyEnv }, 'the variable with the key of a language model is not set');
  throw new RunFailure('The language model of this assistant is not set up.', 'model-settings');
}
