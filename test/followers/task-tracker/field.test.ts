// Failures that users met in systems that follow work elsewhere, each with the behaviour that is right.
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
const minutes = async (count: number): Promise<void> => {
  for (let minute = 0; minute < count; minute++) await world.pass(MINUTE);
};

describe('streams', () => {
  test('what a cut stream did not bring comes with the snapshot of the next one', async () => {
    await world.begin();
    world.peer.cut();
    await world.settle();
    world.peer.give('far-1', 'lost', 'between the streams');
    await world.pass(1_000);
    expect([world.state, answer()]).toEqual(['WORKING', 'between the streams']);
  });

  test('a task that ends while its stream is opened again still gives its artifacts and its end', async () => {
    await world.begin();
    world.peer.cut();
    await world.settle();
    world.peer.give('far-1', 'late', 'all of it');
    world.peer.set('far-1', 'TASK_STATE_COMPLETED');
    await world.pass(1_000);
    expect([world.state, answer(), world.turnEnds]).toEqual(['COMPLETED', 'all of it', 1]);
  });

  test('a task that is quiet for hours is not ended by a total timeout', async () => {
    await world.begin();
    await minutes(5 * 60);
    expect(world.state).toBe('WORKING');
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'after five hours');
    await minutes(6);
    expect([world.state, answer()]).toEqual(['COMPLETED', 'after five hours']);
  });

  test('a first snapshot that is not the end does not end the following', async () => {
    await world.begin();
    world.peer.set('far-1', 'TASK_STATE_SUBMITTED');
    await world.settle();
    expect([world.state, world.turnEnds]).toEqual(['WORKING', 0]);
  });

  test('a peer that closes every stream at once is asked seldom instead of again and again', async () => {
    world.peer.closesStreams = true;
    await world.begin();
    await minutes(10);
    expect(world.peer.count('subscribe')).toBeLessThan(6);
    expect(world.peer.count('get')).toBeLessThan(40);
  });
});

describe('artifacts', () => {
  const piece = (artifactId: string, text: string | undefined, append: boolean, lastChunk = false): void => {
    const artifact = { artifactId, parts: text === undefined ? [] : [{ text }] };
    world.peer.say({ kind: 'artifact', taskId: 'far-1', contextId: 'c', artifact, append, lastChunk, unread: [] });
  };

  test('begin with a chunk that appends to nothing, and the last chunk adds to the ones before', async () => {
    await world.begin();
    piece('a', 'one ', true);
    piece('b', 'other', true, true);
    piece('a', 'two ', true);
    piece('a', 'three', true, true);
    await world.settle();
    expect(answer()).toBe('one two three|other');
  });

  test('end with a chunk without parts, and lose nothing by it', async () => {
    await world.begin();
    piece('a', 'all', false);
    piece('a', undefined, false, true);
    await world.settle();
    expect(answer()).toBe('all');
  });

  test('are the answer before words are: both are there, and words that only repeat it are not doubled', async () => {
    await world.begin();
    world.peer.give('far-1', 'report', 'the report');
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'and a word to it');
    await world.settle();
    expect(answer()).toBe('the report|and a word to it');
  });
});

describe('what is sent', () => {
  test('has its metadata on the request and on the message, since peers read either', async () => {
    await world.begin();
    const [sent] = world.peer.sent;
    const chain = [{ switchboard: expect.any(String), agent: expect.any(String) }];
    expect([sent?.metadata, sent?.message.metadata]).toMatchObject([
      { 'switchboard.chain': chain },
      { 'switchboard.chain': chain },
    ]);
  });
});

describe('answers and questions', () => {
  test('a callback that comes during a question and its answer gives one end', async () => {
    world.publicUrl = 'https://hub.example/';
    world.peer.offers = { streaming: false, push: true, list: true };
    await world.restart();
    await world.begin();
    for (let i = 0; i < 20; i++) await world.pass(5_000);
    const [push] = world.peer.pushes;
    expect(push?.url).toBe(`https://hub.example/api/a2a/callback/${push?.id}`);
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'once');
    await Promise.all([1, 2, 3].map(() => world.callBack(push!.id, push!.token)));
    await minutes(11);
    expect([world.state, world.turnEnds, world.ends]).toEqual(['COMPLETED', 1, ['result']]);
  });

  test('callbacks that the peer refuses to register are told in the log, and it is asked instead', async () => {
    world.publicUrl = 'https://hub.example';
    world.peer.offers = { streaming: false, push: true, list: true };
    world.peer.faults.set('setPush', 'refused');
    await world.restart();
    await world.begin();
    await minutes(3);
    expect(world.peer.count('setPush')).toBe(1);
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'asked');
    await minutes(6);
    expect([world.state, answer()]).toEqual(['COMPLETED', 'asked']);
  });

  test('a callback that comes after a restart, before all watches were looked at again, is known by its old token', async () => {
    world.publicUrl = 'https://hub.example';
    world.peer.offers = { streaming: false, push: true, list: true };
    await world.restart();
    await world.beginMany(30);
    for (let i = 0; i < 20; i++) await world.pass(5_000);
    const pushes = [...world.peer.pushes];
    expect(pushes).toHaveLength(30);
    await world.restart();
    const waiting = pushes.find((push) => world.peer.pushes.some(({ token }) => token === push.token))!;
    world.peer.set(waiting.taskId, 'TASK_STATE_COMPLETED', 'meanwhile');
    expect(await world.callBack(waiting.id, 'wrong')).toBe(404);
    expect(await world.callBack(waiting.id, waiting.token)).toBe(200);
    expect(world.ends).toEqual(['result']);
  });

  test('a push config that another process made is taken back at the end', async () => {
    world.publicUrl = 'https://hub.example';
    world.peer.offers = { streaming: false, push: true, list: true };
    await world.restart();
    await world.begin();
    for (let i = 0; i < 20; i++) await world.pass(5_000);
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'meanwhile');
    await world.restart();
    expect([world.state, world.peer.pushes]).toEqual(['COMPLETED', []]);
  });
});

describe('sends', () => {
  test('a peer that answers only when it is done is found in its list, and followed meanwhile', async () => {
    world.peer.held = new Promise(() => undefined);
    await world.begin();
    expect(world.record.envelope.watch?.state).toBe('sending');
    await world.pass(15_000);
    expect(world.record.envelope).toMatchObject({ watch: { state: 'following' }, remote: { taskId: 'far-1' } });
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'in the end');
    await world.settle();
    expect([world.state, answer(), world.peer.count('send')]).toEqual(['COMPLETED', 'in the end', 1]);
  });

  test('a peer that never answers is not held on to longer than its task takes', async () => {
    world.peer.held = new Promise(() => undefined);
    await world.begin();
    await world.pass(15_000);
    await minutes(5);
    expect(world.peer.sending.map(({ aborted }) => aborted)).toEqual([false]);
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'in the end');
    await world.settle();
    expect(world.state).toBe('COMPLETED');
    await minutes(1);
    expect(world.peer.sending.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('a peer that answers only when it is done may take longer than a turn here', async () => {
    world.peer.offers = { streaming: true, push: false, list: false };
    let answered = (): void => undefined;
    world.peer.held = new Promise((resolve) => (answered = resolve));
    await world.begin();
    await minutes(90);
    expect(world.state).toBe('WORKING');
    answered();
    await world.settle();
    world.peer.set('far-1', 'TASK_STATE_COMPLETED', 'done');
    await world.settle();
    expect(world.state).toBe('COMPLETED');
  });

  test('a cancel while a message is on its way cancels there what the message begins', async () => {
    world.peer.offers = { streaming: true, push: false, list: false };
    let answered = (): void => undefined;
    world.peer.held = new Promise((resolve) => (answered = resolve));
    await world.begin();
    const canceled = world.prompts.cancel('t1', 'operator');
    await world.settle();
    expect((await canceled).task.status.state).toBe('TASK_STATE_CANCELED');
    expect(world.peer.count('cancel')).toBe(0);
    answered();
    await world.settle();
    expect([world.peer.count('cancel'), world.turnEnds]).toEqual([1, 1]);
  });
});
