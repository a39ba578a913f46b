// Guards of plugins that do what no guard may.
import { describe, expect, test } from '@jest/globals';
import { addGuard, type AddedGuard } from '../../plugins/dispatcher/added-guards.js';
import type { PromptRequest } from '../../src/bus/topics.js';
import type { AgentInfo } from '../../src/executors/contract.js';
import type { PromptGuard } from '../../src/executors/prompt-guard.js';

const agent: AgentInfo = { name: 'demo', kind: 'workspace', exposed: true, skills: [] };
const request: PromptRequest = {
  cid: 't1',
  requestId: 'r1',
  contextId: 'c1',
  caller: { id: 'demo/alice', scope: 'demo' },
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] },
  chain: [],
  surface: 'a2a',
  continues: false,
};

const reportsTo = (told: string[]) => ({
  failed: (problem: string) => void told.push(problem),
  redact: (text: string) => text,
});

describe('a guard of a plugin', () => {
  test.each<[string, () => unknown, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
      /guard odd failed: boom/,
    ],
    ['answers later', async () => undefined, /at once/],
    ['answers later, and that fails', async () => Promise.reject(new Error('boom')), /at once/],
    ['refuses without a word', () => ({}), /a message/],
    ['refuses with a code of its own', () => ({ message: 'no', code: 'internal' }), /known code/],
  ])('that %s refuses the prompt, and its plugin is told on', async (_what, check, why) => {
    const told: string[] = [];
    const guards: AddedGuard[] = [];
    addGuard(guards, { name: 'odd', check: check as PromptGuard['check'] }, reportsTo(told));
    expect(guards[0]?.look(request, agent, undefined)).toMatchObject({ code: 'forbidden' });
    expect(told).toEqual([expect.stringMatching(why)]);
    // A rejection that nobody handles would end a program that hosts the switchboard; here it fails the file.
    await new Promise((resolve) => setImmediate(resolve));
  });

  test('changes nothing of the prompt that it looks at, and is gone when it is taken out', () => {
    const guards: AddedGuard[] = [];
    const remove = addGuard(
      guards,
      {
        name: 'clumsy',
        check(prompt) {
          prompt.caller.id = 'somebody';
          prompt.message.parts.length = 0;
          return undefined;
        },
      },
      reportsTo([]),
    );
    expect(guards[0]?.look(request, agent, undefined)).toBeUndefined();
    expect([request.caller.id, request.message.parts.length]).toEqual(['demo/alice', 1]);
    remove();
    remove();
    expect(guards).toEqual([]);
  });
});
