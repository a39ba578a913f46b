// Following work at a remote agent: every way it can go has one end here, also over a restart.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { textOf } from '../../../src/a2a-model.js';
import { tempTracker, type TrackerWorld } from './tracker-world.js';

const tracker = tempTracker();
let world: TrackerWorld;
beforeEach(async () => {
  world = await tracker.start();
});

const MINUTE = 60_000;
const answer = (): string => world.record.task.artifacts.map(({ parts }) => textOf(parts)).join('|');
const status = (): string => textOf(world.record.task.status.message?.parts ?? []);

describe('a remote task that goes well', () => {
  test('shows its progress and artifacts as its own, and ends once, without a watch left', async () => {
    await world.begin();
    expect(world.record.envelope).toMatchObject({
      watch: { state: 'following', agent: 'far' },
      remote: { taskId: 'far-1', contextId: 'far-context' },
    });
    world.peer.set('far-1', 'TASK_STATE_WORKING', 'reading');
    await world.settle();
    expect([world.state, status()]).toEqual(['WORKING', 'reading']);
    world.peer.give('far-1', 'report', 'all is well');
    world.peer.set('far-1', 'TASK_STATE_COMPLETED');
    await world.settle();
    expect([world.state, answer()]).toEqual(['COMPLETED', 'all is well']);
    expect(world.record.envelope.watch).toBeUndefined();
    expect([world.ends, world.turnEnds]).toEqual([['result'], 1]);
    expect(world.peer.openStreams).toBe(0);
    expect(world.ledger.ledger.watches.all()).toEqual([]);
  });

  test.each<['TASK_STATE_FAILED' | 'TASK_STATE_REJECTED' | 'TASK_STATE_CANCELED']>([
    ['TASK_STATE_FAILED'],
    ['TASK_STATE_REJECTED'],
    ['TASK_STATE_CANCELED'],
  ])('is itself when it ends as %s, with the words it ended with', async (state) => {
    await world.begin();
    world.peer.set('far-1', state, 'because');
    await world.settle();
    expect([world.record.task.status.state, status()]).toEqual([state, 'because']);
  });

  test('answers with the words of its last status when there is no artifact', async () => {
    await world.begin();
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'forty-two');
    await world.settle();
    expect([world.state, answer()]).toEqual(['COMPLETED', 'forty-two']);
  });

  test('answers with a plain Message, and nothing is followed', async () => {
    world.peer.message = 'hello there';
    await world.begin();
    expect([world.state, answer()]).toEqual(['COMPLETED', 'hello there']);
    expect(world.peer.asked).toEqual(['connect', 'send']);
  });

  test('that is over before it is looked at has its artifacts all the same', async () => {
    world.peer.begins = 'TASK_STATE_COMPLETED';
    await world.begin();
    expect([world.state, answer()]).toEqual(['COMPLETED', 'Done, without an answer.']);
  });

  test('is asked ever more seldom when it has no stream, and answers after half an hour', async () => {
    world.peer.offers = { streaming: false, push: false, list: true };
    await world.begin();
    for (let minute = 0; minute < 30; minute++) await world.pass(MINUTE);
    const asked = world.peer.count('get');
    expect(asked).toBeGreaterThan(8);
    expect(asked).toBeLessThan(60);
    world.peer.give('far-1', 'a', 'at last');
    world.peer.set('far-1', 'TASK_STATE_COMPLETED');
    for (let minute = 0; minute < 6; minute++) await world.pass(MINUTE);
    expect([world.state, answer()]).toEqual(['COMPLETED', 'at last']);
  });

  test('continues the conversation of the task before it in the same context', async () => {
    await world.begin();
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'first');
    await world.settle();
    await world.ledger.save();
    await world.begin('t2');
    expect(world.peer.sent.map(({ message }) => message.contextId)).toEqual([undefined, 'far-context']);
  });
});

describe('a remote task that asks', () => {
  test('ends the turn with its question, and the answer goes to the same remote task', async () => {
    await world.begin();
    world.peer.set('far-1', 'TASK_STATE_INPUT_REQUIRED', 'which one?');
    await world.settle();
    expect([world.state, status()]).toEqual(['INPUT_REQUIRED', 'which one?']);
    expect([world.ends, world.record.envelope.watch]).toEqual([['question'], undefined]);
    await world.answer('the red one');
    expect(world.peer.sent[1]?.message).toMatchObject({ taskId: 'far-1', parts: [{ text: 'the red one' }] });
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'painted');
    await world.settle();
    expect([world.state, world.turnEnds]).toEqual(['COMPLETED', 2]);
  });

  test('for an authorization shows it, goes on, and is given what the caller says, once', async () => {
    await world.begin();
    world.peer.set('far-1', 'TASK_STATE_AUTH_REQUIRED', 'log in at the bank');
    await world.settle();
    expect([world.state, status(), world.turnEnds]).toEqual(['AUTH_REQUIRED', 'log in at the bank', 0]);
    await world.say('done');
    await world.pass(10 * MINUTE);
    expect(world.peer.sent.slice(1).map(({ message }) => message)).toMatchObject([
      { taskId: 'far-1', parts: [{ text: 'done' }] },
    ]);
    world.peer.set('far-1', 'TASK_STATE_WORKING');
    await world.settle();
    expect(world.state).toBe('WORKING');
  });
});

describe('a remote task that goes wrong', () => {
  test('that the peer forgot ends at once as lost', async () => {
    await world.begin();
    world.peer.tasks.clear();
    world.peer.cut('task-not-found');
    await world.settle();
    expect([world.state, world.ends]).toEqual(['FAILED', ['lost']]);
  });

  test('whose agent was taken out of the configuration is not followed any more', async () => {
    await world.begin();
    world.peer.faults.set('connect', 'unknown-agent');
    world.peer.cut();
    await world.settle();
    await world.pass(1_000);
    expect([world.state, world.ends]).toEqual(['FAILED', ['stopped']]);
  });

  test('that has no result in a day fails', async () => {
    await world.begin();
    for (let hour = 0; hour <= 24; hour++) await world.pass(60 * MINUTE);
    expect([world.state, world.ends]).toEqual(['FAILED', ['no-result']]);
  });

  test('whose stream is cut again and again is asked instead', async () => {
    world.peer.offers = { streaming: true, push: false, list: true };
    await world.begin();
    world.peer.faults.set('subscribe', 'unreachable');
    world.peer.cut();
    await world.settle();
    for (const wait of [1_000, 5_000, 15_000]) await world.pass(wait);
    const streams = world.peer.count('subscribe');
    for (let minute = 0; minute < 20; minute++) await world.pass(MINUTE);
    expect(world.peer.count('subscribe')).toBe(streams);
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'ok');
    for (let minute = 0; minute < 6; minute++) await world.pass(MINUTE);
    expect(world.state).toBe('COMPLETED');
  });

  test('whose peer is away for hours is followed again when that is back', async () => {
    await world.begin();
    world.peer.faults.set('get', 'unreachable');
    world.peer.cut();
    for (let hour = 0; hour < 3; hour++) await world.pass(60 * MINUTE);
    expect(world.state).toBe('WORKING');
    world.peer.faults.clear();
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'still here');
    for (let minute = 0; minute < 6; minute++) await world.pass(MINUTE);
    expect([world.state, answer()]).toEqual(['COMPLETED', 'still here']);
  });

  test('can not be begun: the turn fails with the reason', async () => {
    world.peer.faults.set('connect', 'rejected-key');
    await world.begin();
    expect([world.state, status()]).toEqual(['FAILED', 'far: connect rejected-key']);
  });
});

describe('callbacks', () => {
  beforeEach(async () => {
    world.publicUrl = 'https://hub.example';
    world.peer.offers = { streaming: false, push: true, list: true };
    await world.restart();
    await world.begin();
    for (let i = 0; i < 20; i++) await world.pass(5_000);
  });

  test('are registered once the first minute is over, mean "look now", and are taken back at the end', async () => {
    const [push] = world.peer.pushes;
    expect(push).toMatchObject({ taskId: 'far-1', url: `https://hub.example/api/a2a/callback/${push?.id}` });
    const asked = world.peer.count('get');
    await world.pass(MINUTE);
    expect(world.peer.count('get')).toBe(asked);
    expect(await world.callBack(push!.id, push!.token)).toBe(200);
    expect(world.state).toBe('WORKING');
    await world.pass(1_000);
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'done');
    expect(await world.callBack(push!.id, push!.token)).toBe(200);
    expect([world.state, world.peer.pushes, world.ends]).toEqual(['COMPLETED', [], ['result']]);
    expect(await world.callBack(push!.id, push!.token)).toBe(404);
  });

  test('with a wrong token, for an unknown watch or without a token are the same 404', async () => {
    const [push] = world.peer.pushes;
    expect(await world.callBack(push!.id, 'wrong')).toBe(404);
    expect(await world.callBack(push!.id, '')).toBe(404);
    expect(await world.callBack('unknown', push!.token)).toBe(404);
  });

  test('are registered anew by a new process, which knows the tokens of no other', async () => {
    const [old] = world.peer.pushes;
    await world.restart();
    const [push] = world.peer.pushes;
    expect([push?.id, push?.token === old?.token, world.peer.pushes.length]).toEqual([old?.id, false, 1]);
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'while you were away');
    expect(await world.callBack(push!.id, push!.token)).toBe(200);
    expect(world.state).toBe('COMPLETED');
  });

  test('that come again and again lead to one look a second, and the last of them is not forgotten', async () => {
    const [push] = world.peer.pushes;
    const asked = world.peer.count('get');
    for (let i = 0; i < 10; i++) expect(await world.callBack(push!.id, push!.token)).toBe(200);
    expect(world.peer.count('get')).toBe(asked + 1);
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'done');
    await world.callBack(push!.id, push!.token);
    await world.pass(999);
    expect([world.state, world.peer.count('get')]).toEqual(['WORKING', asked + 1]);
    await world.pass(1);
    expect([world.state, world.peer.count('get')]).toEqual(['COMPLETED', asked + 2]);
  });

  test('that never come are replaced by a question every ten minutes', async () => {
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'silently');
    await world.pass(11 * MINUTE);
    expect(world.state).toBe('COMPLETED');
  });
});

describe('a cancel', () => {
  const cancel = async (): Promise<string> => {
    const canceled = world.prompts.cancel('t1', 'operator').then(
      ({ task }) => task.status.state,
      (error: Error) => error.message,
    );
    await world.settle();
    return canceled;
  };

  test('travels to the peer, and the task is canceled when that has confirmed it', async () => {
    await world.begin();
    expect(await cancel()).toBe('TASK_STATE_CANCELED');
    expect(world.peer.count('cancel')).toBe(1);
    expect([world.ends, world.turnEnds]).toEqual([['result'], 1]);
  });

  test('that the peer refuses is refused here with its reason, and following goes on', async () => {
    await world.begin();
    world.peer.faults.set('cancel', 'refused');
    expect(await cancel()).toBe('Not canceled: far: cancel refused');
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'too late');
    await world.settle();
    expect(world.state).toBe('COMPLETED');
  });

  test('of a task that has ended there meanwhile ends with its true end', async () => {
    await world.begin();
    world.peer.faults.set('cancel', 'refused');
    world.peer.tasks.get('far-1')!.status = { state: 'TASK_STATE_COMPLETED' };
    await cancel();
    await world.settle();
    expect(world.state).toBe('COMPLETED');
  });

  test('of a task that the peer has forgotten ends it as lost', async () => {
    await world.begin();
    world.peer.faults.set('cancel', 'task-not-found');
    expect(await cancel()).toBe('TASK_STATE_FAILED');
    expect(world.ends).toEqual(['lost']);
  });
});

describe('a restart', () => {
  test('takes up every watch again, and repeats nothing that was shown', async () => {
    await world.begin();
    world.peer.give('far-1', 'report', 'half');
    world.peer.set('far-1', 'TASK_STATE_WORKING', 'more to come');
    await world.settle();
    const { seq } = world.record.envelope;
    await world.restart();
    expect(world.state).toBe('WORKING');
    expect(world.record.envelope.seq).toBe(seq);
    world.peer.give('far-1', 'rest', 'other half');
    world.peer.set('far-1', 'TASK_STATE_COMPLETED');
    await world.settle();
    expect([world.state, answer()]).toEqual(['COMPLETED', 'half|other half']);
  });

  /** As a crash leaves it between the record of the message and the answer to it. */
  const crashWhileSending = async (arrived: boolean): Promise<void> => {
    const { ledger } = world.ledger;
    await world.create();
    const watch = { id: 'w', agent: 'far', state: 'sending', messageId: 't1-1', passed: 'message-t1' } as const;
    await ledger.watches.begin('t1', 1, { ...watch, since: world.ledger.clock.now() });
    if (arrived)
      await world.peer.send({ message: { messageId: 't1-1', role: 'ROLE_USER', parts: [{ text: 'hello' }] } });
    await world.restart();
  };

  test('adopts the remote task that the message began', async () => {
    await crashWhileSending(true);
    expect(world.record.envelope).toMatchObject({ watch: { state: 'following' }, remote: { taskId: 'far-1' } });
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'found');
    await world.settle();
    expect([world.state, world.peer.count('send')]).toEqual(['COMPLETED', 1]);
  });

  test('sends again, under the same id, only to a peer that works on it once', async () => {
    world.peer.idempotent = true;
    await crashWhileSending(false);
    expect(world.peer.sent.map(({ message }) => message.messageId)).toEqual(['t1-1']);
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'once');
    await world.settle();
    expect(world.state).toBe('COMPLETED');
  });

  test('says that it is unknown whether the agent started, where it can not find out', async () => {
    await crashWhileSending(false);
    expect([world.state, world.peer.count('send')]).toEqual(['FAILED', 0]);
    expect(status()).toMatch(/unknown whether far started/);
  });

  test('waits for a peer that can not be asked yet', async () => {
    world.peer.faults.set('list', 'unreachable');
    await crashWhileSending(true);
    expect(world.state).toBe('WORKING');
    world.peer.faults.clear();
    await world.pass(MINUTE);
    expect(world.record.envelope.watch?.state).toBe('following');
  });
});
