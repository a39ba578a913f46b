import type { Part, TaskState } from '../../../src/a2a-model.js';
import type { TaskEnvelope, TaskRecord } from '../../../src/ledger/records.js';
import { TASK_VIEW } from '../../../src/operator-wire.js';
import { taskView } from '../../../plugins/surfaces/operator-api/task-view.js';

const ports = { baseUrl: () => 'https://a.example', inline: (parts: readonly Part[]) => [...parts] };

function recordOf(
  state: TaskState,
  options: { said?: string; status?: string; envelope?: Partial<TaskEnvelope> } = {},
): TaskRecord {
  const { said, status, envelope } = options;
  const message =
    status === undefined ? {} : { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: status }] } };
  return {
    task: {
      id: 't1',
      contextId: 'c1',
      status: { state, timestamp: '2026-01-01T00:00:00.000Z', ...message },
      artifacts: said === undefined ? [] : [{ artifactId: 'response', parts: [{ text: said }] }],
      history: [],
    },
    envelope: { agent: 'demo', caller: { id: 'operator', scope: 'operator' }, ...envelope },
  } as unknown as TaskRecord;
}

describe('a task as the operator reads it', () => {
  it.each<[TaskState, string, boolean, boolean]>([
    ['TASK_STATE_SUBMITTED', 'submitted', false, true],
    ['TASK_STATE_WORKING', 'working', false, true],
    ['TASK_STATE_INPUT_REQUIRED', 'input-required', false, false],
    ['TASK_STATE_AUTH_REQUIRED', 'auth-required', false, false],
    ['TASK_STATE_COMPLETED', 'completed', true, false],
    ['TASK_STATE_FAILED', 'failed', true, false],
    ['TASK_STATE_CANCELED', 'canceled', true, false],
    ['TASK_STATE_REJECTED', 'rejected', true, false],
  ])('%s is %s, done %s, pending %s', (state, taskState, done, pending) => {
    const view = taskView(recordOf(state), ports);
    expect(view).toMatchObject({ taskState, done, pending });
    expect(TASK_VIEW.safeParse(view).success).toBe(true);
  });

  it.each<[string, TaskRecord, string]>([
    ['what was said', recordOf('TASK_STATE_COMPLETED', { said: 'hi', status: 'other' }), 'hi'],
    ['the status when nothing was said', recordOf('TASK_STATE_COMPLETED', { status: 'only here' }), 'only here'],
    ['what was said so far', recordOf('TASK_STATE_WORKING', { said: 'ha', status: 'using a tool' }), 'ha'],
    ['nothing of the progress', recordOf('TASK_STATE_WORKING', { status: 'using a tool' }), ''],
    [
      'the reason of a failure',
      recordOf('TASK_STATE_FAILED', { said: 'half', envelope: { error: { code: 'run-failed', text: 'boom' } } }),
      'boom',
    ],
    ['the status of a refusal', recordOf('TASK_STATE_REJECTED', { status: 'declined' }), 'declined'],
  ])('responds with %s', (_what, record, response) => {
    expect(taskView(record, ports).response).toBe(response);
  });

  it('shows a question only while it is open', () => {
    const question = { requestId: 'q1', text: 'why?', from: 'caller' } as const;
    const open = taskView(recordOf('TASK_STATE_INPUT_REQUIRED', { envelope: { question } }), ports);
    expect(open).toMatchObject({ question: 'why?', requestId: 'q1' });
    const later = taskView(recordOf('TASK_STATE_CANCELED', { envelope: { question } }), ports);
    expect(later).not.toHaveProperty('question');
  });

  it('carries usage, and other artifacts apart from the response', () => {
    const record = recordOf('TASK_STATE_COMPLETED', { said: 'hi', envelope: { usage: { totalTokens: 3 } } });
    record.task.artifacts.push({ artifactId: 'f', name: 'file', parts: [{ data: 1 }] });
    const view = taskView(record, ports);
    expect(view).toMatchObject({ usage: { totalTokens: 3 }, artifacts: [{ artifactId: 'f', parts: [{ data: 1 }] }] });
    expect(view.pollUrl).toBe('https://a.example/api/a2a/task/t1');
  });
});
