// A fresh home in the system's temporary folder: one workspace with the scripted agent, callers with known keys, and
// limits that a load test does not meet.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const OPERATOR_KEY = 'operator-key-of-a-test';

export interface TestHome {
  path: string;
  workspace: string;
  /** Keys by caller name. */
  keys: Record<string, string>;
  remove(): void;
}

export interface HomeOptions {
  callers?: readonly string[];
  /** What they may use; the workspace itself when absent. */
  agents?: readonly string[];
  /** Members of switchboard.json beyond the wide limits. */
  settings?: Record<string, unknown>;
  /** Where to make it; the system's temporary folder when absent. */
  below?: string;
}

const PLENTY = 1_000_000_000;
const WORKSPACE = 'demo';

export function makeTestHome(options: HomeOptions = {}): TestHome {
  const path = mkdtempSync(join(options.below ?? tmpdir(), 'switchboard-'));
  const folder = join(path, 'workspaces', WORKSPACE, '.a2a');
  mkdirSync(folder, { recursive: true });
  const keys = Object.fromEntries((options.callers ?? ['ann']).map((name) => [name, `key-of-${name}-in-a-test`]));
  const callers = Object.entries(keys).map(([name, key]) => ({ name, keys: [{ key }], agents: options.agents }));
  writeJson(join(folder, 'callers.json'), { v: 1, callers });
  writeJson(join(folder, 'workspace.json'), { v: 1, driver: { name: 'scripted' } });
  writeJson(join(path, 'switchboard.json'), {
    v: 1,
    operatorKey: OPERATOR_KEY,
    rate: { perMinute: PLENTY, burst: PLENTY },
    quota: { liveTasksPerCaller: PLENTY, liveTasks: PLENTY, concurrentTurns: PLENTY },
    streams: { perCaller: PLENTY, total: PLENTY },
    lockout: { failures: PLENTY },
    // Tests share the processor with others, and their servers the process with the test.
    overloadMs: PLENTY,
    ...options.settings,
  });
  return { path, workspace: WORKSPACE, keys, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** What the workspace's owner wants of ended tasks from now on. */
export const setRetention = ({ path, workspace }: TestHome, retention: { days?: number; maxTasks?: number }): void =>
  writeJson(join(path, 'workspaces', workspace, '.a2a', 'workspace.json'), { v: 1, retention });

const writeJson = (file: string, value: unknown): void => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
