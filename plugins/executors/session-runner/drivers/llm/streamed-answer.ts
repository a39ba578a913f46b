// Makes every good answer of an endpoint a stream of server-sent events: some answer a request for a stream with one JSON
// document, and what is neither is a failure of its own.
import { ModelFailure } from './model-failure.js';

/** Bytes of one JSON document. */
const MAX_DOCUMENT = 16 * 1024 * 1024;

/** Throws ModelFailure `model-answer`. Answers with an error status pass as they are. */
export async function streamedAnswer(answer: Response): Promise<Response> {
  if (!answer.ok) return answer;
  const type = answer.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/event-stream') return answer;
  if (type === 'application/json') return new Response(eventsOf(await documentOf(answer)), { headers: EVENT_STREAM });
  // Some proxies lose the type; a web page is told by it.
  if (type === '' || type === 'text/plain' || type === 'application/octet-stream') return answer;
  await answer.body?.cancel().catch(() => undefined);
  throw new ModelFailure('model-answer');
}

const EVENT_STREAM = { 'content-type': 'text/event-stream' };

async function documentOf(answer: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MAX_DOCUMENT) throw new ModelFailure('model-answer');
  }
  try {
    return JSON.parse(text + decoder.decode()) as unknown;
  } catch (error) {
    throw new ModelFailure('model-answer', { cause: error });
  }
}

/** A `chat.completion` document as the stream of chunks that it stands for. */
export function eventsOf(document: unknown): string {
  const { choices, usage, error, id, model } = asObject(document);
  if (error !== undefined) return event({ error });
  const choice = asObject(Array.isArray(choices) ? choices[0] : undefined);
  const { role, content, tool_calls: calls } = asObject(choice['message']);
  const toolCalls = Array.isArray(calls) ? calls.map((call, index) => ({ ...asObject(call), index })) : [];
  if (typeof content !== 'string' && toolCalls.length === 0 && typeof choice['finish_reason'] !== 'string') {
    throw new ModelFailure('model-answer');
  }
  const delta = { role, content, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) };
  const head = { id, model };
  return [
    event({ ...head, choices: [{ index: 0, delta }] }),
    event({ ...head, choices: [{ index: 0, delta: {}, finish_reason: choice['finish_reason'] ?? 'stop' }], usage }),
    'data: [DONE]\n\n',
  ].join('');
}

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
