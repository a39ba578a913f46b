// How many live (non-terminal) tasks each caller and each scope has: for quotas, in constant time.
import { isTerminal } from '../a2a-model.js';
import type { CallerRef } from '../bus/topics.js';
import type { TaskRecord } from './records.js';

export class TaskCounts {
  private readonly callers = new Map<string, number>();
  private readonly scopes = new Map<string, number>();

  constructor(live: readonly { caller: string; scope: string }[]) {
    for (const { caller, scope } of live) this.add({ id: caller, scope }, 1);
  }

  of(caller: CallerRef): { ofCaller: number; ofScope: number } {
    return { ofCaller: this.callers.get(caller.id) ?? 0, ofScope: this.scopes.get(caller.scope) ?? 0 };
  }

  /** A task went from one record to another; either may be missing. */
  moved(before: TaskRecord | undefined, after: TaskRecord | undefined): void {
    const change = Number(isLive(after)) - Number(isLive(before));
    const caller = (after ?? before)?.envelope.caller;
    if (change !== 0 && caller) this.add(caller, change);
  }

  private add(caller: CallerRef, change: number): void {
    bump(this.callers, caller.id, change);
    bump(this.scopes, caller.scope, change);
  }
}

const isLive = (record: TaskRecord | undefined): boolean =>
  record !== undefined && !isTerminal(record.task.status.state);

function bump(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
