// Webhooks of all callers: what they are owed, how their tries went, and the operator's hand in it.
import type { PushDisabled } from '../../../src/bus/topics.js';
import { AppError } from '../../../src/errors.js';
import type { PushRegistration, TaskRecord } from '../../../src/ledger/records.js';
import {
  PUSH_VIEW,
  PUSHES_ANSWER,
  PUSHES_QUERY,
  REDRIVE_ONE,
  REDRIVE_SINCE,
  REDRIVEN,
  type PushRow,
} from '../../../src/push-wire.js';
import type { Core } from '../../../src/plugin.js';
import { badCursor } from './cursor.js';
import { pushRow, pushView } from './push-view.js';
import { route, type Route } from './route.js';

const SHOWN_TRIES = 100;
/** Webhooks that one request redrives. */
const REDRIVEN_AT_ONCE = 500;

type Disabled = (webhook: PushDisabled) => void;

export function pushRoutes(core: Pick<Core, 'ledger' | 'clock'>, disabled: Disabled): Route[] {
  const { ledger, clock } = core;
  const rowOf = (record: TaskRecord, config: PushRegistration): PushRow =>
    pushRow(record, config, ledger.pushSchedule.find(record.task.id, config.id));
  const viewOf = (params: Readonly<Record<string, string>>) => {
    const { record, config } = known(core, params);
    const [taskId, configId] = [record.task.id, config.id];
    const next = ledger.pushSchedule.find(taskId, configId);
    const tries = ledger.pushSchedule.tries(taskId, configId, SHOWN_TRIES);
    return { status: 200, body: pushView(record, config, { next, tries }) };
  };
  return [
    route({
      method: 'get',
      path: '/pushes',
      summary: 'Webhooks that are owed something, are disabled or have dead letters; newest first.',
      query: PUSHES_QUERY,
      answer: PUSHES_ANSWER,
      status: 200,
      run: ({ query }) => {
        const { task, cursor, ...filter } = query;
        if (task !== undefined) return { status: 200, body: { pushes: ofTask(ledger.get(task), filter, rowOf) } };
        const { rows, next } = ledger.pushSchedule.list({ ...filter, after: readCursor(cursor) });
        const pushes = rows.flatMap(({ taskId, configId }) => ofTask(ledger.get(taskId), { config: configId }, rowOf));
        return { status: 200, body: { pushes, nextCursor: next === undefined ? undefined : String(next) } };
      },
    }),
    route({
      method: 'get',
      path: '/pushes/:task/:config',
      summary: 'One webhook with what it is owed, its dead letters and its latest tries.',
      answer: PUSH_VIEW,
      status: 200,
      refusals: [404],
      run: ({ params }) => viewOf(params),
    }),
    route({
      method: 'post',
      path: '/pushes/redrive',
      summary: 'Tell all dead letters since a date again.',
      body: REDRIVE_SINCE,
      answer: REDRIVEN,
      status: 200,
      refusals: [503],
      run: async ({ body }) => {
        const since = Date.parse(body.since);
        const found = ledger.pushSchedule.deadSince(since, REDRIVEN_AT_ONCE + 1);
        const counts = await Promise.all(
          found
            .slice(0, REDRIVEN_AT_ONCE)
            .map(({ taskId, configId }) => ledger.pushConfigs.redrive(taskId, configId, { since }).catch(noneIfGone)),
        );
        const redriven = counts.reduce((sum, count) => sum + count, 0);
        return { status: 200, body: { redriven, more: found.length > REDRIVEN_AT_ONCE } };
      },
    }),
    route({
      method: 'post',
      path: '/pushes/:task/:config/redrive',
      summary: 'Tell its dead letters again, or one of them, and what waits for its next try at once.',
      body: REDRIVE_ONE,
      answer: REDRIVEN,
      status: 200,
      refusals: [404, 503],
      run: async ({ params, body: { seq } }) => {
        const { record, config } = known(core, params);
        const [taskId, configId] = [record.task.id, config.id];
        const next = ledger.pushSchedule.find(taskId, configId);
        if (next && (seq === undefined || seq === next.seq)) {
          ledger.pushSchedule.postpone({ ...next, attempts: 0, nextAt: clock.now() });
        }
        const redriven = await ledger.pushConfigs.redrive(taskId, configId, seq === undefined ? {} : { seq });
        return { status: 200, body: { redriven, more: false } };
      },
    }),
    route({
      method: 'post',
      path: '/pushes/:task/:config/disable',
      summary: 'Send it nothing more. What it is owed is kept.',
      answer: PUSH_VIEW,
      status: 200,
      refusals: [404, 503],
      run: async ({ params }) => {
        const { record, config } = known(core, params);
        const [taskId, configId] = [record.task.id, config.id];
        await ledger.pushConfigs.disable(taskId, configId, 'operator');
        if (!config.disabled) disabled({ taskId, configId, caller: record.envelope.caller.id, by: 'operator' });
        return viewOf(params);
      },
    }),
    route({
      method: 'post',
      path: '/pushes/:task/:config/enable',
      summary: 'Send it what it is owed, from before it was disabled on.',
      answer: PUSH_VIEW,
      status: 200,
      refusals: [404, 503],
      run: async ({ params }) => {
        const { record, config } = known(core, params);
        await ledger.pushConfigs.enable(record.task.id, config.id);
        return viewOf(params);
      },
    }),
  ];
}

/** A task that went meanwhile holds up no others. */
function noneIfGone(error: unknown): number {
  if (error instanceof AppError && error.code === 'task-not-found') return 0;
  throw error;
}

interface Filter {
  state?: PushRow['state'];
  config?: string;
  caller?: string;
}

function ofTask(
  record: TaskRecord | undefined,
  { state, config, caller }: Filter,
  rowOf: (record: TaskRecord, config: PushRegistration) => PushRow,
): PushRow[] {
  if (!record || (caller !== undefined && record.envelope.caller.id !== caller)) return [];
  return (record.envelope.pushConfigs ?? [])
    .filter(({ id }) => id === (config ?? id))
    .map((registration) => rowOf(record, registration))
    .filter((row) => state === undefined || row.state === state || (state === 'dead' && row.dead > 0));
}

function known(
  { ledger }: Pick<Core, 'ledger'>,
  params: Readonly<Record<string, string>>,
): { record: TaskRecord; config: PushRegistration } {
  const record = ledger.get(params['task'] ?? '');
  const config = record?.envelope.pushConfigs?.find(({ id }) => id === params['config']);
  if (record && config) return { record, config };
  throw new AppError('not-found', 'There is no such webhook.');
}

function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw badCursor();
}
