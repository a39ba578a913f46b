import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failpoints } from '../src/failpoints.js';
import type { TaskRecord } from '../src/ledger/records.js';
import { silentLogger } from '../src/log.js';
import { NodeDisk } from '../src/node-disk.js';
import { saveSessionLines } from '../src/session-files.js';
import { FileProblems } from '../src/workspace/file-problems.js';
import { Transcripts } from '../src/workspace/transcript.js';
import { TempWorkspaces } from './support/temp-workspaces.js';

const record = (contextId: string, session = true): TaskRecord =>
  ({
    task: { contextId },
    envelope: { session, agent: 'demo', caller: { id: 'demo/ann', scope: 'demo' } },
  }) as TaskRecord;
const line = { taskId: 't1', n: 1, turn: 1, at: 1, role: 'user' as const, text: 'hello' };

describe('saving the lines of a session', () => {
  let home: TempWorkspaces;
  beforeEach(() => (home = new TempWorkspaces('demo')));

  const open = () => {
    const problems = new FileProblems(silentLogger());
    const disk = new NodeDisk(new Failpoints());
    const transcripts = new Transcripts({ workspaces: home.workspaces, disk, durability: 'process', problems });
    return { problems, transcripts, save: saveSessionLines(transcripts, problems) };
  };

  it('appends them to the transcript of their context', () => {
    const { save, transcripts } = open();
    save(record('c1'), [line]);
    expect(transcripts.read('demo', 'ann_c1')).toEqual([line]);
  });

  it('leaves tasks of other executors alone', () => {
    const { save, transcripts } = open();
    save(record('c1', false), [line]);
    expect(transcripts.read('demo', 'ann_c1')).toEqual([]);
  });

  it.each<[string, (path: string) => void]>([
    ['a newer format', (path) => writeFileSync(path, '{"v":2}\n')],
    ['a folder in its place', (path) => mkdirSync(path)],
  ])('reports %s and goes on, so that one bad file stops no other task', (_what, spoil) => {
    const folder = home.path('demo', '.a2a', 'sessions');
    mkdirSync(folder, { recursive: true });
    spoil(join(folder, 'ann_bad.jsonl'));
    const { save, problems, transcripts } = open();
    save(record('bad'), [line]);
    save(record('good'), [line]);
    expect(problems.list()).toEqual([expect.objectContaining({ workspace: 'demo', file: 'sessions/ann_bad.jsonl' })]);
    expect(transcripts.read('demo', 'ann_good')).toEqual([line]);
  });

  it('throws when the disk is full, so that the same lines come again', () => {
    const { transcripts, problems } = open();
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
    const failing = {
      append: () => {
        throw full;
      },
    } as unknown as Transcripts;
    expect(() => saveSessionLines(failing, problems)(record('c1'), [line])).toThrow(full);
    expect(transcripts.read('demo', 'ann_c1')).toEqual([]);
  });
});
