// Mirrors in a temporary folder that goes away after each test, and rows to fill them with.
import { afterEach, beforeEach } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMirror, type MirrorOptions } from '../../src/mirror/open-mirror.js';
import type { Mirror, TaskRow } from '../../src/mirror/rows.js';

export const NOW = Date.parse('2026-01-10T12:00:00.000Z');

export interface TempMirrors {
  readonly folder: string;
  readonly file: string;
  readonly warnings: string[];
  open(options?: Partial<MirrorOptions>): Mirror;
}

export function tempMirrors(): TempMirrors {
  let folder = '';
  let opened: Mirror[] = [];
  const warnings: string[] = [];
  const warn = (_details: unknown, text: string): void => void warnings.push(text);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mirror-'));
    opened = [];
    warnings.length = 0;
  });
  afterEach(() => {
    for (const mirror of opened) mirror.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    get folder() {
      return folder;
    },
    get file() {
      return join(folder, 'mirror.db');
    },
    warnings,
    open(options = {}) {
      const log = { warn } as unknown as MirrorOptions['log'];
      const mirror = openMirror({ file: join(folder, 'mirror.db'), log, clock: { now: () => NOW }, ...options });
      opened.push(mirror);
      return mirror;
    },
  };
}

let counter = 0;

export const taskRow = (change: Partial<TaskRow> = {}): TaskRow => ({
  taskId: `task-${++counter}`,
  scope: 'demo',
  caller: 'demo/alice',
  agent: 'demo',
  contextId: 'c1',
  state: 'TASK_STATE_WORKING',
  statusAt: NOW,
  createdAt: NOW,
  seq: 1,
  head: '{}',
  messages: [],
  ...change,
});

export const idsOf = (rows: readonly { taskId: string }[]): string[] => rows.map(({ taskId }) => taskId);
