// What a task keeps of a conversation: both sides of it, in order, over any number of turns.
import { describe, expect, it } from '@jest/globals';
import { bindings, type Any } from '../conformance/a2a/binding.js';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendParams, useBridgeServer } from '../surfaces/a2a-bridge/bridge-server.js';

const server = useBridgeServer();

const said = ({ history }: Any): string[] =>
  history.map(({ role, parts }: Any) => `${role === 'ROLE_USER' ? 'caller' : 'agent'}: ${parts[0].text}`);

describe.each(bindings(server).map((binding) => [binding.name, binding] as const))(
  'a conversation over %s',
  (name, binding) => {
    it('stays in one task through its questions; each turn adds to its history, which holds both sides', async () => {
      let task = (await binding.call('SendMessage', sendParams('say Welcome.; ask Name?; ask Age?; say Bye.'))).result
        .task;
      const { id, contextId } = task;
      const seen = [said(task)];
      for (const text of ['Ann', '44']) {
        task = (await binding.call('SendMessage', sendParams(text, { taskId: id, contextId }))).result.task;
        expect([task.id, task.contextId]).toEqual([id, contextId]);
        seen.push(said(task));
      }
      for (const [before, after] of [
        [seen[0], seen[1]],
        [seen[1], seen[2]],
      ])
        expect(after?.slice(0, before?.length)).toEqual(before);
      expect(seen[2]).toEqual([
        'caller: say Welcome.; ask Name?; ask Age?; say Bye.',
        'agent: Welcome.',
        'agent: Name?',
        'caller: Ann',
        'agent: you said: Ann',
        'agent: Age?',
        'caller: 44',
        'agent: you said: 44',
        'agent: Bye.',
      ]);
      expect((await binding.call('GetTask', { id })).result.history).toEqual(task.history);
    });

    it('keeps its context: a further task in it shares the transcript that the agent goes by', async () => {
      const contextId = `kept-${name[0]}`;
      const first = (await binding.call('SendMessage', sendParams('say one', { contextId }))).result.task;
      const second = (await binding.call('SendMessage', sendParams('say two', { contextId }))).result.task;
      expect([first.contextId, second.contextId]).toEqual([contextId, contextId]);
      expect(first.id).not.toBe(second.id);
      const sessions = join(server.workspace('alpha'), '.a2a', 'sessions');
      await server.switchboard.core.ledger.flush();
      const files = readdirSync(sessions).filter((file) => file.toLowerCase().includes(contextId.toLowerCase()));
      expect(files).toHaveLength(1);
      const transcript = readFileSync(join(sessions, files[0] as string), 'utf8');
      const order = ['say one', '"one"', 'say two', '"two"'].map((text) => transcript.indexOf(text));
      expect(order).toEqual([...order].sort((a, b) => a - b));
      expect(order[0]).toBeGreaterThan(0);
    });

    it('reads what it is asked of in the metadata of the message or of the request', async () => {
      const skill = (id: string) => ({ id, name: id, description: id, tags: [id] });
      server.write('alpha', 'card.json', { v: 1, skills: [skill('one'), skill('two')] });
      const here = sendParams('hi', { metadata: { skill: 'no-such-skill' } });
      const there = { ...(sendParams('hi') as object), metadata: { skill: 'no-such-skill' } };
      const reasons = [];
      for (const params of [here, there]) reasons.push((await binding.call('SendMessage', params)).error?.reason);
      expect(reasons[0]).toBeDefined();
      expect(reasons[1]).toBe(reasons[0]);
      const fine = sendParams('hi', { metadata: { skill: 'two' } });
      expect((await binding.call('SendMessage', fine)).result.task.status.state).toBe('TASK_STATE_COMPLETED');
    });
  },
);
