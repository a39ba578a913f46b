// What each directive does to a task, seen through the runner.
import { FakeHome, promptFor, Recorder } from './fake-core.js';

describe('a scripted workspace', () => {
  let home: FakeHome;
  beforeEach(() => (home = new FakeHome()));
  afterEach(() => home.remove());

  it('echoes any other text', async () => {
    expect(await home.run({ text: 'hello; you' })).toMatchObject({
      outcome: { kind: 'completed' },
      shown: ['echo: hello; you', '/'],
    });
  });

  it('says several messages', async () => {
    expect((await home.run({ text: 'say a; say b' })).shown).toEqual(['a', '/', 'b', '/']);
  });

  it('streams one message in so many deltas', async () => {
    const { shown } = await home.run({ text: 'stream 4' });
    expect(shown).toEqual(['1', ' 2', ' 3', ' 4', '/']);
  });

  it('stops a long stream when it is aborted', async () => {
    const handle = new Recorder();
    const running = home.runner().run(promptFor({ text: 'stream 10000' }), handle);
    setImmediate(() => handle.controller.abort());
    expect(await running).toMatchObject({ kind: 'failed', code: 'cancelled' });
    expect(handle.shown.length).toBeLessThan(10_000);
  });

  it('shows a tool, and an answer when the script leaves none', async () => {
    expect((await home.run({ text: 'tool search' })).shown).toEqual(['+search', '-search true', 'done', '/']);
  });

  it('gives a file with its name and media type, its bytes stored in the scope of the caller', async () => {
    const { artifacts } = await home.run({ text: 'file report.md # Hi; file b.txt more' });
    expect(artifacts).toEqual([
      {
        artifactId: 'task-1-1-1',
        name: 'report.md',
        parts: [{ blob: expect.any(String), size: 4, filename: 'report.md', mediaType: 'text/markdown' }],
      },
      expect.objectContaining({ artifactId: 'task-1-1-2', name: 'b.txt' }),
    ]);
    const [part] = artifacts[0]?.parts ?? [];
    expect(part && 'blob' in part && home.blobs.read('helper', part.blob)?.toString()).toBe('# Hi');
  });

  it('gives data', async () => {
    const { artifacts } = await home.run({ text: 'data {"a":1}' });
    expect(artifacts).toEqual([{ artifactId: 'task-1-1-1', name: 'data', parts: [{ data: { a: 1 } }] }]);
  });

  it('notifies the owner', async () => {
    expect((await home.run({ text: 'notify look here' })).outcome).toEqual({ kind: 'completed' });
    expect(home.notices).toEqual(['helper look here']);
  });

  it('fails with a known text', async () => {
    const { outcome } = await home.run({ text: 'say a; fail no luck; say b' });
    expect(outcome).toEqual({ kind: 'failed', text: 'no luck', code: 'run-failed' });
  });

  it('fails a call to another agent and names the reason', async () => {
    const { outcome } = await home.run({ text: 'call bob hello' });
    expect(outcome).toMatchObject({ kind: 'failed', code: 'call-unavailable' });
    expect(outcome).toHaveProperty('text', expect.stringContaining('not available here'));
  });

  it('throws at a crash, after what it said before, and works in the next turn', async () => {
    const runner = home.runner();
    const handle = new Recorder();
    await expect(runner.run(promptFor({ text: 'say a; crash' }), handle)).rejects.toThrow('asked for a crash');
    expect(handle.shown).toEqual(['a', '/']);
    expect(runner.sessions.size).toBe(0);
    expect((await home.run({ text: 'say b' }, runner)).outcome).toEqual({ kind: 'completed' });
  });

  it('waits by the clock', async () => {
    const handle = new Recorder();
    const running = home.runner().run(promptFor({ text: 'wait 5000; say late' }), handle);
    while (home.clock.pending === 0) await Promise.resolve();
    home.clock.advance(4999);
    expect(handle.shown).toEqual([]);
    home.clock.advance(1);
    expect(await running).toEqual({ kind: 'completed' });
    expect(handle.shown).toEqual(['late', '/']);
  });

  it('ends a wait at an abort, and leaves no timer behind', async () => {
    const handle = new Recorder();
    const running = home.runner().run(promptFor({ text: 'wait 5000; say late' }), handle);
    await new Promise(setImmediate);
    handle.controller.abort();
    expect(await running).toMatchObject({ code: 'cancelled' });
    expect(handle.shown).toEqual([]);
    home.clock.advance(1_800_000);
    expect(home.clock.pending).toBe(0);
  });

  it('asks, and goes on after the answer', async () => {
    const opening = 'say hi; ask your name?; say bye';
    expect(await home.run({ text: opening })).toMatchObject({
      outcome: { kind: 'question', question: 'your name?', from: 'caller' },
      shown: ['hi', '/'],
    });
    const answers = [{ question: 'your name?', answer: 'Ann', from: 'caller' as const }];
    const { shown, outcome } = await home.run({ opening, text: 'Ann', turn: 2, answers });
    expect(shown).toEqual(['you said: Ann', '/', 'bye', '/']);
    expect(outcome).toEqual({ kind: 'completed' });
  });

  it('does not take an answer for directives', async () => {
    const answers = [{ question: 'q', answer: 'crash', from: 'caller' as const }];
    const { shown } = await home.run({ opening: 'ask q', text: 'crash', turn: 2, answers });
    expect(shown).toEqual(['you said: crash', '/']);
  });

  it('finds its place among several questions with a new runner each turn, as after restarts', async () => {
    const opening = 'ask one?; say mid; auth two?; ask three?; say end';
    const answers: { question: string; answer: string; from: 'caller' | 'operator' }[] = [];
    const turn = (text: string) => home.run({ opening, text, turn: answers.length + 1, answers });

    expect((await turn(opening)).outcome).toMatchObject({ question: 'one?', from: 'caller' });
    answers.push({ question: 'one?', answer: 'A', from: 'caller' });
    expect(await turn('A')).toMatchObject({
      outcome: { question: 'two?', from: 'operator' },
      shown: ['you said: A', '/', 'mid', '/'],
    });
    answers.push({ question: 'two?', answer: 'approve', from: 'operator' });
    expect(await turn('A')).toMatchObject({ outcome: { question: 'three?' }, shown: ['approved', '/'] });
    answers.push({ question: 'three?', answer: 'C', from: 'caller' });
    expect(await turn('C')).toMatchObject({
      outcome: { kind: 'completed' },
      shown: ['you said: C', '/', 'end', '/'],
    });
  });

  it('rejects the task when the operator declines', async () => {
    const answers = [{ question: 'may I?', answer: 'decline', from: 'operator' as const }];
    const { outcome, shown } = await home.run({ opening: 'auth may I?; say never', text: 'x', turn: 2, answers });
    expect(outcome).toEqual({ kind: 'rejected', text: 'declined' });
    expect(shown).toEqual([]);
  });

  it('starts its script when the operator approved something that it had not asked', async () => {
    const answers = [{ question: 'skill?', answer: 'approve', from: 'operator' as const }];
    const { outcome } = await home.run({ opening: 'ask one?', text: 'ask one?', turn: 2, answers });
    expect(outcome).toMatchObject({ kind: 'question', question: 'one?' });
  });

  it('answers by script.json before it echoes, and sees an edit in the next turn', async () => {
    const runner = home.runner();
    home.files.set('script.json', '{"v":1,"rules":[{"match":"hi*","reply":"say hello; ask name?"}]}');
    expect(await home.run({ text: 'hi you' }, runner)).toMatchObject({ outcome: { question: 'name?' } });
    expect((await home.run({ text: 'other' }, runner)).shown).toEqual(['echo: other', '/']);
    home.files.set('script.json', '[{"match":"other","reply":"say new"}]');
    expect((await home.run({ text: 'other' }, runner)).shown).toEqual(['new', '/']);
  });

  it('fails with the reason when script.json is malformed, except for directives', async () => {
    home.files.set('script.json', '{"v":1,"rules":7}');
    const { outcome } = await home.run({ text: 'hi' });
    expect(outcome).toEqual({ kind: 'failed', code: 'script-malformed', text: 'script.json: "rules" is not a list' });
    expect((await home.run({ text: 'say hi' })).shown).toEqual(['hi', '/']);
  });
});
