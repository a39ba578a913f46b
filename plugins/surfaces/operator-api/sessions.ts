// Conversations, read off the tasks: one per caller, agent and context, represented by its newest task, so that a page
// needs no more memory than the cursor.
import type { Ledger, TaskHead, TaskList } from '../../../src/ledger/ledger-port.js';

interface SessionPage {
  sessions: { head: TaskHead; tasks: number }[];
  next?: TaskList['next'];
}

/** Rows that one page looks at: a context with very many tasks must not make a request endless. */
const MAX_ROWS = 500;

export function sessionPage(
  ledger: Pick<Ledger, 'list'>,
  query: { caller?: string; agent?: string; pageSize: number; after?: TaskList['next'] },
): SessionPage {
  const { pageSize, after, ...filter } = query;
  const sessions: SessionPage['sessions'] = [];
  let position = after;
  for (let rows = 0; rows < MAX_ROWS && sessions.length < pageSize;) {
    // Never more rows than sessions are wanted: the page ends exactly after a row.
    const page = ledger.list({ ...filter, pageSize: pageSize - sessions.length, after: position });
    for (const head of page.tasks) {
      const { caller, agent } = head.record;
      const context = ledger.list({ caller, agent, contextId: head.task.contextId, pageSize: 1 });
      if (context.tasks[0]?.task.id === head.task.id) sessions.push({ head, tasks: context.total });
    }
    rows += page.tasks.length;
    position = page.next;
    if (position === undefined) return { sessions };
  }
  return { sessions, next: position };
}
