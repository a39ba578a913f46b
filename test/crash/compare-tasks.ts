// The restarted server against what clients saw before the crash.
import { isTerminal, type TaskState } from '../../src/a2a-model.js';
import type { Checkpoint } from '../../src/ledger/records.js';
import type { TaskView } from '../../src/operator-wire.js';
import { Refused, type A2aClient, type WireTask } from '../support/a2a-client.js';
import type { Findings } from './findings.js';
import { artifactText, content, follows, short, type Model, type SeenTask } from './model.js';
import { taskOf } from './scenarios.js';

export interface Clients {
  /** By caller name. */
  callers: ReadonlyMap<string, A2aClient>;
  operator: A2aClient;
}

/** Asks for every task that anybody saw, as its owner, and compares. */
export async function compareAnswers(model: Model, clients: Clients, findings: Findings): Promise<void> {
  for (const contradiction of model.contradictions.splice(0))
    findings.add('regressed', `while running: ${contradiction}`);
  const tasks = [...model.tasks.values()];
  // A few at a time: one request each would take long, all at once would be a load test.
  for (let i = 0; i < tasks.length; i += 16) {
    await Promise.all(
      tasks.slice(i, i + 16).map(async (seen) => {
        const task = await fetchTask(seen, clients);
        if (task === undefined) findings.add('lost', `task ${seen.id} of ${seen.owner}`);
        else compareAnswer(seen, task, findings);
      }),
    );
  }
}

async function fetchTask(seen: SeenTask, { callers, operator }: Clients): Promise<WireTask | undefined> {
  const client = callers.get(seen.owner);
  if (client === undefined) {
    const view = await operator.rest<TaskView>('GET', `/api/a2a/task/${seen.id}`);
    return view.taskState === 'unknown' ? undefined : taskOf(view);
  }
  try {
    return await client.rpc<WireTask>('GetTask', { id: seen.id });
  } catch (error) {
    if (error instanceof Refused && error.code === -32001) return undefined;
    throw error;
  }
}

function compareAnswer(seen: SeenTask, task: WireTask, findings: Findings): void {
  const { state } = task.status;
  const regressed = (what: string): void => findings.add('regressed', `task ${seen.id}: ${what}`);
  if (task.contextId !== seen.contextId) regressed(`context ${seen.contextId} has become ${task.contextId}`);
  if (seen.terminal !== undefined && state !== seen.terminal) regressed(`${seen.terminal} has become ${state}`);
  if (seen.waiting !== undefined && state !== seen.waiting) regressed(`${seen.waiting} has become ${state}`);
  for (const [id, before] of seen.artifacts) {
    const artifact = task.artifacts?.find(({ artifactId }) => artifactId === id);
    // The operator's view shows the text only of what has ended.
    if (artifact === undefined && seen.owner === 'operator' && !isTerminal(state)) continue;
    const now = artifact === undefined ? '' : artifactText(artifact);
    const kept = artifact !== undefined && (before.whole ? now === before.text : follows(now, before.text, seen.plan));
    if (!kept) regressed(`artifact ${id} was ${short(before.text)} and is ${short(now)}`);
  }
  if (seen.owner === 'operator') return;
  for (const [messageId, parts] of seen.messages) {
    const message = task.history?.find((candidate) => candidate.messageId === messageId);
    if (message === undefined) findings.add('lost', `message ${messageId} of task ${seen.id}`);
    else if (content(message.parts) !== parts) regressed(`message ${messageId} has changed`);
  }
}

/** Sends a few acknowledged messages once more: each must be recognised as the one that its task answers. */
export async function compareDuplicates(model: Model, clients: Clients, findings: Findings): Promise<void> {
  const simple = [...model.tasks.values()].filter(
    (seen) => seen.messages.size === 1 && clients.callers.has(seen.owner) && seen.terminal !== undefined,
  );
  for (const seen of simple.slice(-5)) {
    const [messageId, parts] = [...seen.messages][0] as [string, string];
    const texts = JSON.parse(parts) as unknown[];
    if (texts.length !== 1 || typeof texts[0] !== 'string' || seen.contextId === '') continue;
    const message = { messageId, role: 'ROLE_USER', parts: [{ text: texts[0] }] };
    const request = { message, configuration: { returnImmediately: true } };
    try {
      const { task } = await (clients.callers.get(seen.owner) as A2aClient).rpc<{ task: WireTask }>(
        'SendMessage',
        request,
      );
      if (task.id !== seen.id)
        findings.add('lost', `message ${messageId} of ${seen.id} was not recognised: ${task.id}`);
    } catch (error) {
      // The second message of a conversation names its context, which is not repeated here: other content, same id.
      if (!(error instanceof Refused && error.code === -32602)) throw error;
    }
  }
}

/** The files against the positions that streams showed. */
export function compareFiles(model: Model, files: ReadonlyMap<string, Checkpoint>, findings: Findings): void {
  for (const id of model.purged) if (files.has(id)) findings.add('regressed', `task ${id} was purged and has a file`);
  for (const seen of model.tasks.values()) {
    const file = files.get(seen.id);
    if (file === undefined) {
      findings.add('lost', `the file of task ${seen.id}`);
      continue;
    }
    const { seq, transitions } = file.envelope;
    const regressed = (what: string): void => findings.add('regressed', `file of ${seen.id}: ${what}`);
    for (const [position, state] of seen.positions) {
      if (position > seq) regressed(`position ${position} was shown, the file ends at ${seq}`);
      else if (stateAt(transitions, position) !== state) {
        regressed(`position ${position} was ${state}, the file says ${stateAt(transitions, position)}`);
      }
    }
    for (const state of seen.states) {
      if (!transitions.some((transition) => transition.state === state))
        regressed(`${state} was shown, the file lacks it`);
    }
  }
}

const stateAt = (transitions: Checkpoint['envelope']['transitions'], position: number): TaskState | undefined =>
  transitions.findLast((transition) => transition.seq <= position)?.state;
