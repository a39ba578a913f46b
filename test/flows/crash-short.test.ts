// A short run of `npm run crash`, and proof that its verification can fail.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkpoint } from '../../src/ledger/records.js';
import { crashRun } from '../crash/crash-run.js';
import { Findings } from '../crash/findings.js';
import { Model } from '../crash/model.js';
import { startTraffic } from '../crash/traffic.js';
import { verify, type Subject } from '../crash/verify.js';
import { ensureBuilt, startSwitchboard } from '../support/compiled-server.js';
import { seededRandom } from '../support/random.js';
import { makeTestHome, type TestHome } from '../support/test-home.js';

beforeAll(ensureBuilt);

describe('a server killed in the middle', () => {
  it('at named writes and at random keeps everything that its clients saw', async () => {
    const { result, problems } = await crashRun({
      rounds: 2,
      seconds: 1,
      seed: 7,
      failpoints: ['journal.torn-write', 'checkpoint.after-temp', 'transcript.before-append', 'purge.after-checkpoint'],
      say: () => undefined,
    });
    expect(problems).toEqual([]);
    expect(result).toMatchObject({
      rounds: 2,
      failpoints: 4,
      lost: 0,
      regressed: 0,
      unreadable: 0,
      unreconciled: 0,
      untold: 0,
    });
    expect(result.told).toBeGreaterThan(20);
    expect(result.acknowledged).toBeGreaterThan(20);
  }, 240_000);
});

describe('the verification after a crash', () => {
  let home: TestHome;
  let subject: Subject;

  beforeEach(async () => {
    home = makeTestHome({ callers: ['ann', 'bob'] });
    const start = () => startSwitchboard({ home: home.path });
    subject = { home, model: new Model(), findings: new Findings(), start };
    const server = await start();
    const complaints: string[] = [];
    const load = startTraffic(server, home, subject.model, seededRandom(3), complaints);
    subject.model.onTask = (count) => count >= 25 && load.stop();
    await load.finished;
    await server.stop();
    expect(complaints).toEqual([]);
  });

  afterEach(() => home.remove());

  const tasksFolder = (): string => join(home.path, 'workspaces', home.workspace, '.a2a', 'tasks');
  const checkpoints = (): { file: string; content: Checkpoint }[] =>
    readdirSync(tasksFolder()).map((name) => {
      const file = join(tasksFolder(), name);
      return { file, content: JSON.parse(readFileSync(file, 'utf8')) as Checkpoint };
    });
  const completed = (): { file: string; content: Checkpoint } => {
    const found = checkpoints().find(({ content }) => content.task.status.state === 'TASK_STATE_COMPLETED');
    if (found === undefined) throw new Error('no completed task');
    return found;
  };

  it('finds nothing when nothing was touched', async () => {
    await verify(subject, { withoutMirror: true });
    expect(subject.findings.list()).toEqual([]);
  });

  it('counts a task that is gone as lost', async () => {
    rmSync(completed().file);
    await verify(subject, { withoutMirror: false });
    expect(subject.findings.count('lost')).toBeGreaterThan(0);
  });

  it('counts a state, a position and a text that differ as regressed, and lists that differ as drift', async () => {
    const { file, content } = completed();
    content.task.status.state = 'TASK_STATE_FAILED';
    content.envelope.seq = 1;
    content.task.artifacts = [];
    writeFileSync(file, JSON.stringify(content));
    await verify(subject, { withoutMirror: false });
    expect(subject.findings.count('regressed')).toBeGreaterThan(1);
    expect(subject.findings.count('mirrorDrift')).toBeGreaterThan(0);
  });

  it('counts a file that is no JSON as unreadable', async () => {
    writeFileSync(join(tasksFolder(), '..', 'sessions', 'broken.jsonl'), '{"v":1}\n{"taskId":\n');
    await verify(subject, { withoutMirror: false });
    expect(subject.findings.count('unreadable')).toBe(1);
  });
});
