// The files of a stopped server's home, read without any of its code: what is there, and what can't be read.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import type { Checkpoint } from '../../src/ledger/records.js';
import type { TestHome } from '../support/test-home.js';
import type { Findings } from './findings.js';

/** Files by task id. */
export type TaskFiles = Map<string, Checkpoint>;

interface Line {
  taskId?: string;
  n?: number;
}

/** Reads everything; damage and gaps go into the findings. */
export function readHome(home: TestHome, findings: Findings): TaskFiles {
  const tasks: TaskFiles = new Map();
  const scopes = [join(home.path, 'data', 'operator'), join(home.path, 'workspaces', home.workspace, '.a2a')];
  for (const scope of scopes) {
    for (const name of names(join(scope, 'tasks'))) readTask(join(scope, 'tasks', name), name, tasks, findings);
    for (const name of names(join(scope, 'journal'))) readLines(join(scope, 'journal', name), findings);
    for (const name of names(join(scope, 'blobs'))) readBlob(join(scope, 'blobs', name), name, findings);
  }
  readTranscripts(join(scopes[1] as string, 'sessions'), tasks, findings);
  return tasks;
}

const names = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry: Dirent) => entry.isFile())
        .map((entry) => entry.name)
    : [];

function readTask(file: string, name: string, tasks: TaskFiles, findings: Findings): void {
  if (!/^[a-z0-9_-]+\.json$/i.test(name)) return findings.add('unreadable', `${file} is left behind`);
  try {
    const checkpoint = JSON.parse(readFileSync(file, 'utf8')) as Checkpoint;
    if (checkpoint.v !== 1 || `${checkpoint.task.id}.json` !== name) throw new Error('it is not what its name says');
    tasks.set(checkpoint.task.id, checkpoint);
  } catch (error) {
    findings.add('unreadable', `${file}: ${String(error)}`);
  }
}

function readLines(file: string, findings: Findings): Line[] {
  const text = readFileSync(file, 'utf8');
  if (text !== '' && !text.endsWith('\n')) findings.add('unreadable', `${file}: the last line is torn`);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.flatMap((line, i) => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      findings.add('unreadable', `${file}: line ${i + 1} is no JSON`);
      return [];
    }
  });
}

function readBlob(file: string, name: string, findings: Findings): void {
  if (!/^[0-9a-f]{64}$/.test(name)) findings.add('unreadable', `${file} is left behind`);
  else if (createHash('sha256').update(readFileSync(file)).digest('hex') !== name) {
    findings.add('unreadable', `${file} does not hold what its name says`);
  }
}

/** Each task's transcript lines must be there once and in order, as many as its checkpoint counts. */
function readTranscripts(folder: string, tasks: TaskFiles, findings: Findings): void {
  const counted = new Map<string, number>();
  for (const name of names(folder)) {
    for (const { taskId, n } of readLines(join(folder, name), findings)) {
      if (taskId === undefined || n === undefined) continue;
      const expected = (counted.get(taskId) ?? 0) + 1;
      if (n !== expected)
        findings.add('regressed', `transcript ${name}: line ${n} of ${taskId} where ${expected} belongs`);
      counted.set(taskId, n);
    }
  }
  for (const [id, { envelope }] of tasks) {
    const lines = counted.get(id) ?? 0;
    if (lines !== envelope.lines)
      findings.add('regressed', `${id} has ${lines} transcript lines, not ${envelope.lines}`);
  }
}
