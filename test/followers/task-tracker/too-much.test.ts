// A peer that never stops sending: the task here ends in time, and so does the work there.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { textOf } from '../../../src/a2a-model.js';
import { MOST_BYTES } from '../../../plugins/followers/task-tracker/allowance.js';
import { RemoteError } from '../../../src/remote/remote-error.js';
import { tempTracker, type TrackerWorld } from './tracker-world.js';

const tracker = tempTracker();
let world: TrackerWorld;
beforeEach(async () => {
  world = await tracker.start();
  await world.begin();
});

const why = (): string => textOf(world.record.task.status.message?.parts ?? []);
const chunk = (size: number): void => {
  const artifact = { artifactId: 'a', parts: [{ text: 'x'.repeat(size) }] };
  world.peer.say({
    kind: 'artifact',
    taskId: 'far-1',
    contextId: 'c',
    artifact,
    append: true,
    lastChunk: false,
    unread: [],
  });
};

describe('an agent that sends more than a task takes', () => {
  test('in one artifact, chunk by chunk, fails the task with the reason, and is canceled there', async () => {
    for (let sent = 0; sent < MOST_BYTES; sent += MOST_BYTES / 8) chunk(MOST_BYTES / 8);
    await world.settle();
    expect([world.state, world.ends, world.turnEnds]).toEqual(['FAILED', ['stopped'], 1]);
    expect(why()).toBe('far sent more than a task here takes: 32 MiB of text and data.');
    expect(world.peer.count('cancel')).toBe(1);
    expect(world.record.envelope.watch).toBeUndefined();
  });

  test('in ever new artifacts, or in data, fails it as well', async () => {
    const data = { report: 'x'.repeat(MOST_BYTES / 8) };
    for (let n = 0; n < 9; n++) {
      const artifact = { artifactId: `a${n}`, parts: [{ data }] };
      world.peer.say({
        kind: 'artifact',
        taskId: 'far-1',
        contextId: 'c',
        artifact,
        append: false,
        lastChunk: true,
        unread: [],
      });
    }
    await world.settle();
    expect([world.state, world.ends]).toEqual(['FAILED', ['stopped']]);
  });

  test('counts what it sent before a restart, and a snapshot that repeats it only once', async () => {
    world.peer.give('far-1', 'a', 'x'.repeat(0.6 * MOST_BYTES));
    await world.settle();
    for (let n = 0; n < 3; n++) await world.look('t1');
    expect(world.state).toBe('WORKING');
    await world.restart();
    expect(world.state).toBe('WORKING');
    world.peer.give('far-1', 'b', 'x'.repeat(0.6 * MOST_BYTES));
    await world.settle();
    expect(world.state).toBe('FAILED');
  });

  test.each(['TASK_STATE_COMPLETED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_FAILED'] as const)(
    'as the words of %s fails it as well',
    async (state) => {
      world.peer.set('far-1', state, 'x'.repeat(MOST_BYTES));
      await world.settle();
      expect([world.state, world.ends]).toEqual(['FAILED', ['stopped']]);
      expect(why()).toMatch(/^far sent more/);
    },
  );

  test('in one answer that this side does not take is not asked again and again', async () => {
    const tooLarge = new RemoteError('refused', 'far sent more than allowed.', true, { code: 'TOO_LARGE' });
    world.peer.get = () => Promise.reject(tooLarge);
    await world.look('t1');
    expect([world.state, world.ends, why()]).toEqual(['FAILED', ['stopped'], 'far sent more than allowed.']);
  });
});
