import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import fc from 'fast-check';
import { Failpoints } from '../../src/failpoints.js';
import { NodeDisk } from '../../src/node-disk.js';
import { readTranscript, TRANSCRIPT_HEADER, transcriptText } from '../../src/workspace/transcript-file.js';
import { Transcripts, type TranscriptLine } from '../../src/workspace/transcript.js';
import { RecordingDisk } from '../support/recording-disk.js';
import { TempWorkspaces } from '../support/temp-workspaces.js';

const FILE = 'ann_ctx';
const line = (taskId: string, n: number, text = `${taskId} ${n}`): TranscriptLine => ({
  taskId,
  n,
  turn: 1,
  at: 1,
  role: 'user',
  text,
});

class TestTranscripts extends TempWorkspaces {
  readonly file = this.path('demo', '.a2a', 'sessions', `${FILE}.jsonl`);
  readonly transcripts = this.open();

  constructor() {
    super('demo');
  }

  open(options: { maxRemembered?: number; failpoints?: Failpoints } = {}): Transcripts {
    const disk = new NodeDisk(options.failpoints ?? new Failpoints());
    return new Transcripts({ ...this.options(), disk, ...options });
  }

  options(): { workspaces: TempWorkspaces['workspaces']; problems: TempWorkspaces['problems']; durability: 'process' } {
    return { workspaces: this.workspaces, problems: this.problems, durability: 'process' };
  }

  append(...lines: TranscriptLine[]): number {
    return this.transcripts.append('demo', FILE, lines);
  }

  texts(): string[] {
    return this.transcripts.read('demo', FILE).map(({ text }) => text);
  }
}

describe('a transcript', () => {
  test('begins with a versioned line and holds what was appended, in order, readable by the owner alone', () => {
    const home = new TestTranscripts();
    expect(home.texts()).toEqual([]);
    const withParts: TranscriptLine = { ...line('t', 2, 'über\n"x"'), role: 'assistant', parts: [{ text: 'p' }] };
    expect(home.append(line('t', 1), withParts)).toBe(2);
    expect(home.append(line('t', 3))).toBe(1);
    expect(home.transcripts.read('demo', FILE)).toEqual([line('t', 1), withParts, line('t', 3)]);
    expect(readFileSync(home.file, 'utf8').split('\n')[0]).toBe('{"v":1,"kind":"transcript"}');
    expect(statSync(home.file).mode & 0o777).toBe(0o600);
  });

  test('gets a line only once, within a process and after a restart', () => {
    const home = new TestTranscripts();
    home.append(line('t', 1), line('u', 1), line('t', 1));
    expect(home.append(line('t', 1), line('t', 2))).toBe(1);
    expect(home.append(line('t', 1), line('t', 2))).toBe(0);
    expect(home.open().append('demo', FILE, [line('u', 1), line('t', 2), line('u', 2)])).toBe(1);
    expect(home.texts()).toEqual(['t 1', 'u 1', 't 2', 'u 2']);
  });

  test('gets a line only once however little is remembered', () => {
    const home = new TestTranscripts();
    const small = home.open({ maxRemembered: 2 });
    for (const _ of [1, 2])
      for (const file of ['a_1', 'a_2', 'a_3', 'a_4'])
        for (const task of ['t', 'u', 'v']) small.append('demo', file, [line(task, 1), line(task, 2)]);
    for (const file of ['a_1', 'a_2', 'a_3', 'a_4']) expect(small.read('demo', file)).toHaveLength(6);
  });

  test('that its owner deleted or shortened is taken as it is', () => {
    const home = new TestTranscripts();
    home.append(line('t', 1));
    rmSync(home.file);
    home.append(line('t', 2));
    expect(home.texts()).toEqual(['t 2']);
    writeFileSync(home.file, '');
    home.append(line('t', 3));
    expect(home.texts()).toEqual(['t 3']);
    expect(readFileSync(home.file, 'utf8').startsWith(TRANSCRIPT_HEADER)).toBe(true);
  });

  test('is not written for a workspace that is gone, which does not come back', () => {
    const home = new TestTranscripts();
    home.append(line('t', 1));
    rmSync(home.path('demo'), { recursive: true });
    expect(home.append(line('t', 2))).toBe(0);
    expect(existsSync(home.path('demo'))).toBe(false);
    expect(home.texts()).toEqual([]);
  });

  test.each(['../x_y', 'ann', 'ann_c/../../x', 'Ann_c', ''])('has no file named %j', (file) => {
    const home = new TestTranscripts();
    expect(() => home.transcripts.append('demo', file, [line('t', 1)])).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    );
    expect(() => home.transcripts.read('demo', file)).toThrow(expect.objectContaining({ code: 'not-found' }));
  });

  test('of a newer format is neither read nor changed', () => {
    const home = new TestTranscripts();
    home.append(line('t', 1));
    writeFileSync(home.file, '{"v":2}\n{"new":');
    expect(() => home.texts()).toThrow(/format version 2/);
    expect(() => home.append(line('t', 2))).toThrow(expect.objectContaining({ code: 'config' }));
    expect(readFileSync(home.file, 'utf8')).toBe('{"v":2}\n{"new":');
  });
});

describe('a damaged transcript', () => {
  test('cut at any byte keeps its whole lines, and is whole again after the same lines were offered', () => {
    const home = new TestTranscripts();
    const lines = [line('t', 1, 'ä🙂'), line('t', 2, '"\n'), line('u', 1)];
    const whole = Buffer.from(transcriptText(lines, { header: true, unended: false }));
    mkdirSync(home.path('demo', '.a2a', 'sessions'));
    for (let size = 0; size < whole.length; size += 1) {
      writeFileSync(home.file, whole);
      truncateSync(home.file, size);
      const kept = home.texts();
      expect(lines.map(({ text }) => text).slice(0, kept.length)).toEqual(kept);
      home.append(...lines);
      // Only the very last line end may still be missing; the next line brings it.
      expect(`${readFileSync(home.file, 'utf8').trimEnd()}\n`).toBe(whole.toString());
      expect(home.texts()).toEqual(lines.map(({ text }) => text));
    }
    expect(home.problems.list()).toEqual([]);
  });

  test('without its last line end keeps the line and goes on below it', () => {
    const home = new TestTranscripts();
    home.append(line('t', 1));
    truncateSync(home.file, statSync(home.file).size - 1);
    expect(home.texts()).toEqual(['t 1']);
    expect(home.append(line('t', 1))).toBe(0);
    expect(home.append(line('t', 2))).toBe(1);
    expect(home.texts()).toEqual(['t 1', 't 2']);
  });

  test('skips and reports what is no line, and no longer once it is repaired', () => {
    const home = new TestTranscripts();
    home.append(line('t', 1));
    const sound = readFileSync(home.file);
    appendFileSync(home.file, 'garbage\n{"taskId":"t"}\n\n[1]\n{"v":1}\n');
    home.append(line('t', 2));
    expect(home.texts()).toEqual(['t 1', 't 2']);
    expect(home.problems.list()).toEqual([
      { workspace: 'demo', file: `sessions/${FILE}.jsonl`, problem: 'damaged lines are skipped: 3, 4, 6, 7' },
    ]);
    writeFileSync(home.file, sound);
    expect(home.texts()).toEqual(['t 1']);
    expect(home.problems.list()).toEqual([]);
  });

  test('never throws and never invents a line, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const content = readTranscript(Buffer.from(bytes));
        expect(content.lines).toEqual([]);
        expect(content.soundBytes).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});

describe('writing', () => {
  const onDisk = (disk: RecordingDisk, durability: 'process' | 'power'): Transcripts => {
    disk.mkdirp('/w/.a2a');
    return new Transcripts({ disk, durability, workspaces: { path: () => '/w', has: () => true } });
  };

  test('is one write per call, and none when nothing is new', () => {
    const disk = new RecordingDisk();
    const transcripts = onDisk(disk, 'process');
    transcripts.append('demo', FILE, [line('t', 1), line('t', 2)]);
    transcripts.append('demo', FILE, [line('t', 2)]);
    expect(disk.count('write')).toBe(1);
  });

  test('that the full disk cut short can be repeated', () => {
    const disk = new RecordingDisk();
    const transcripts = onDisk(disk, 'process');
    transcripts.append('demo', FILE, [line('t', 1)]);
    disk.room = transcriptText([line('t', 2)], { header: false, unended: false }).length + 5;
    expect(() => transcripts.append('demo', FILE, [line('t', 2), line('t', 3)])).toThrow(/ENOSPC/);
    disk.room = Infinity;
    expect(transcripts.append('demo', FILE, [line('t', 2), line('t', 3)])).toBe(1);
    expect(transcripts.read('demo', FILE).map(({ n }) => n)).toEqual([1, 2, 3]);
  });

  test('survives a loss of power once synced: each file, then its folder, and nothing twice', async () => {
    const disk = new RecordingDisk();
    const transcripts = onDisk(disk, 'power');
    transcripts.append('demo', 'a_1', [line('t', 1)]);
    transcripts.append('demo', 'a_2', [line('t', 1)]);
    transcripts.append('demo', 'a_1', [line('t', 2)]);
    const before = disk.ops.length;
    await transcripts.sync();
    await transcripts.sync();
    expect(disk.ops.slice(before).map(({ kind }) => kind)).toEqual(['sync', 'sync', 'syncFolder']);
  });

  test('that could not be synced is synced the next time', async () => {
    const disk = new RecordingDisk();
    const transcripts = onDisk(disk, 'power');
    transcripts.append('demo', 'a_1', [line('t', 1)]);
    disk.syncFails = true;
    await expect(transcripts.sync()).rejects.toThrow(/EIO/);
    disk.syncFails = false;
    await transcripts.sync();
    expect(disk.count('sync')).toBe(1);
  });

  test('syncs nothing when only the process may die', async () => {
    const disk = new RecordingDisk();
    const transcripts = onDisk(disk, 'process');
    transcripts.append('demo', 'a_1', [line('t', 1)]);
    await transcripts.sync();
    expect(disk.count('sync') + disk.count('syncFolder')).toBe(0);
  });

  test.each(['transcript.before-append', 'transcript.after-append'] as const)(
    'passes %s, and a crash there harms nothing',
    (point) => {
      const home = new TestTranscripts();
      const die = (): never => {
        throw new Error('killed');
      };
      const dying = home.open({ failpoints: new Failpoints(point, die) });
      expect(() => dying.append('demo', FILE, [line('t', 1)])).toThrow('killed');
      home.append(line('t', 1), line('t', 2));
      expect(home.texts()).toEqual(['t 1', 't 2']);
    },
  );
});
