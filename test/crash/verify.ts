// What happens after each crash: start again, compare with what clients saw, stop, compare with the files.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TasksAnswer } from '../../src/operator-wire.js';
import { A2aClient } from '../support/a2a-client.js';
import type { ServerChild } from '../support/server-child.js';
import { OPERATOR_KEY, type TestHome } from '../support/test-home.js';
import { compareLists, readLists, type Lists } from './compare-lists.js';
import { compareAnswers, compareDuplicates, compareFiles, type Clients } from './compare-tasks.js';
import type { Findings } from './findings.js';
import { readHome } from './home-files.js';
import type { Model } from './model.js';

/** How long a task that was queued may take to run its course after a start. */
const SETTLE_MS = 5_000;

export interface Subject {
  home: TestHome;
  model: Model;
  findings: Findings;
  /** Starts the server on the home, without any failpoint. */
  start(): Promise<ServerChild>;
}

export interface VerifyOptions {
  /** The database is lost in the crash. */
  mirrorLost?: boolean;
  /** It is deleted at the end, and the lists are read once more. */
  withoutMirror: boolean;
}

/** Starts, verifies and stops. */
export async function verify(subject: Subject, { mirrorLost = false, withoutMirror }: VerifyOptions): Promise<void> {
  const { home, model, findings } = subject;
  if (mirrorLost) deleteMirror(home);
  const server = await subject.start();
  let lists: Lists;
  try {
    const clients = clientsOf(server, home);
    await reconciled(clients, findings);
    await compareAnswers(model, clients, findings);
    await compareDuplicates(model, clients, findings);
    lists = await readLists(clients);
    await model.webhooks?.settled(clients.operator, findings);
  } finally {
    const exit = await server.stop();
    if (exit.code !== 0) findings.add('unreadable', `stopping ended with ${JSON.stringify(exit)}: ${server.stderr()}`);
  }
  const files = readHome(home, findings);
  compareFiles(model, files, findings);
  compareLists(lists, files, 'after the restart', findings);
  model.webhooks?.compare(files, findings);
  if (!withoutMirror) return;
  deleteMirror(home);
  const again = await subject.start();
  try {
    compareLists(await readLists(clientsOf(again, home)), files, 'without the database', findings);
  } finally {
    await again.stop();
  }
}

function deleteMirror({ path }: TestHome): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(path, 'data', `mirror.sqlite${suffix}`), { force: true });
}

const clientsOf = (server: ServerChild, home: TestHome): Clients => ({
  callers: new Map(Object.entries(home.keys).map(([name, key]) => [name, new A2aClient(server.url, key)])),
  operator: new A2aClient(server.url, OPERATOR_KEY),
});

/** Nothing may go on being shown as running when nothing runs. */
async function reconciled({ operator }: Clients, findings: Findings): Promise<void> {
  const pending = async (): Promise<TasksAnswer['tasks']> => {
    const pages = await Promise.all(
      ['submitted', 'working'].map((state) => operator.rest<TasksAnswer>('GET', `/api/a2a/tasks?state=${state}`)),
    );
    return pages.flatMap((page) => page.tasks);
  };
  for (let waited = 0; waited < SETTLE_MS; waited += 100) {
    if ((await pending()).length === 0) return;
    await sleep(100);
  }
  for (const row of await pending()) findings.add('unreconciled', `${row.taskId} is ${row.taskState}`);
}
