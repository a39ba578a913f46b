// What a purge that died in the middle must come to: the next start finishes it, and what is gone stays gone.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { A2aClient, Refused } from '../support/a2a-client.js';
import { readHome } from './home-files.js';
import { verify, type Subject } from './verify.js';

/** Starts and stops once to learn what is gone, then verifies everything, the lists without the database included. */
export async function verifyPurge(subject: Subject): Promise<void> {
  const { home, model, findings } = subject;
  const first = await subject.start();
  await first.stop();
  const left = readHome(home, findings);
  const gone = [...model.tasks.values()].filter(({ id }) => !left.has(id));
  // One that nobody saw end may have ended all the same; one that was seen waiting has not.
  model.isPurged(gone.filter(({ waiting }) => waiting === undefined).map(({ id }) => id));
  findLeftovers(subject);
  await verify(subject, { withoutMirror: true });
  const again = await subject.start();
  for (const { id, owner } of gone) {
    const client = new A2aClient(again.url, home.keys[owner] ?? '');
    if (owner !== 'operator' && (await isKnown(client, id))) findings.add('regressed', `task ${id} came back`);
  }
  await again.stop();
}

async function isKnown(client: A2aClient, id: string): Promise<boolean> {
  try {
    await client.rpc('GetTask', { id });
    return true;
  } catch (error) {
    if (error instanceof Refused && error.code === -32001) return false;
    throw error;
  }
}

/** Transcripts without a task, and stored files that neither a task nor a transcript mentions. */
function findLeftovers({ home, findings }: Subject): void {
  const folder = join(home.path, 'workspaces', home.workspace, '.a2a');
  const read = (name: string): Map<string, string> => {
    const files = namesIn(join(folder, name));
    return new Map(files.map((file) => [file, readFileSync(join(folder, name, file), 'utf8')]));
  };
  const tasks = [...read('tasks').values(), ...operatorTasks(home.path)];
  const transcripts = read('sessions');
  for (const [file, text] of transcripts) {
    const contextId = file.replace(/^[^_]*_|\.jsonl$/g, '');
    if (!tasks.some((task) => task.includes(`"contextId":"${contextId}"`))) {
      findings.add('regressed', `transcript ${file} of a purged conversation is left: ${text.length} bytes`);
    }
  }
  for (const blob of namesIn(join(folder, 'blobs'))) {
    const used = [...tasks, ...transcripts.values()].some((text) => text.includes(blob));
    if (!used) findings.add('regressed', `file ${blob} is left, and nobody uses it`);
  }
}

/** A short load may have made none of a kind, and no folder for it. */
const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

const operatorTasks = (home: string): string[] => {
  const folder = join(home, 'data', 'operator', 'tasks');
  return namesIn(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
};
