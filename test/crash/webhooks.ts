// The receiver of all webhooks of a crash run: keeps what it was told in order of arrival, across all kills, and now and
// then refuses or breaks off.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PushesAnswer } from '../../src/push-wire.js';
import type { A2aClient } from '../support/a2a-client.js';
import type { Random } from '../support/random.js';
import type { Findings } from './findings.js';
import type { TaskFiles } from './home-files.js';

export const WEBHOOK_ID = 'w';
/** One notification fails no more often than this: the waits after more failures are longer than anybody waits here. */
const FAILURES = 2;
/** How long the retries of what was refused may take after a start. */
const TOLD_MS = 60_000;

interface Told {
  id: string;
  state: string;
}

export class Webhooks {
  /** What was answered with 200, by task, in order of arrival. */
  private readonly told = new Map<string, Told[]>();
  private readonly server = createServer((req, res) => void this.take(req, res));
  /** Failures so far, by notification. */
  private readonly failed = new Map<string, number>();
  private refusing = true;

  constructor(private readonly random: Random) {}

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  get count(): number {
    return [...this.told.values()].reduce((sum, told) => sum + told.length, 0);
  }

  /** Waits until the server on a home owes nothing any more. */
  async settled(operator: A2aClient, findings: Findings): Promise<void> {
    this.refusing = false;
    const owing = async (): Promise<PushesAnswer['pushes']> => {
      const pages = await Promise.all(
        ['pending', 'retrying'].map((state) => operator.rest<PushesAnswer>('GET', `/api/a2a/pushes?state=${state}`)),
      );
      return pages.flatMap(({ pushes }) => pushes);
    };
    for (let waited = 0; waited < TOLD_MS && (await owing()).length > 0; waited += 100) await sleep(100);
    for (const { taskId, owed } of await owing()) findings.add('untold', `${taskId} still owes ${owed}`);
    this.refusing = true;
  }

  /** Every change of every task with a webhook arrived, in order, and under an id of its own. */
  compare(files: TaskFiles, findings: Findings): void {
    for (const [taskId, { envelope }] of files) {
      const told = this.told.get(taskId) ?? [];
      if (!envelope.pushConfigs) {
        if (told.length > 0) findings.add('untold', `${taskId} was told of although it has no webhook`);
        continue;
      }
      const owed = envelope.transitions.slice(1);
      const expected = owed.map(({ seq, state }) => `${taskId}_${WEBHOOK_ID}_${seq} ${state}`);
      const seen = [...new Set(told.map(({ id, state }) => `${id} ${state}`))];
      if (JSON.stringify(seen) !== JSON.stringify(expected)) {
        findings.add('untold', `${taskId} was told ${seen.join(', ')} and not ${expected.join(', ')}`);
      }
      const last = envelope.transitions.at(-1)?.seq ?? 0;
      const [config] = envelope.pushConfigs;
      if (config && config.acknowledged < last) findings.add('untold', `${taskId} has ${last} unacknowledged`);
    }
  }

  private async take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      let body = '';
      for await (const chunk of req.setEncoding('utf8')) body += chunk as string;
      const id = String(req.headers['webhook-id']);
      if (this.fails(id)) return void res.writeHead(500).end();
      const { task } = JSON.parse(body) as { task: { id: string; status: { state: string } } };
      const told = this.told.get(task.id) ?? [];
      this.told.set(task.id, told);
      told.push({ id, state: task.status.state });
      // Received, but its sender does not learn so: it must tell it again.
      if (this.fails(id)) res.destroy();
      else res.end();
    } catch {
      // Its sender was killed in the middle.
      res.destroy();
    }
  }

  private fails(id: string): boolean {
    const failures = this.failed.get(id) ?? 0;
    if (!this.refusing || failures >= FAILURES || this.random.next() >= 0.05) return false;
    this.failed.set(id, failures + 1);
    return true;
  }
}
