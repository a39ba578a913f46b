// The model behind the real agent: what it does follows from the last word of the user, or from a tool's result.
import { askedOf, textOf, type ChatRequest, type FakeReply } from '../support/fake-openai.js';

/** File that a granted command makes. */
export const MADE = 'made.txt';

export function answerOf(request: ChatRequest): FakeReply {
  const { messages, tools = [] } = request.body;
  // The agent asks for a title of the conversation on the side.
  if (tools.length === 0) return { text: 'a title' };
  const last = messages.at(-1);
  if (last?.role === 'tool') return { text: `the tool said: ${textOf(last).trim()}` };
  const asked = askedOf(request);
  const users = messages.filter(({ role }) => role === 'user').length;
  const tool = (name: string) =>
    tools.find(({ function: { name: full } }) => full.endsWith(name))?.function.name ?? name;
  if (asked.includes('STREAM')) return { text: ['one ', 'two ', 'three'] };
  if (asked.includes('COMMAND') || asked.includes('The operator has approved it')) {
    return { calls: [{ name: 'bash', args: { command: `echo made > ${MADE}`, description: 'makes a file' } }] };
  }
  if (asked.includes('QUESTION')) {
    return { calls: [{ name: tool('request_input'), args: { question: 'Which colour?' } }] };
  }
  if (asked.includes('HANG')) return { text: ['working on it'], then: 'hang' };
  return { text: `heard ${users} messages, the last: ${asked.split('\n').at(-1)}` };
}
