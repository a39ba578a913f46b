// Streams that stay for long, break off and come back: the real server, its clock in the test's hand.
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../support/fake-clock.js';
import { sendParams, useBridgeServer } from '../surfaces/a2a-bridge/bridge-server.js';
import { bindings, type Any, type LiveStream } from '../conformance/a2a/binding.js';

const clock = new FakeClock();
const server = useBridgeServer({}, [], clock);

const MINUTE = 60_000;

describe.each(bindings(server).map((binding) => [binding.name, binding] as const))(
  'a stream over %s',
  (name, binding) => {
    /** A stream that has come to a question, with what it brought and the id of its last event. */
    async function asked(): Promise<{ stream: LiveStream; task: Any; answer: () => Promise<Any> }> {
      const stream = await binding.open('SendStreamingMessage', sendParams('ask which; say done'));
      const { task } = await stream.next();
      let event;
      do event = await stream.next();
      while (event.statusUpdate?.status.state !== 'TASK_STATE_INPUT_REQUIRED');
      const ids = { taskId: task.id, contextId: task.contextId };
      return { stream, task, answer: () => binding.call('SendMessage', sendParams('this', ids)) };
    }
    const lastEventId = (id: string): string => {
      const { ledger } = server.switchboard.core;
      return `${ledger.boot}.${ledger.get(id)?.envelope.seq}`;
    };

    it('has no limit in time: after a day of silence it still brings what happens', async () => {
      const { stream, answer } = await asked();
      for (let hour = 0; hour < 24; hour++) {
        for (let minutes = 0; minutes < 60; minutes += 5) clock.advance(5 * MINUTE);
        // Lets the connection take what was written.
        await binding.call('ListTasks', { pageSize: 1 });
      }
      await answer();
      expect((await stream.rest()).at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    });

    it('that missed nothing goes on from there, without a snapshot', async () => {
      const { stream, task, answer } = await asked();
      await stream.close();
      const headers = { 'Last-Event-ID': lastEventId(task.id) };
      const again = await binding.open('SubscribeToTask', { id: task.id }, { headers });
      await answer();
      const events = await again.rest();
      expect(events.filter((event) => event.task)).toEqual([]);
      expect(events.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    });

    it.each(['', 'another-boot.3', 'nonsense'])(
      'that comes back with a position nobody knows (%j) gets a fresh snapshot first',
      async (position) => {
        const { stream, task, answer } = await asked();
        await stream.close();
        const headers = { 'Last-Event-ID': position };
        const again = await binding.open('SubscribeToTask', { id: task.id }, { headers });
        expect((await again.next()).task).toMatchObject({
          id: task.id,
          status: { state: 'TASK_STATE_INPUT_REQUIRED' },
        });
        await answer();
        expect((await again.rest()).at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
      },
    );

    it('that comes back after the end gets what it missed, the terminal event included', async () => {
      const { stream, task, answer } = await asked();
      const headers = { 'Last-Event-ID': lastEventId(task.id) };
      await stream.close();
      await answer();
      const events = await binding.events('SubscribeToTask', { id: task.id }, { headers });
      expect(JSON.stringify(events)).toContain('"done"');
      expect(events.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    });

    it('asks proxies neither to hold it back nor to change it, in both versions', async () => {
      const rpc = name === 'JSON-RPC';
      for (const version of ['1.0', '0.3']) {
        const old = version === '0.3';
        const path = rpc ? '/a2a' : old ? '/a2a/v1/message:stream' : '/a2a/message:stream';
        const params = old
          ? {
              message: {
                messageId: `${name}-old`,
                role: rpc ? 'user' : 'ROLE_USER',
                kind: 'message',
                parts: [{ kind: 'text', text: 'hi' }],
                content: [{ text: 'hi' }],
              },
            }
          : sendParams('hi');
        const method = old ? 'message/stream' : 'SendStreamingMessage';
        const body = rpc ? { jsonrpc: '2.0', id: 1, method, params } : params;
        const { headers, text } = await server.send('POST', path, { body, headers: { 'A2A-Version': version } });
        expect(text).toMatch(/completed/i);
        expect(headers.get('content-type')).toBe('text/event-stream');
        expect(headers.get('x-accel-buffering')).toBe('no');
        expect(headers.get('cache-control')).toBe('no-cache, no-transform');
      }
    });
  },
);
