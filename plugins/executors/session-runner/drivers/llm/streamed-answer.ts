// Makes every good answer of an endpoint a stream of server-sent events: some answer a request for a stream with one JSON
// document, and what is neither is a failure of its own. So is one without end: what comes is kept for the whole turn, also
// what nobody is shown, such as thoughts and arguments of tools.
import { ModelFailure } from './model-failure.js';

/** Bytes of one JSON document. */
const MAX_DOCUMENT = 16 * 1024 * 1024;
/** Bytes of one stream: a hundred thousand tokens, each in an event of its own. */
const MAX_STREAM = 32 * 1024 * 1024;

/** Throws ModelFailure `model-answer`, as does the body when too much comes. An error's answer passes as it is. */
export async function streamedAnswer(answer: Response): Promise<Response> {
  if (!answer.ok) return answer;
  const type = answer.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/event-stream') return limited(answer);
  if (type === 'application/json') return new Response(eventsOf(await documentOf(answer)), { headers: EVENT_STREAM });
  // Some proxies lose the type; a web page is told by it.
  if (type === '' || type === 'text/plain' || type === 'application/octet-stream') return limited(answer);
  await answer.body?.cancel().catch(() => undefined);
  throw new ModelFailure('model-answer');
}

function limited(answer: Response): Response {
  let left = MAX_STREAM;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      left -= piece.length;
      if (left < 0) throw new ModelFailure('model-answer');
      controller.enqueue(piece);
    },
  });
  return new Response(answer.body?.pipeThrough(counting), { status: answer.status, headers: answer.headers });
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
