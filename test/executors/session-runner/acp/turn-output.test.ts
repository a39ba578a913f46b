import { TurnOutput } from '../../../../plugins/executors/session-runner/drivers/acp/turn-output.js';
import type { DriverEvent } from '../../../../src/authoring/driver.js';

const shown = (...updates: unknown[]): DriverEvent[] => {
  const events: DriverEvent[] = [];
  const output = new TurnOutput((event) => void events.push(event));
  for (const update of updates) output.apply(update);
  output.endMessage();
  return events;
};
const chunk = (text: string, messageId?: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...(messageId !== undefined && { messageId }),
});
const END = { type: 'message-end' };

describe('an agent’s updates', () => {
  it('become messages that end where the next one or a tool begins', () => {
    const tool = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'read' };
    expect(shown(chunk('a', '1'), chunk('b', '1'), chunk('c', '2'), tool, chunk('d', '2'))).toEqual([
      { type: 'delta', text: 'a' },
      { type: 'delta', text: 'b' },
      END,
      { type: 'delta', text: 'c' },
      END,
      { type: 'tool-started', tool: 'read' },
      { type: 'delta', text: 'd' },
      END,
    ]);
  });

  it.each([
    [{ name: 'bash', title: 'rm -rf /', kind: 'execute' }, 'bash'],
    [{ title: 'rm -rf /', kind: 'execute' }, 'execute'],
    [{ title: 'server_tool' }, 'server_tool'],
    [{ title: 'rm -rf /' }, 'a tool'],
  ])('name a tool without its arguments: %j', (call, tool) => {
    expect(shown({ sessionUpdate: 'tool_call', toolCallId: 't', ...call })).toEqual([{ type: 'tool-started', tool }]);
  });

  it('start and finish each tool once, also one that only its updates tell of', () => {
    const update = { sessionUpdate: 'tool_call_update', toolCallId: 't', name: 'x' };
    const failed = { ...update, status: 'failed' };
    expect(shown(update, { ...update, status: 'in_progress' }, failed, failed)).toEqual([
      { type: 'tool-started', tool: 'x' },
      { type: 'tool-finished', tool: 'x', ok: false },
    ]);
  });

  it('show a plan when it changes', () => {
    const plan = (...entries: unknown[]) => ({ sessionUpdate: 'plan', entries });
    const one = { content: 'look', status: 'pending' };
    expect(shown(plan(one), plan(one), plan({ ...one, status: 'completed' }), plan(), plan(7))).toEqual([
      { type: 'status', text: 'plan: 0 of 1 done, next: look' },
      { type: 'status', text: 'plan: 1 of 1 done' },
    ]);
  });

  it('give away images and resources as files', () => {
    const content = { type: 'image', mimeType: 'image/png', data: Buffer.from('p').toString('base64') };
    const resource = { uri: 'file:///w/notes.md', text: 'words', mimeType: 'text/markdown' };
    const files = shown(
      { sessionUpdate: 'agent_message_chunk', content },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'resource', resource } },
    );
    expect(files).toEqual([
      { type: 'file', name: 'image-1.png', bytes: Buffer.from('p'), mediaType: 'image/png' },
      { type: 'file', name: 'notes.md', bytes: Buffer.from('words'), mediaType: 'text/markdown' },
    ]);
  });

  it.each([
    null,
    7,
    [],
    {},
    { sessionUpdate: 'agent_message_chunk' },
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 7 } },
    { sessionUpdate: 'agent_message_chunk', content: { type: 'hologram' } },
    { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'secret' } },
    { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'replayed' } },
    { sessionUpdate: 'tool_call', title: 'no id' },
    { sessionUpdate: 'plan', entries: 'none' },
    { sessionUpdate: 'available_commands_update', availableCommands: [] },
  ])('say nothing when they make no sense or are not for the caller: %j', (update) => {
    expect(shown(update)).toEqual([]);
  });
});
