// A slow peer that still shows the question that was answered does not ask it again; one that really asks again does.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { textOf } from '../../../src/a2a-model.js';
import type { RemoteTask } from '../../../src/remote/remote-port.js';
import { tempTracker, type TrackerWorld } from './tracker-world.js';

const tracker = tempTracker();
let world: TrackerWorld;

const FIRST = { messageId: 'q1', timestamp: '2026-01-01T00:00:01.000Z' };
const BARE = { messageId: '' };
const remote = (): RemoteTask => world.peer.tasks.get('far-1')!;
const asks = async (names: { messageId?: string; timestamp?: string }, words = 'which one?'): Promise<void> => {
  world.peer.set('far-1', 'TASK_STATE_INPUT_REQUIRED', words, names);
  await world.settle();
};

/** Asks, is answered, and goes on showing its question. */
const askAndAnswer = async (names: { messageId?: string; timestamp?: string }): Promise<void> => {
  await asks(names);
  expect(world.state).toBe('INPUT_REQUIRED');
  await world.answer('the red one');
};

beforeEach(async () => {
  world = await tracker.start();
  world.peer.slow = true;
  await world.begin();
});

describe('a peer that still shows the question that was answered', () => {
  test.each([
    ['by message id and time', FIRST],
    ['by message id', { messageId: 'q1' }],
    ['by time', { messageId: '', timestamp: FIRST.timestamp }],
  ])('does not ask it again, however long it takes: known %s', async (_by, names) => {
    await askAndAnswer(names);
    for (let minute = 0; minute < 30; minute++) await world.pass(60_000);
    expect([world.state, world.turnEnds]).toEqual(['WORKING', 1]);
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'painted');
    for (let minute = 0; minute < 6; minute++) await world.pass(60_000);
    expect([world.state, world.turnEnds]).toEqual(['COMPLETED', 2]);
  });

  test('does not ask it again after a crash while the answer was being sent', async () => {
    await asks(FIRST);
    const { ledger, clock } = world.ledger;
    const message = { messageId: 'm2', role: 'ROLE_USER' as const, parts: [{ text: 'the red one' }] };
    await ledger.resume({ taskId: 't1', requestId: 'r2', step: { message, start: true } });
    const watch = { id: 'w2', agent: 'far', state: 'sending', messageId: 't1-2', passed: 'm2' } as const;
    await ledger.watches.begin('t1', 2, { ...watch, since: clock.now() }, world.record.envelope.remote);
    remote().history.push({ ...message, messageId: 't1-2' });
    await world.restart();
    await world.pass(60_000);
    expect(world.record.envelope.watch?.state).toBe('following');
    expect([world.state, world.turnEnds]).toEqual(['WORKING', 1]);
  });

  test('does not ask it again after a restart', async () => {
    await askAndAnswer(FIRST);
    await world.restart();
    await world.pass(60_000);
    expect([world.state, world.turnEnds]).toEqual(['WORKING', 1]);
  });

  test('does not ask it again when it moved the question into its history', async () => {
    await askAndAnswer(FIRST);
    const { status, history } = remote();
    history.unshift(status.message!);
    delete status.message;
    for (let minute = 0; minute < 5; minute++) await world.pass(60_000);
    expect(world.state).toBe('WORKING');
  });

  test('is asked about again by nobody but is still canceled', async () => {
    await askAndAnswer(FIRST);
    await world.prompts.cancel('t1', 'operator');
    expect(world.state).toBe('CANCELED');
  });
});

describe('a peer that asks the same words again', () => {
  test.each([
    ['another message id', { ...FIRST, messageId: 'q2' }],
    ['another time', { ...FIRST, timestamp: '2026-01-01T00:00:02.000Z' }],
  ])('is believed by %s', async (_by, names) => {
    await askAndAnswer(FIRST);
    await asks(names);
    expect([world.state, world.turnEnds]).toEqual(['INPUT_REQUIRED', 2]);
  });

  test('under the same id is believed once it has worked in between', async () => {
    await askAndAnswer({ messageId: 'always' });
    world.peer.set('far-1', 'TASK_STATE_WORKING', 'hm');
    await asks({ messageId: 'always' });
    expect([world.state, world.turnEnds]).toEqual(['INPUT_REQUIRED', 2]);
  });

  test('asks something new under whatever id', async () => {
    await askAndAnswer(FIRST);
    await asks(FIRST, 'and which size?');
    expect(textOf(world.record.task.status.message!.parts)).toBe('and which size?');
  });
});

describe('a peer whose questions have neither id nor time', () => {
  test('is not believed at once that it asks the same again, and is after half a minute', async () => {
    await askAndAnswer(BARE);
    await world.pass(20_000);
    expect([world.state, world.turnEnds]).toEqual(['WORKING', 1]);
    await world.pass(60_000);
    await world.pass(60_000);
    expect([world.state, world.turnEnds]).toEqual(['INPUT_REQUIRED', 2]);
  });

  test('is believed at once when its history shows that it has spoken since', async () => {
    await askAndAnswer(BARE);
    remote().history.push({ messageId: '', role: 'ROLE_AGENT', parts: [{ text: 'which one?' }] });
    await world.look('t1');
    expect([world.state, world.turnEnds]).toEqual(['INPUT_REQUIRED', 2]);
  });
});

test('a question that a crash left on record without the end of its turn is asked after the restart', async () => {
  const { ledger } = world.ledger;
  const { envelope } = world.record;
  remote().status = {
    state: 'TASK_STATE_INPUT_REQUIRED',
    message: { messageId: 'q1', role: 'ROLE_AGENT', parts: [{ text: 'which one?' }] },
  };
  const asked = { turn: 1, messageId: 'q1', words: 'whatever' };
  await ledger.watches.update('t1', 1, { remote: { ...envelope.remote!, asked } });
  await world.restart();
  expect([world.state, world.turnEnds]).toEqual(['INPUT_REQUIRED', 1]);
});
