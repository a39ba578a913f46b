// The lists that a server shows against the task files: the mirror must say what the files say.
import { shortState, type TaskState } from '../../src/a2a-model.js';
import type { Checkpoint } from '../../src/ledger/records.js';
import type { TasksAnswer } from '../../src/operator-wire.js';
import type { WireTask } from '../support/a2a-client.js';
import type { Clients } from './compare-tasks.js';
import type { Findings } from './findings.js';

/** Everything the lists of one moment say. */
export interface Lists {
  /** The operator's list: task id → short state. */
  all: Map<string, string>;
  /** Per caller name: task id → state. */
  byCaller: Map<string, Map<string, TaskState>>;
  /** Per caller name and state: the total that a filtered list states. */
  totals: Map<string, number>;
}

const STATES = [
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
] as const;

export async function readLists({ callers, operator }: Clients): Promise<Lists> {
  const lists: Lists = { all: new Map(), byCaller: new Map(), totals: new Map() };
  let cursor: string | undefined;
  do {
    const query = `pageSize=100${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page: TasksAnswer = await operator.rest('GET', `/api/a2a/tasks?${query}`);
    for (const row of page.tasks) lists.all.set(row.taskId, row.taskState);
    lists.totals.set('operator all', page.total);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  for (const [name, client] of callers) {
    const own = new Map<string, TaskState>();
    let pageToken = '';
    do {
      const page: ListPage = await client.rpc('ListTasks', { pageSize: 100, pageToken });
      for (const task of page.tasks) own.set(task.id, task.status.state);
      lists.totals.set(`${name} all`, page.totalSize);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    lists.byCaller.set(name, own);
    for (const status of STATES) {
      const { totalSize }: ListPage = await client.rpc('ListTasks', { pageSize: 1, status });
      lists.totals.set(`${name} ${status}`, totalSize);
    }
  }
  return lists;
}

interface ListPage {
  tasks: WireTask[];
  totalSize: number;
  nextPageToken: string;
}

export function compareLists(
  lists: Lists,
  files: ReadonlyMap<string, Checkpoint>,
  when: string,
  findings: Findings,
): void {
  const drift = (what: string): void => findings.add('mirrorDrift', `${when}: ${what}`);
  const expect = (what: string, said: unknown, real: unknown): void => {
    if (said !== real) drift(`${what} is ${String(said)} in the lists and ${String(real)} in the files`);
  };
  for (const [id, { task }] of files) expect(id, lists.all.get(id), shortState(task.status.state));
  for (const id of lists.all.keys()) if (!files.has(id)) drift(`${id} is listed and has no file`);
  expect('the number of tasks', lists.totals.get('operator all'), files.size);
  for (const [name, own] of lists.byCaller) {
    const real = [...files.values()].filter(({ envelope }) => envelope.caller.id.endsWith(`/${name}`));
    for (const { task } of real) expect(`${name}'s ${task.id}`, own.get(task.id), task.status.state);
    expect(`the number of ${name}'s tasks`, own.size, real.length);
    expect(`the total of ${name}'s tasks`, lists.totals.get(`${name} all`), real.length);
    for (const state of STATES) {
      const count = real.filter(({ task }) => task.status.state === state).length;
      expect(`the total of ${name}'s ${state}`, lists.totals.get(`${name} ${state}`), count);
    }
  }
}
