// Lists against a naive model: same rows, same order, same totals, whatever was written before.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { TASK_STATES } from '../../src/a2a-model.js';
import type { Mirror, TaskQuery, TaskRow } from '../../src/mirror/rows.js';
import { idsOf, NOW, taskRow, tempMirrors } from './temp-mirror.js';

const mirrors = tempMirrors();

/** Follows the cursors to the end. */
function allPages(mirror: Mirror, query: TaskQuery): string[] {
  const ids: string[] = [];
  let after = query.after;
  do {
    const page = mirror.list({ ...query, after });
    expect(page.rows.length).toBeLessThanOrEqual(query.pageSize);
    ids.push(...idsOf(page.rows));
    after = page.next;
  } while (after);
  return ids;
}

function expected(rows: Iterable<TaskRow>, query: TaskQuery): string[] {
  const matches = [...rows].filter(
    (row) =>
      (query.caller === undefined || row.caller === query.caller) &&
      (query.agent === undefined || row.agent === query.agent) &&
      (query.direct === undefined || (row.direct ?? false) === query.direct) &&
      (query.contextId === undefined || row.contextId === query.contextId) &&
      (query.state === undefined || row.state === query.state) &&
      (query.statusSince === undefined || row.statusAt >= query.statusSince),
  );
  const newestFirst = (a: TaskRow, b: TaskRow): number => b.statusAt - a.statusAt || (a.taskId < b.taskId ? 1 : -1);
  return idsOf(matches.sort(newestFirst));
}

describe('order and pages', () => {
  test('the newest change of state comes first, ties go by task id descending', () => {
    const mirror = mirrors.open();
    mirror.upsert([
      taskRow({ taskId: 'b', statusAt: 5 }),
      taskRow({ taskId: 'a', statusAt: 9, state: 'TASK_STATE_FAILED' }),
      taskRow({ taskId: 'c', statusAt: 5, state: 'TASK_STATE_COMPLETED' }),
    ]);
    expect(idsOf(mirror.list({ caller: 'demo/alice', agent: 'demo', pageSize: 10 }).rows)).toEqual(['a', 'c', 'b']);
  });

  test('pages of 7 over 100 equal times hold every row once', () => {
    const mirror = mirrors.open();
    const rows = Array.from({ length: 100 }, (_, i) => taskRow({ state: TASK_STATES[i % 3]!, statusAt: NOW }));
    mirror.upsert(rows);
    expect(allPages(mirror, { pageSize: 7 })).toEqual(expected(rows, { pageSize: 7 }));
    expect(allPages(mirror, { caller: 'demo/alice', agent: 'demo', pageSize: 7 })).toHaveLength(100);
  });

  test('a full last page has no cursor', () => {
    const mirror = mirrors.open();
    mirror.upsert([taskRow(), taskRow()]);
    expect(mirror.list({ pageSize: 2 }).next).toBeUndefined();
  });

  test('more lanes than one statement can merge are still one list', () => {
    const mirror = mirrors.open();
    const rows = Array.from({ length: 700 }, (_, i) =>
      taskRow({ caller: `demo/c${i}`, agent: 'shared', state: TASK_STATES[i % 8]!, statusAt: i % 50 }),
    );
    mirror.upsert(rows);
    const page = mirror.list({ agent: 'shared', pageSize: 40 });
    expect(idsOf(page.rows)).toEqual(expected(rows, { agent: 'shared', pageSize: 40 }).slice(0, 40));
    expect(page.total).toBe(700);
  });

  test('a row comes back as it was written', () => {
    const mirror = mirrors.open();
    const { messages, ...row } = taskRow({ head: '{"é":"𝄞"}', createdAt: 1, seq: 7, contextId: 'Case' });
    mirror.upsert([{ ...row, messages }]);
    expect(mirror.list({ pageSize: 1 }).rows).toEqual([row]);
    expect(mirror.list({ contextId: 'case', pageSize: 1 }).rows).toEqual([]);
  });

  test('a name that is no state matches nothing', () => {
    const mirror = mirrors.open();
    mirror.upsert([taskRow()]);
    expect(mirror.list({ state: 'TASK_STATE_UNSPECIFIED', pageSize: 5 })).toEqual({ rows: [], total: 0 });
  });
});

describe('against the model', () => {
  const id = fc.integer({ min: 0, max: 25 }).map((n) => `t${n}`);
  const row = fc
    .record({
      taskId: id,
      caller: fc.constantFrom('demo/alice', 'demo/bob', 'other/alice'),
      agent: fc.constantFrom('demo', 'other'),
      direct: fc.boolean(),
      contextId: fc.constantFrom('c1', 'c2', 'c3'),
      state: fc.constantFrom(...TASK_STATES),
      statusAt: fc.integer({ min: NOW, max: NOW + 4 }),
      seq: fc.integer({ min: 1, max: 4 }),
    })
    .map((change) => taskRow({ ...change, scope: change.caller.split('/')[0]! }));
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.array(row, { maxLength: 12 }).map((rows) => ({ rows })) },
    { weight: 1, arbitrary: fc.array(id, { maxLength: 5 }).map((remove) => ({ remove })) },
    { weight: 1, arbitrary: fc.constant({ clear: true }) },
  );
  const query = fc.record(
    {
      caller: fc.constantFrom('demo/alice', 'demo/bob', 'other/alice', 'nobody'),
      agent: fc.constantFrom('demo', 'other', 'nobody'),
      direct: fc.boolean(),
      contextId: fc.constantFrom('c1', 'c2', 'c3', 'c9'),
      state: fc.constantFrom(...TASK_STATES),
      statusSince: fc.integer({ min: NOW - 1, max: NOW + 5 }),
      pageSize: fc.integer({ min: 1, max: 8 }),
    },
    { requiredKeys: ['pageSize'] },
  );

  test('lists, totals, live tasks and ids follow every sequence of writes', () => {
    const mirror = mirrors.open();
    const property = fc.property(
      fc.array(step, { maxLength: 8 }),
      fc.array(query, { minLength: 12 }),
      (steps, queries) => {
        mirror.clear();
        const model = new Map<string, TaskRow>();
        for (const one of steps) {
          if ('rows' in one) {
            mirror.upsert(one.rows);
            for (const next of one.rows) {
              const known = model.get(next.taskId);
              if (!known || known.seq <= next.seq) model.set(next.taskId, next);
            }
          } else if ('remove' in one) {
            mirror.remove(one.remove);
            for (const gone of one.remove) model.delete(gone);
          } else {
            mirror.clear();
            model.clear();
          }
        }
        for (const wanted of queries) {
          const ids = expected(model.values(), wanted);
          expect(mirror.list(wanted).total).toBe(ids.length);
          expect(allPages(mirror, wanted)).toEqual(ids);
        }
        const rows = [...model.values()];
        const inScope = (scope: string): string[] => idsOf(rows.filter((each) => each.scope === scope)).sort();
        expect(mirror.ids('demo').sort()).toEqual(inScope('demo'));
        expect(mirror.scopes().sort()).toEqual([...new Set(rows.map(({ scope }) => scope))].sort());
        for (const each of rows) expect(mirror.scopeOf(each.taskId)).toBe(each.scope);
        const live = rows.filter(({ state }) => /SUBMITTED|WORKING|REQUIRED/.test(state));
        expect(idsOf(mirror.live()).sort()).toEqual(idsOf(live).sort());
      },
    );
    fc.assert(property, { numRuns: 60 });
  });
});
