// Reading, listing and cancelling tasks: everybody's, for the operator.
import { TASK_STATES, shortState } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import { settle } from '../../../src/executors/settle.js';
import type { TaskList } from '../../../src/ledger/ledger-port.js';
import {
  CANCEL_REQUEST,
  MAX_WAIT_SECONDS,
  POLL_QUERY,
  SESSIONS_ANSWER,
  SESSIONS_QUERY,
  TASK_VIEW,
  TASKS_ANSWER,
  TASKS_QUERY,
} from '../../../src/operator-wire.js';
import type { Core } from '../../../src/plugin.js';
import { OPERATOR } from './chat-routes.js';
import { readCursor, writeCursor } from './cursor.js';
import { knownTask } from './known.js';
import { route, type Route } from './route.js';
import { sessionPage } from './sessions.js';
import { taskRow, taskView, unknownTask, type ViewPorts } from './task-view.js';

export function taskRoutes(core: Core, views: ViewPorts): Route[] {
  return [
    route({
      method: 'get',
      path: '/task/:cid',
      summary: 'A task as it is, after waiting up to `wait` seconds for it to settle.',
      query: POLL_QUERY,
      answer: TASK_VIEW,
      status: 200,
      run: async ({ params, query, signal }) => {
        const { cid } = params as { cid: string };
        if (core.ledger.get(cid) === undefined) return { status: 200, body: unknownTask(cid, views.baseUrl()) };
        const seconds = Math.min(query.wait ?? 0, MAX_WAIT_SECONDS);
        const record = await settle(cid, { ledger: core.ledger, limit: { clock: core.clock, seconds }, signal });
        return { status: 200, body: taskView(record, views) };
      },
    }),
    route({
      method: 'post',
      path: '/task/:cid/cancel',
      summary: 'Cancel a task.',
      body: CANCEL_REQUEST,
      answer: TASK_VIEW,
      status: 200,
      refusals: [404, 409, 503],
      run: async ({ params, body }) => {
        const { cid } = params as { cid: string };
        knownTask(core, cid);
        const record = await core.prompts.cancel(cid, OPERATOR.id, body.reason);
        const { state } = record.task.status;
        if (state !== 'TASK_STATE_CANCELED') {
          throw new AppError('task-not-cancelable', `The task is ${shortState(state)} already.`, { taskId: cid });
        }
        return { status: 200, body: taskView(record, views) };
      },
    }),
    route({
      method: 'get',
      path: '/tasks',
      summary: 'Tasks of all callers, the newest change of state first.',
      query: TASKS_QUERY,
      answer: TASKS_ANSWER,
      status: 200,
      run: ({ query }) => {
        const { state, since, cursor, caller, agent, contextId, pageSize } = query;
        const page = core.ledger.list({
          caller,
          agent,
          contextId,
          pageSize,
          state: TASK_STATES.find((name) => shortState(name) === state),
          statusSince: since === undefined ? undefined : Date.parse(since),
          after: positionOf(cursor),
        });
        const tasks = page.tasks.map((head) => taskRow(head, views.baseUrl()));
        return { status: 200, body: { tasks, total: page.total, nextCursor: cursorOf(page.next) } };
      },
    }),
    route({
      method: 'get',
      path: '/sessions',
      summary: 'Conversations of all callers, the last used first.',
      query: SESSIONS_QUERY,
      answer: SESSIONS_ANSWER,
      status: 200,
      run: ({ query }) => {
        const { cursor, ...filter } = query;
        const page = sessionPage(core.ledger, { ...filter, after: positionOf(cursor) });
        const sessions = page.sessions.map(({ head, tasks }) => ({
          caller: head.record.caller,
          agent: head.record.agent,
          contextId: head.task.contextId,
          tasks,
          lastTask: taskRow(head, views.baseUrl()),
        }));
        return { status: 200, body: { sessions, nextCursor: cursorOf(page.next) } };
      },
    }),
  ];
}

type Position = TaskList['next'];

const cursorOf = (next: Position): string | undefined =>
  next && writeCursor({ at: next.statusAt, taskId: next.taskId });

function positionOf(cursor: string | undefined): Position {
  const read = readCursor(cursor);
  return read && { statusAt: read.at, taskId: read.taskId };
}
