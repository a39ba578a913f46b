// Homes with many tasks, made quickly: the server itself writes one task of each kind, and its files are multiplied.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkpoint } from '../../src/ledger/records.js';
import { startSwitchboard } from '../support/compiled-server.js';
import { freshFolder } from './fresh-folder.js';
import { makeTestHome, type TestHome } from '../support/test-home.js';

/** What was seeded, so that lists can be checked. */
export interface SeededHome {
  home: TestHome;
  tasks: number;
  completed: number;
  /** A context that holds `inContext` of the tasks. */
  contextId: string;
  inContext: number;
}

/** Of each hundred tasks: so many completed, failed, and waiting for an answer. */
const MIX = [
  { text: 'hello', of100: 95 },
  { text: 'fail out of paper', of100: 4 },
  { text: 'ask which size?', of100: 1 },
] as const;
const IN_CONTEXT = 60;
const CONTEXT = 'seeded-context';

export interface SeedOptions {
  /** Members of switchboard.json. */
  settings?: Record<string, unknown>;
  /** Where the n-th task has a webhook, which was told of everything but the last change. */
  webhook?(n: number): string;
}

/** A home of `count` tasks of one caller (a multiple of 100), without a mirror: the next start builds it. */
export async function seedHome(count: number, { settings, webhook }: SeedOptions = {}): Promise<SeededHome> {
  const home = makeTestHome({ below: freshFolder().path, settings });
  const folder = join(home.path, 'workspaces', home.workspace, '.a2a', 'tasks');
  const templates = await makeTemplates(home, folder);
  rmSync(join(home.path, 'data'), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const now = Date.now();
  let completed = 0;
  let inContext = 0;
  for (let i = 0; i < count; i++) {
    const share = i % 100;
    const kind = share < MIX[0].of100 ? 0 : share < MIX[0].of100 + MIX[1].of100 ? 1 : 2;
    if (kind === 0) completed += 1;
    const shared = kind === 0 && inContext < IN_CONTEXT && i % Math.floor(count / 100) === 0;
    if (shared) inContext += 1;
    const id = `00000000-0000-4000-8000-${i.toString(16).padStart(12, '0')}`;
    const record = copyOf(
      templates[kind] as Checkpoint,
      id,
      shared ? CONTEXT : `context-${i}`,
      now - (count - i) * 1000,
    );
    if (webhook) {
      const acknowledged = record.envelope.transitions.at(-2)?.seq ?? 0;
      const config = { id: 'w', url: webhook(i), version: '1.0' as const };
      record.envelope.pushConfigs = [{ ...config, acknowledged, createdAt: record.envelope.createdAt }];
    }
    writeFileSync(join(folder, `${id}.json`), JSON.stringify(record));
  }
  return { home, tasks: count, completed, contextId: CONTEXT, inContext };
}

async function makeTemplates(home: TestHome, folder: string): Promise<Checkpoint[]> {
  const server = await startSwitchboard({ home: home.path });
  const ids: string[] = [];
  for (const { text } of MIX) {
    const message = { messageId: `template-${ids.length}`, role: 'ROLE_USER', parts: [{ text }] };
    const response = await fetch(`${server.url}/a2a`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', 'X-API-Key': home.keys['ann'] ?? '' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
    });
    const answer = (await response.json()) as { result?: { task?: { id: string } } };
    if (answer.result?.task === undefined) throw new Error(`no template: ${JSON.stringify(answer)}`);
    ids.push(answer.result.task.id);
  }
  await server.stop();
  const templates = ids.map((id) => JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8')) as Checkpoint);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  for (const other of ['journal', 'sessions']) rmSync(join(folder, '..', other), { recursive: true, force: true });
  return templates;
}

function copyOf(template: Checkpoint, id: string, contextId: string, at: number): Checkpoint {
  const copy = structuredClone(template);
  copy.task.id = id;
  copy.task.contextId = contextId;
  copy.task.status.timestamp = new Date(at).toISOString();
  for (const message of [...copy.task.history, copy.task.status.message]) {
    if (message === undefined) continue;
    message.messageId = `message-${id}`;
    if (message.taskId !== undefined) message.taskId = id;
    if (message.contextId !== undefined) message.contextId = contextId;
  }
  copy.envelope.createdAt = at;
  copy.envelope.updatedAt = at;
  for (const transition of copy.envelope.transitions) transition.at = at;
  for (const message of copy.envelope.messages) Object.assign(message, { id: `message-${id}`, at });
  return copy;
}
