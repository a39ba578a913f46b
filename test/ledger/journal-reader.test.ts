import { readJournal, removeSegments, type DamagedLine } from '../../src/ledger/journal-reader.js';
import { openScope } from '../support/journal-run.js';
import { FileTree, RecordingDisk } from '../support/recording-disk.js';

const HEADER = '{"v":1,"kind":"journal"}\n';
const entry = (taskId: string, seq: number): string =>
  `{"taskId":"${taskId}","seq":${seq},"at":1,"event":{"type":"delta","turn":1,"text":"secret"}}\n`;

/** A journal of hand-written segments, numbered from 1. */
function journalOf(...contents: (string | Buffer)[]) {
  const disk = new RecordingDisk(new FileTree(new Map(), new Map(), new Set(['/', '/s', '/s/journal'])));
  contents.forEach((content, i) => {
    const fd = disk.createNew(`/s/journal/000000000${i + 1}.jsonl`);
    disk.write(fd, Buffer.from(content));
  });
  const { folder } = openScope(disk, 'process');
  const damage: DamagedLine[] = [];
  const read = () => readJournal(folder, (line) => damage.push(line));
  const ids = (): string[] => read().entries.map((e) => `${e.taskId}:${e.seq}`);
  return { disk, folder, damage, read, ids };
}

describe('reading a journal', () => {
  it('returns nothing for a folder that is not there', () => {
    const disk = new RecordingDisk();
    expect(readJournal(openScope(disk, 'process').folder, () => undefined)).toEqual({
      entries: [],
      purged: [],
      segments: [],
    });
  });

  it('returns the entries of all segments in order, and ignores other files', () => {
    const { disk, read, ids, damage } = journalOf(HEADER + entry('a', 1), HEADER + entry('b', 1) + entry('a', 2));
    disk.createNew('/s/journal/notes.txt');
    expect(ids()).toEqual(['a:1', 'b:1', 'a:2']);
    expect(read().segments).toEqual(['0000000001.jsonl', '0000000002.jsonl']);
    expect(damage).toEqual([]);
  });

  it('cuts off a torn last line in silence', () => {
    const whole = HEADER + entry('a', 1);
    for (const torn of ['{', entry('a', 2).slice(0, -1), '\0\0\0']) {
      const { disk, ids, damage } = journalOf(whole + torn);
      expect(ids()).toEqual(['a:1']);
      expect(damage).toEqual([]);
      expect(disk.size('/s/journal/0000000001.jsonl')).toBe(whole.length);
    }
  });

  it('takes an empty segment or a torn first line for a crash at its creation', () => {
    for (const last of ['', '{"v":1,']) {
      const { ids, damage } = journalOf(HEADER + entry('a', 1), last);
      expect(ids()).toEqual(['a:1']);
      expect(damage).toEqual([]);
    }
  });

  it('reports a damaged line by place, never by content, and skips it', () => {
    const bad = [
      '{"secret":',
      '{"taskId":"../x","seq":1,"at":1,"event":{"type":"delta"}}',
      'null',
      '[]',
      '{"taskId":"a"}',
    ];
    for (const line of bad) {
      const { ids, damage } = journalOf(`${HEADER}${entry('a', 1)}${line}\n${entry('a', 2)}`);
      expect(ids()).toEqual(['a:1', 'a:2']);
      expect(damage).toEqual([{ file: '/s/journal/0000000001.jsonl', line: 3, problem: 'not a journal entry' }]);
    }
  });

  it('reports an unfinished line in any segment but the last', () => {
    const { ids, damage } = journalOf(`${HEADER}${entry('a', 1)}{"ta`, HEADER + entry('a', 2));
    expect(ids()).toEqual(['a:1', 'a:2']);
    expect(damage).toEqual([{ file: '/s/journal/0000000001.jsonl', line: 3, problem: 'unfinished line' }]);
  });

  it('reads on after a damaged first line', () => {
    const { ids, damage } = journalOf(`garbage\n${entry('a', 1)}`);
    expect(ids()).toEqual(['a:1']);
    expect(damage).toMatchObject([{ line: 1, problem: 'not a journal header' }]);
  });

  it('refuses a segment of a newer version with a text that says so', () => {
    const { read } = journalOf(`{"v":2,"kind":"journal"}\n${entry('a', 1)}`);
    expect(read).toThrow(
      expect.objectContaining({ code: 'config', message: expect.stringContaining('newer version') }),
    );
  });

  it('leaves out what a later segment says was cut off', () => {
    const good = HEADER + entry('a', 1);
    const cut = `{"v":1,"kind":"journal","cuts":{"0000000001.jsonl":${good.length}}}\n`;
    const { ids, damage } = journalOf(good + entry('a', 2) + entry('b', 1), cut + entry('a', 2));
    expect(ids()).toEqual(['a:1', 'a:2']);
    expect(damage).toEqual([]);
  });
});

describe('a purge in a journal', () => {
  const purge = (taskId: string, seq: number, event: object): string =>
    `${JSON.stringify({ taskId, seq, at: 1, event: { type: 'purged', ...event } })}\n`;
  const whole = { caller: 'demo/alice', agent: 'demo', contextId: 'c', blobs: [] };

  it('makes nothing of all that was written about that task, wherever it stands', () => {
    const { ids, read, damage } = journalOf(
      HEADER + entry('a', 1) + entry('b', 1),
      HEADER + entry('a', 2) + purge('a', 3, whole) + entry('b', 2),
    );
    expect(ids()).toEqual(['b:1', 'b:2']);
    expect(read().purged.map(({ taskId, seq }) => [taskId, seq])).toEqual([['a', 3]]);
    expect(damage).toEqual([]);
  });

  it('that does not say what goes is damage, and takes nothing', () => {
    const { ids, read, damage } = journalOf(HEADER + entry('a', 1) + purge('a', 2, { ...whole, blobs: 7 }));
    expect(ids()).toEqual(['a:1']);
    expect(read().purged).toEqual([]);
    expect(damage[0]).toMatchObject({ line: 3 });
  });
});

describe('removing what was read', () => {
  it('deletes those segments and no other', async () => {
    const { disk, folder, read } = journalOf(HEADER + entry('a', 1), HEADER + entry('b', 1));
    const recovered = read();
    disk.createNew('/s/journal/0000000003.jsonl');
    await removeSegments(folder, recovered);
    expect(disk.list('/s/journal')).toEqual(['0000000003.jsonl']);
  });
});
