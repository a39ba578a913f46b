// The runner as executor: which agents it serves, what comes in with a message, and what a driver may give out.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Driver, DriverEvent, DriverTurn, TurnEnd } from '../../../src/authoring/driver.js';
import { DRIVERS } from '../../../plugins/executors/session-runner/drivers/driver-list.js';
import { sessionRunner } from '../../../plugins/executors/session-runner/session-runner.js';
import type { Executor } from '../../../src/executors/contract.js';
import type { PluginContext } from '../../../src/plugin.js';
import { testBus } from '../../support/test-bus.js';
import { FakeHome, promptFor, Recorder } from './fake-core.js';

type Act = (turn: DriverTurn, emit: (event: DriverEvent) => void) => TurnEnd | void | Promise<TurnEnd | void>;

const acting = (act: Act): Driver => ({
  name: 'scripted',
  open: () => ({
    run: async (turn, emit) => (await act(turn, emit)) ?? { type: 'done' },
    close: () => undefined,
  }),
});

describe('the session runner', () => {
  let home: FakeHome;
  beforeEach(() => (home = new FakeHome()));
  afterEach(() => home.remove());

  it('serves workspaces with the skills of their cards', () => {
    const skill = { id: 's', name: 'Sums', description: 'Adds.', tags: ['maths'], inputModes: ['text/plain'] };
    home.card = { ...home.card, skills: [skill] };
    home.settings = { ...home.settings, exposed: false };
    const info = {
      name: 'helper',
      kind: 'workspace',
      description: 'Helps.',
      exposed: false,
      skills: [{ id: 's', name: 'Sums', description: 'Adds.', tags: ['maths'] }],
      approval: [],
    };
    const runner = home.runner();
    expect(runner.find('helper')).toEqual(info);
    expect(runner.list()).toEqual([info]);
    expect(runner.find('nobody')).toBeUndefined();
  });

  it('saves files to the inbox and puts all parts into words', async () => {
    const stored = home.blobs.put('helper', Buffer.from('bytes'));
    const { shown } = await home.run({
      parts: [
        { text: 'look at ' },
        { ...stored, filename: '../../etc/x\r\n.png', mediaType: 'image/png' },
        { blob: 'f'.repeat(64), size: 9, filename: 'gone.txt' },
        { data: { fence: '```' } },
        { text: 'this' },
      ],
    });
    expect(shown[0]).toBe(
      [
        'echo: look at this',
        '[file: inbox/a2a-ann-20260604T120500Z-x.png (image/png, 5 bytes)]',
        '[file: gone.txt is missing; its bytes are no longer stored]',
        '````json\n{\n  "fence": "```"\n}\n````',
      ].join('\n\n'),
    );
    const saved = join(home.directory, 'inbox', 'a2a-ann-20260604T120500Z-x.png');
    expect(readFileSync(saved, 'utf8')).toBe('bytes');
  });

  it('fails the turn in words when the inbox leads elsewhere', async () => {
    symlinkSync(home.root, join(home.directory, 'inbox'));
    const { outcome } = await home.run({ parts: [{ ...home.blobs.put('helper', Buffer.from('x')), filename: 'a' }] });
    expect(outcome).toMatchObject({ kind: 'failed', code: 'config', text: expect.stringContaining('inbox') });
  });

  it('saves no file again when the operator decides', async () => {
    const part = { ...home.blobs.put('helper', Buffer.from('bytes')), filename: 'a' };
    let seen = '';
    const driver = acting((turn) => void (seen = turn.message()));
    const answers = [{ question: 'may I?', answer: 'approve', from: 'operator' as const }];
    await home.run({ parts: [part], turn: 2, opening: 'x', answers }, home.runner([driver]));
    expect(existsSync(join(home.directory, 'inbox'))).toBe(false);
    expect(seen).toBe('The operator\'s decision on "may I?": approve');
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['/', 'file'],
    ['...', 'file'],
    ['.ssh', 'ssh'],
    ['a\r\nSet-Cookie: x', 'aSet-Cookie__x'],
    ['evil\u202Egnp.exe', 'evilgnp.exe'],
    [`${'x'.repeat(300)}.png`, `${'x'.repeat(116)}.png`],
  ])('gives the file %j out as %j', async (name, filename) => {
    const driver = acting((_turn, emit) => emit({ type: 'file', name, bytes: Buffer.from('x') }));
    const { artifacts } = await home.run({}, home.runner([driver]));
    expect(artifacts[0]).toMatchObject({ name: filename, parts: [{ filename }] });
  });

  it('leaves out files that are too large or too many, whoever made them, and says so', async () => {
    const driver = acting((_turn, emit) => {
      emit({ type: 'file', name: 'big.bin', bytes: Buffer.alloc(1001) });
      for (let n = 1; n <= 5; n++) emit({ type: 'file', name: `${n}.bin`, bytes: Buffer.alloc(1000) });
    });
    const { outcome, shown } = await home.run({}, home.runner([driver]));
    expect(shown).toEqual([
      'status the file big.bin was left out: it is larger than 1000 bytes',
      ...[1, 2, 3, 4].map((n) => `artifact ${n}.bin`),
      'status the file 5.bin was left out: too much was sent already',
    ]);
    expect(outcome.kind).toBe('completed');
  });

  it.each<[string, DriverEvent]>([
    ['words', { type: 'delta', text: 'x'.repeat(100_000) }],
    ['texts', { type: 'text', text: 'x'.repeat(100_000) }],
    ['data', { type: 'data', data: ['x'.repeat(100_000)] }],
    ['tools', { type: 'tool-started', tool: 'bash' }],
    ['files', { type: 'file', name: 'a', bytes: Buffer.alloc(1000) }],
    ['files that are too large', { type: 'file', name: 'a', bytes: Buffer.alloc(1001) }],
  ])('stops a driver that gives out %s without end', async (_what, event) => {
    const driver = acting((turn, emit) => {
      while (!turn.signal.aborted) emit(event);
      emit(event);
      return { type: 'cancelled' };
    });
    const { outcome, shown } = await home.run({}, home.runner([driver]));
    expect(outcome).toEqual({ kind: 'failed', text: 'The assistant said too much and was stopped.', code: 'too-much' });
    expect(shown.length).toBeLessThanOrEqual(20_000);
  });

  it('passes usage, questions with their schema, and refusals on', async () => {
    const ends: TurnEnd[] = [
      { type: 'done', usage: { totalTokens: 3 } },
      { type: 'question', question: 'q', schema: { type: 'string' }, from: 'caller' },
      { type: 'failed', text: 'no', code: 'c', usage: { totalTokens: 1 } },
      { type: 'rejected', text: 'never' },
    ];
    const runner = home.runner([acting(() => ends.shift())]);
    const outcomes = [];
    while (ends.length > 0) outcomes.push((await home.run({}, runner)).outcome);
    expect(outcomes).toEqual([
      { kind: 'completed', usage: { totalTokens: 3 } },
      { kind: 'question', question: 'q', schema: { type: 'string' }, from: 'caller' },
      { kind: 'failed', text: 'no', code: 'c', usage: { totalTokens: 1 } },
      { kind: 'rejected', text: 'never' },
    ]);
  });

  it('closes a message that the driver left open', async () => {
    const driver = acting((_turn, emit) => emit({ type: 'delta', text: 'a' }));
    expect((await home.run({}, home.runner([driver]))).shown).toEqual(['a', '/']);
  });

  it('shows no half of a character', async () => {
    const driver = acting((_turn, emit) => {
      for (const text of ['a\ud83d', '\ude00b', '\ud83d', '\ude00']) emit({ type: 'delta', text });
    });
    expect((await home.run({}, home.runner([driver]))).shown).toEqual(['a', '😀b', '😀', '/']);
  });

  it('runs nothing for a turn that was aborted before it began', async () => {
    let ran = false;
    const handle = new Recorder();
    handle.controller.abort();
    const outcome = await home.runner([acting(() => void (ran = true))]).run(promptFor({}), handle);
    expect([outcome.kind, ran]).toEqual(['failed', false]);
  });

  it('frames a third party and not the operator, with the time where the workspace is', async () => {
    home.write('CLAUDE.md', 'ignored beside AGENTS.md');
    home.write('AGENTS.md', 'Be kind.');
    home.write('MEMORY.md', 'Ann likes tea.');
    const seen: Record<string, string>[] = [];
    const runner = home.runner([acting((turn) => void seen.push({ ...turn.frame() }))]);
    await home.run({ text: 'hello' }, runner);
    await home.run({ text: 'hello', caller: 'operator' }, runner);
    const [third, owner] = seen;
    // How a date is punctuated differs between versions of Node.
    expect(third?.system).toMatch(
      /^# AGENTS.md\n\nBe kind.\n\n# MEMORY.md\n\nAnn likes tea.\n\nLocal time: Thursday\W+4 June 2026.+14:05 \(Europe\/Berlin\)$/,
    );
    expect(third?.prompt).toMatch(/^\[The message below was sent to the assistant "helper" by helper\/ann\./);
    expect(third?.prompt).toMatch(/third party[\s\S]*- notify_owner: [\s\S]*\]\n\nhello$/);
    expect(owner).toEqual({ ...third, prompt: 'hello' });
  });

  it('falls back to the time of the host when the zone is unknown', async () => {
    home.settings = { ...home.settings, timeZone: 'Mars/Base' };
    let system = '';
    await home.run({}, home.runner([acting((turn) => void (system = turn.frame().system))]));
    expect(system).toContain(`(${Intl.DateTimeFormat().resolvedOptions().timeZone})`);
  });

  it('leaves out standing files that lead outside or to its own files, and cuts long ones', async () => {
    writeFileSync(join(home.root, 'secret.md'), 'outside');
    writeFileSync(join(home.directory, '.a2a', 'callers.json'), 'keys');
    symlinkSync(join(home.root, 'secret.md'), join(home.directory, 'AGENTS.md'));
    symlinkSync(join(home.directory, '.a2a', 'callers.json'), join(home.directory, 'PERSONA.md'));
    home.write('CLAUDE.md', 'é'.repeat(40_000) + 'end');
    mkdirSync(join(home.directory, 'MEMORY.md'));
    let system = '';
    await home.run({}, home.runner([acting((turn) => void (system = turn.frame().system))]));
    expect(system).not.toMatch(/outside|keys|end\n|\uFFFD/);
    expect(system).toContain('[CLAUDE.md is longer than 65536 bytes; the rest is left out.]');
  });

  describe('session tools', () => {
    const use = async (name: string, args: unknown, ask = {}) => {
      let result;
      const driver = acting(async (turn) => {
        result = await turn.callTool(name, args);
        return result.end;
      });
      return { ...(await home.run(ask, home.runner([driver]))), result };
    };

    it('are declared with schemas; the owner is not notified in his own conversation', async () => {
      const seen: string[][] = [];
      const runner = home.runner([acting((turn) => void seen.push(turn.tools.map(({ name }) => name)))]);
      await home.run({}, runner);
      await home.run({ caller: 'operator' }, runner);
      expect(seen).toEqual([
        ['request_input', 'notify_owner', 'send'],
        ['request_input', 'send', 'a2a'],
      ]);
      expect(await use('notify_owner', { text: 'x' }, { caller: 'operator' })).toMatchObject({ result: { ok: false } });
    });

    it('are mentioned and offered only as far as they exist', async () => {
      home.forOwner = false;
      expect(await use('notify_owner', { text: 'look' })).toMatchObject({ result: { ok: false } });
      let prompt = '';
      await home.run({}, home.runner([acting((turn) => void (prompt = turn.frame().prompt))]));
      expect(prompt).toContain('- send: ');
      expect(prompt).not.toContain('notify_owner');
      await home.run({}, home.runner([acting((turn) => void (prompt = turn.frame([]).prompt))]));
      expect(prompt).not.toContain('Tools');
    });

    it('request_input ends the turn with the question', async () => {
      const { outcome } = await use('request_input', { question: 'why?' });
      expect(outcome).toEqual({ kind: 'question', question: 'why?', from: 'caller' });
    });

    it('notify_owner reaches the owner', async () => {
      expect(await use('notify_owner', { text: 'look' })).toMatchObject({ result: { ok: true } });
      expect(home.notices).toEqual(['helper look']);
    });

    it('send gives a text or a file of the workspace', async () => {
      mkdirSync(join(home.directory, 'out'));
      home.write('out/a.csv', '1,2');
      expect((await use('send', { text: 'words' })).artifacts[0]?.parts).toEqual([{ text: 'words' }]);
      expect((await use('send', { file: 'out/a.csv' })).artifacts[0]?.parts).toEqual([
        expect.objectContaining({ filename: 'a.csv', mediaType: 'text/csv', size: 3 }),
      ]);
    });

    it.each([
      ['request_input', {}, 'must be a text'],
      ['request_input', null, 'must be a text'],
      ['notify_owner', { text: 7 }, 'must be a text'],
      ['send', {}, 'either'],
      ['send', { file: 'a', text: 'b' }, 'either'],
      ['send', { file: 'none.txt' }, 'There is no file'],
      ['send', { file: 'a\0b' }, 'There is no file'],
      ['send', { file: '../secret.md' }, 'outside the workspace'],
      ['send', { file: 'link' }, 'outside the workspace'],
      ['send', { file: '.a2a/callers.json' }, "switchboard's own files"],
      ['send', { file: '.' }, 'no regular file'],
      ['send', { file: 'big' }, 'larger than 1000 bytes'],
      ['rm', {}, 'no tool named rm'],
    ])('%s %j is refused in words', async (name, args, reason) => {
      writeFileSync(join(home.root, 'secret.md'), 'outside');
      writeFileSync(join(home.directory, '.a2a', 'callers.json'), 'keys');
      symlinkSync('../secret.md', join(home.directory, 'link'));
      home.write('big', 'x'.repeat(1001));
      const { result, artifacts } = await use(name, args);
      expect(result).toMatchObject({ ok: false, text: expect.stringContaining(reason) });
      expect(artifacts).toEqual([]);
    });

    it('send gives nobody what another caller sent, nor more than so much in one turn', async () => {
      mkdirSync(join(home.directory, 'inbox'));
      home.write('inbox/a2a-bob-20260101T000000Z-a.txt', 'private');
      home.write('inbox/a2a-ann-20260101T000000Z-a.txt', 'mine');
      const send = async (file: string, ask = {}) => (await use('send', { file }, ask)).result;
      expect(await send('inbox/a2a-bob-20260101T000000Z-a.txt')).toMatchObject({
        ok: false,
        text: expect.stringContaining('sent by somebody else'),
      });
      expect(await send('inbox/a2a-ann-20260101T000000Z-a.txt')).toMatchObject({ ok: true });
      expect(await send('inbox/a2a-bob-20260101T000000Z-a.txt', { caller: 'operator' })).toMatchObject({ ok: true });
      home.write('large', 'x'.repeat(1000));
      const sent: boolean[] = [];
      const driver = acting(async (turn) => {
        for (let n = 0; n < 6; n++) sent.push((await turn.callTool('send', { file: 'large' })).ok);
      });
      await home.run({}, home.runner([driver]));
      expect(sent).toEqual([true, true, true, true, false, false]);
    });
  });

  describe('as a plugin', () => {
    const install = async () => {
      const { bus, open } = testBus();
      const notified: unknown[] = [];
      open('test').subscribe('owner.notified', (payload) => void notified.push(payload));
      const { deps } = home.runner() as unknown as {
        deps: { core: object; files: Parameters<typeof sessionRunner>[0] };
      };
      const plugin = sessionRunner(deps.files, DRIVERS);
      const executors: Executor[] = [];
      const registry = { register: (executor: Executor) => executors.push(executor) };
      const core = { ...deps.core, registry, extensions: { accept: () => undefined } };
      const log = (deps.core as { log: PluginContext<never, 'owner.notified'>['log'] }).log;
      const installed = await plugin.install({
        bus: bus.join(plugin),
        core,
        log,
      } as unknown as PluginContext<never, 'owner.notified'>);
      return { bus, notified, executor: executors[0] as Executor, installed };
    };

    it('registers the executor and tells owners over the bus, but not for a synthetic prompt', async () => {
      const { bus, notified, executor, installed } = await install();
      expect(executor.name).toBe('session-runner');
      await executor.run(promptFor({ text: `notify ${'x'.repeat(5000)}` }), new Recorder());
      await executor.run(promptFor({ text: 'notify quiet', synthetic: true }), new Recorder());
      await bus.drain();
      const text = 'x'.repeat(4000);
      expect(notified).toEqual([{ workspace: 'helper', caller: 'helper/ann', cid: 'task-1', text }]);
      if (installed) await installed.stop?.();
      await expect(executor.run(promptFor({}), new Recorder())).rejects.toMatchObject({ code: 'stopping' });
    });
  });
});
