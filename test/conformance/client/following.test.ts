// How the client follows what it began until that ends, by whatever way the agent offers; the titles are rows of
// docs/conformance.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { TaskView, WatchesAnswer } from '../../../src/operator-wire.js';
import { OperatorServer } from '../../support/operator-server.js';
import { MisbehavingPeer, type Json } from '../../support/peers/misbehaving-peer.js';
import { closeAfter } from '../../support/remote-home.js';

interface World {
  peer: MisbehavingPeer;
  server: OperatorServer;
  /** The task here; the one at the peer is its latest. */
  cid: string;
  poll(): Promise<TaskView>;
}

/** Work that was begun with an immediate return, at an agent that offers this. `callbacks`: it can reach this server. */
async function begin(capabilities: Json, { callbacks = false } = {}): Promise<World> {
  const peer = closeAfter(await new MisbehavingPeer().start());
  peer.card = { capabilities };
  const server = await OperatorServer.start({ settings: { followSeconds: callbacks ? 0 : 60 } });
  const far = { name: 'far', url: peer.url, ...(callbacks && { callbackUrl: server.url }) };
  const file = join(server.home.path, 'workspaces', 'demo', '.a2a', 'agents.json');
  writeFileSync(file, JSON.stringify({ v: 1, agents: [far] }));
  const { body } = await server.chat('work', { agent: 'far', workspace: 'demo', returnImmediately: true });
  await peer.called('GetTask');
  expect(peer.calls('SendMessage')[0]?.params['configuration']).toMatchObject({ returnImmediately: true });
  const poll = async (): Promise<TaskView> => (await server.get(`/task/${body.cid}?wait=20`)).body;
  return { peer, server, cid: body.cid, poll };
}

/** With callbacks that the peer has been given. */
async function beginWithCallbacks(): Promise<World & { watchId: string; token: string }> {
  const world = await begin({ streaming: false, pushNotifications: true }, { callbacks: true });
  const [registered] = await world.peer.called('CreateTaskPushNotificationConfig');
  // The look after the registration.
  await world.peer.called('GetTask', 2);
  const { id, token } = registered?.params as { id: string; token: string };
  return { ...world, watchId: id, token };
}

const done = (peer: MisbehavingPeer, words = 'all done'): void =>
  peer.show(peer.latest.id, 'TASK_STATE_COMPLETED', words);

describe('the client', () => {
  it('[86] After an immediate return the task is polled, subscribed to or told of, up to its end. (§3.2.2)', async () => {
    const polled = await begin({ streaming: false });
    done(polled.peer);
    expect(await polled.poll()).toMatchObject({ taskState: 'completed', response: 'all done' });
    expect(polled.peer.calls('SubscribeToTask')).toHaveLength(0);

    const subscribed = await begin({ streaming: true });
    await subscribed.peer.streams.whenOpened(subscribed.peer.latest.id);
    done(subscribed.peer);
    expect(await subscribed.poll()).toMatchObject({ taskState: 'completed', response: 'all done' });

    const told = await beginWithCallbacks();
    done(told.peer);
    expect(await told.peer.notify(told.peer.latest.id)).toEqual([200]);
    expect(await told.poll()).toMatchObject({ taskState: 'completed', response: 'all done' });
    expect(told.peer.calls('SubscribeToTask')).toHaveLength(0);
  });

  it('[111] After a dropped stream the task is subscribed to again, and what was missed comes with the snapshot. (§3.1.6, §3.5)', async () => {
    const { peer, poll } = await begin({ streaming: true });
    const { id } = peer.latest;
    await peer.streams.whenOpened(id);
    peer.chunk(id, 'report', [{ text: 'one ' }], false);
    peer.streams.cut(id);
    peer.chunk(id, 'report', [{ text: 'two' }], true, true);
    await peer.streams.whenOpened(id, 2);
    peer.show(id, 'TASK_STATE_COMPLETED');
    const { taskState, artifacts } = await poll();
    expect([taskState, artifacts]).toMatchObject(['completed', [{ artifactId: 'report' }]]);
    expect(artifacts?.[0]?.parts.map((part) => ('text' in part ? part.text : '')).join('')).toBe('one two');
  });

  it('[112] A result is whole without any status message, and without the history. (§3.7)', async () => {
    const { peer, poll, server, cid } = await begin({ streaming: true });
    peer.rewrite = (result) => {
      const text = JSON.stringify(result, (name, value: unknown) =>
        name === 'history' ? undefined : name === 'status' ? { state: (value as { state: string }).state } : value,
      );
      return JSON.parse(text) as unknown;
    };
    await peer.streams.whenOpened(peer.latest.id);
    peer.show(peer.latest.id, 'TASK_STATE_WORKING', 'nobody hears this');
    peer.chunk(peer.latest.id, 'result', [{ text: 'the result' }], false, true);
    done(peer, 'nor this');
    const { taskState, artifacts } = await poll();
    expect([taskState, artifacts]).toMatchObject(['completed', [{ parts: [{ text: 'the result' }] }]]);
    expect(JSON.stringify(server.switchboard.core.ledger.get(cid)?.task)).not.toContain('nobody');
  });

  it('[146] A callback is taken only with its own token, and then with 200 at once; any other changes nothing. (§4.3.3, §13.2)', async () => {
    const { peer, poll } = await beginWithCallbacks();
    done(peer);
    const asked = peer.calls('GetTask').length;
    expect(await peer.notify(peer.latest.id, { token: 'guessed' })).toEqual([404]);
    expect(await peer.notify(peer.latest.id, { token: '' })).toEqual([404]);
    expect(peer.calls('GetTask')).toHaveLength(asked);
    expect(await peer.notify(peer.latest.id)).toEqual([200]);
    expect((await poll()).taskState).toBe('completed');
  });

  it('[147] A callback counts for the task it was registered for, whatever task its body names, and for no unknown one. (§4.3.3)', async () => {
    const { peer, server, poll, watchId, token } = await beginWithCallbacks();
    const post = async (watch: string): Promise<number> => {
      const headers = { 'X-A2A-Notification-Token': token, 'Content-Type': 'application/json' };
      const answer = await fetch(`${server.url}/api/a2a/callback/${watch}`, { method: 'POST', headers, body: '{}' });
      await answer.body?.cancel();
      return answer.status;
    };
    expect([await post('unknown'), await post(`${watchId}x`)]).toEqual([404, 404]);
    const asked = peer.calls('GetTask').length;
    const lie = { task: { id: 'another', contextId: 'c', status: { state: 'TASK_STATE_FAILED' } } };
    expect(await peer.notify(peer.latest.id, { body: lie })).toEqual([200]);
    const looks = await peer.called('GetTask', asked + 1);
    expect(looks.at(-1)?.params['id']).toBe(peer.latest.id);
    done(peer);
    await peer.notify(peer.latest.id);
    expect(await poll()).toMatchObject({ taskState: 'completed', response: 'all done' });
  });

  it('[148] The same callback many times has one effect, and one that comes after the end has none. (§4.3.3, §13.2)', async () => {
    const { peer, server, poll, cid, token, watchId } = await beginWithCallbacks();
    const ended: unknown[] = [];
    const bus = { name: 'test-tap', consumes: [], observes: ['watch.settled'] as const, produces: [] };
    server.switchboard.bus.join(bus).subscribe('watch.settled', (event) => void ended.push(event));
    const asked = peer.calls('GetTask').length;
    await Promise.all(Array.from({ length: 50 }, () => peer.notify(peer.latest.id)));
    // Each look takes in all calls that came before it.
    expect(peer.calls('GetTask').length - asked).toBeLessThan(50);
    done(peer);
    await Promise.all(Array.from({ length: 10 }, () => peer.notify(peer.latest.id)));
    expect((await poll()).taskState).toBe('completed');
    const { envelope } = server.switchboard.core.ledger.get(cid)!;
    peer.webhooks.set(peer.latest.id, [{ url: `${server.url}/api/a2a/callback/${watchId}`, token }]);
    expect(await peer.notify(peer.latest.id)).toEqual([404]);
    expect(server.switchboard.core.ledger.get(cid)?.envelope.seq).toBe(envelope.seq);
    expect(ended).toMatchObject([{ watchId, end: 'result' }]);
    expect((await server.get<WatchesAnswer>('/watches')).body.total).toBe(0);
  });

  it('[191] A need for authorization is passed up, followed on, and gone when it is given. (§7.6.2)', async () => {
    const { peer, server, cid, poll } = await begin({ streaming: true });
    const { id } = peer.latest;
    await peer.streams.whenOpened(id);
    const shown = async (state: string): Promise<TaskView> => {
      for (;;) {
        const { body } = await server.get(`/task/${cid}`);
        if (body.taskState === state) return body;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    peer.show(id, 'TASK_STATE_AUTH_REQUIRED', 'log in at the bank');
    expect((await shown('auth-required')).question).toBe('log in at the bank');
    expect((await server.get<WatchesAnswer>('/watches')).body.total).toBe(1);
    peer.show(id, 'TASK_STATE_WORKING');
    await shown('working');
    done(peer, 'paid');
    expect(await poll()).toMatchObject({ taskState: 'completed', response: 'paid' });
    expect(peer.calls('SendMessage')).toHaveLength(1);
  });
});
