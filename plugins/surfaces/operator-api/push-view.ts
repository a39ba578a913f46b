// A webhook as the operator reads it: where it stands and why, never what its URL, token or credentials hold. Pure.
import { shortState } from '../../../src/a2a-model.js';
import { owedTransitions } from '../../../src/ledger/owed-webhooks.js';
import type { PushRegistration, TaskEnvelope, TaskRecord } from '../../../src/ledger/records.js';
import type { PushTry, ScheduledPush } from '../../../src/mirror/push-rows.js';
import type { WireTaskRow } from '../../../src/operator-wire.js';
import type { PushRow, PushView } from '../../../src/push-wire.js';
import { parseUrl } from '../../../src/net/parse-url.js';

/** Scheme and host; a dot-dot-dot says that there is more. */
function shownUrl(url: string): string {
  const parsed = parseUrl(url);
  if (!parsed) return '…';
  const { origin, pathname, search } = parsed;
  return pathname === '/' && search === '' ? `${origin}/` : `${origin}/…`;
}

export function pushRow({ task, envelope }: TaskRecord, config: PushRegistration, next?: ScheduledPush): PushRow {
  const owed = owedTransitions(envelope, config);
  const dead = (config.dead ?? []).filter(({ again }) => !again).length;
  const scheduled = next?.seq === owed[0]?.seq ? next : undefined;
  const attempts = scheduled?.attempts ?? 0;
  return {
    taskId: task.id,
    configId: config.id,
    caller: envelope.caller.id,
    agent: envelope.agent,
    url: shownUrl(config.url),
    version: config.version,
    state: stateOf(config, owed.length, dead, attempts),
    ...(config.disabled && { disabledBy: config.disabled.by }),
    owed: owed.length,
    dead,
    attempts,
    ...(scheduled && { nextAttemptAt: iso(scheduled.nextAt) }),
  };
}

export function pushView(
  record: TaskRecord,
  config: PushRegistration,
  { next, tries }: { next: ScheduledPush | undefined; tries: readonly PushTry[] },
): PushView {
  const { envelope } = record;
  return {
    ...pushRow(record, config, next),
    owedChanges: owedTransitions(envelope, config).map(({ seq, state, at }) => ({
      seq,
      state: shortState(state) as ShortState,
      at: iso(at),
    })),
    deadLetters: (config.dead ?? []).map(({ at, again, ...letter }) => ({
      ...letter,
      state: stateAt(envelope, letter.seq),
      at: iso(at),
      redriven: again === true,
    })),
    tries: tries.map(({ taskId: _task, configId: _config, state, at, ...rest }) => ({
      ...rest,
      state: shortState(state) as ShortState,
      at: iso(at),
    })),
  };
}

type ShortState = WireTaskRow['taskState'];

function stateOf(config: PushRegistration, owed: number, dead: number, attempts: number): PushRow['state'] {
  if (config.disabled) return 'disabled';
  if (owed > 0) return attempts > 0 ? 'retrying' : 'pending';
  return dead > 0 ? 'dead' : 'delivered';
}

const stateAt = ({ transitions }: TaskEnvelope, seq: number): ShortState =>
  shortState(transitions.find((change) => change.seq === seq)?.state ?? 'TASK_STATE_SUBMITTED') as ShortState;

const iso = (at: number): string => new Date(at).toISOString();
