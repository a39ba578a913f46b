// Workspaces in a temporary home, with a log that tests can read. Removed after each test.
import { afterEach } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../src/log.js';
import { Secrets } from '../../src/secrets/secrets.js';
import type { CallerDirectory } from '../../src/workspace/callers.js';
import { FileProblems } from '../../src/workspace/file-problems.js';
import { openCallers } from '../../src/workspace/open-callers.js';
import { openWorkspaces } from '../../src/workspace/open-workspaces.js';
import type { WorkspaceDirectory } from '../../src/workspace/directory.js';
import { FakeClock } from './fake-clock.js';

const homes: string[] = [];

afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

export class TempWorkspaces {
  readonly home = mkdtempSync(join(tmpdir(), 'switchboard-workspaces-'));
  readonly clock = new FakeClock();
  readonly secrets = new Secrets();
  /** Log lines as JSON text. */
  readonly logged: string[] = [];
  readonly log = createLogger('debug', this.secrets, { write: (line) => void this.logged.push(line) });
  readonly problems = new FileProblems(this.log);
  readonly workspaces: WorkspaceDirectory;
  readonly callers: CallerDirectory;

  constructor(...names: string[]) {
    homes.push(this.home);
    for (const name of names) mkdirSync(this.path(name, '.a2a'), { recursive: true });
    const { home, clock, log, problems, secrets } = this;
    this.workspaces = openWorkspaces({ home, log, secrets, problems });
    this.callers = openCallers({ workspaces: this.workspaces, clock, log, secrets, problems });
  }

  path(...parts: string[]): string {
    return join(this.home, 'workspaces', ...parts);
  }

  /** Writes a file below `.a2a/`, in place; what is no text becomes JSON. */
  write(workspace: string, file: string, content: unknown): void {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(this.path(workspace, '.a2a', file), text);
  }

  /** Messages of all warnings so far. */
  warnings(): string[] {
    return this.logged
      .map((line) => JSON.parse(line) as { level: number; msg: string })
      .filter(({ level }) => level === 40)
      .map(({ msg }) => msg);
  }
}
