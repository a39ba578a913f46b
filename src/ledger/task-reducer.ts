// The one place where events become a task. Pure: no clock, no ids, no I/O, and never a change to its input.
import { isTerminal, isWaiting, textOf, wordsOf, type Artifact, type Task } from '../a2a-model.js';
import { Draft, isoTime, type Reduction } from './draft.js';
import { replyRefusal } from './owed-reply.js';
import { configRefusal, isPushEvent, pushRefusal, withPushEvent } from './push-configs.js';
import type { CreatedEvent, JournalEntry, Question, TaskEnvelope, TaskEvent, TaskRecord, Update } from './records.js';
import { closeAnswer, endMessage, RESPONSE_ARTIFACT } from './spoken-answer.js';

/** What a task says that ended because a question stayed open. */
const NO_ANSWER = 'no answer in time';

const DECLINED = { code: 'declined', text: 'The operator declined this.' };

/** The operator has not said yet whether the task may begin. */
export const isUndecided = (
  envelope: TaskEnvelope,
): envelope is TaskEnvelope & { approval: NonNullable<TaskEnvelope['approval']> } =>
  envelope.approval !== undefined && envelope.approval.decision === undefined;

/** Why an event does not fit a record, or undefined when it does. Late and foreign events are dropped, never applied. */
export function refusalOf(record: TaskRecord | undefined, event: TaskEvent): string | undefined {
  if (event.type === 'created') return record ? 'the task exists' : undefined;
  if (!record) return 'the task does not exist';
  const { envelope, task } = record;
  if (isPushEvent(event)) return pushRefusal(envelope, event);
  if (event.type === 'reply-acknowledged') return replyRefusal(envelope, event);
  if (isTerminal(task.status.state)) return 'the task has ended';
  switch (event.type) {
    case 'canceled':
      return undefined;
    case 'message':
      if (envelope.turnOpen && (event.start || !waitsElsewhere(record))) return 'a turn is running';
      return configRefusal(envelope, event.pushConfig);
    case 'decision':
      if (envelope.turnOpen) return 'a turn is running';
      return task.status.state === 'TASK_STATE_AUTH_REQUIRED' ? undefined : 'it waits for no decision';
    case 'expired':
      // Also that of a remote agent which waits for an authorization: it is followed on.
      if (envelope.turnOpen) return 'a turn is running';
      return isWaiting(task.status.state) ? undefined : 'it waits for nobody';
    case 'turn-started':
      if (envelope.turnOpen) return 'a turn is running';
      return event.turn === envelope.turn ? undefined : 'not the current turn';
    case 'text':
    case 'status':
    case 'watch':
    case 'kept':
    case 'tool':
    case 'artifact':
    case 'question':
      return envelope.turnOpen && event.turn === envelope.turn ? undefined : 'not the running turn';
    case 'turn-ended':
      // A task that never started may end too: rejected, or failed before its first turn.
      if (!envelope.turnOpen && task.status.state !== 'TASK_STATE_SUBMITTED') return 'no turn is running';
      return event.turn === envelope.turn ? undefined : 'not the current turn';
    default:
      return event satisfies never;
  }
}

/** The remote agent needs an authorization: the caller may speak although the turn is open. */
const waitsElsewhere = ({ task, envelope }: TaskRecord): boolean =>
  envelope.watch !== undefined && task.status.state === 'TASK_STATE_AUTH_REQUIRED';

/** Applies one accepted entry (see `refusalOf`). */
export function reduce(before: TaskRecord | undefined, entry: JournalEntry): Reduction {
  const { event } = entry;
  if (event.type === 'created') return create(entry, event);
  if (!before) throw new Error('an event needs its task');
  const draft = new Draft(before, entry);
  apply(draft, event);
  return draft.done();
}

function apply(draft: Draft, event: Exclude<TaskEvent, CreatedEvent>): void {
  switch (event.type) {
    case 'message':
      return addMessage(draft, event);
    case 'decision':
      return decide(draft, event);
    case 'turn-started':
      draft.userLine(draft.task.history[0]);
      return startTurn(draft);
    case 'text':
      if (event.pieces.length > 0) addText(draft, event.pieces);
      return event.end ? endMessage(draft) : undefined;
    case 'status': {
      const state = event.needs === 'auth' ? 'TASK_STATE_AUTH_REQUIRED' : 'TASK_STATE_WORKING';
      return draft.status(state, event.text === undefined ? undefined : draft.agentMessage([{ text: event.text }]));
    }
    case 'watch':
      if (event.watch) draft.envelope.watch = event.watch;
      if (event.remote) draft.envelope.remote = event.remote;
      return;
    case 'kept':
      return void (draft.envelope.kept = [...(draft.envelope.kept ?? []), event.kept]);
    case 'tool':
      if (event.phase === 'finished') return;
      draft.line('tool', event.tool);
      return draft.status('TASK_STATE_WORKING', draft.agentMessage([{ text: `using ${event.tool}` }]));
    case 'artifact':
      return draft.putArtifact(event.artifact, event.append, event.lastChunk);
    case 'question':
      closeAnswer(draft);
      closeTurn(draft);
      return ask(draft, event.question);
    case 'turn-ended':
      return endTurn(draft, event);
    case 'canceled':
      closeAnswer(draft);
      closeTurn(draft);
      return draft.status(
        'TASK_STATE_CANCELED',
        event.reason ? draft.agentMessage([{ text: event.reason }]) : undefined,
      );
    case 'reply-acknowledged':
      if (draft.envelope.replyTo) draft.envelope.replyTo = { ...draft.envelope.replyTo, acknowledged: event.upTo };
      return;
    case 'expired':
      return expire(draft);
    case 'push-config':
    case 'push-config-deleted':
    case 'push-acknowledged':
    case 'push-dead':
    case 'push-redriven':
    case 'push-disabled':
    case 'push-enabled':
      return draft.push(event);
    default:
      return event satisfies never;
  }
}

function create(entry: JournalEntry, event: CreatedEvent): Reduction {
  const { at, seq, taskId } = entry;
  const task: Task = {
    id: taskId,
    contextId: event.contextId,
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: isoTime(at) },
    artifacts: [],
    history: [{ ...event.message, taskId, contextId: event.contextId }],
  };
  const envelope: TaskEnvelope = {
    caller: event.caller,
    agent: event.agent,
    executor: event.executor,
    surface: event.surface,
    chain: event.chain,
    ...(event.session && { session: true }),
    ...(event.direct && { direct: true }),
    ...(event.skill !== undefined && { skill: event.skill }),
    ...(event.subject !== undefined && { subject: event.subject }),
    ...(event.synthetic && { synthetic: true }),
    ...(event.traceparent !== undefined && { traceparent: event.traceparent }),
    ...(event.deadlineAt !== undefined && { deadlineAt: event.deadlineAt }),
    ...(event.lookIn !== undefined && { lookIn: event.lookIn }),
    ...(event.replyTo && { replyTo: { ...event.replyTo, acknowledged: seq } }),
    turn: 1,
    turnOpen: false,
    seq,
    lines: 0,
    createdAt: at,
    updatedAt: at,
    transitions: [{ seq, state: 'TASK_STATE_SUBMITTED', at }],
    messages: [{ id: event.message.messageId, hash: event.hash, at }],
    answers: [],
  };
  if (event.pushConfig) {
    envelope.pushConfigs = withPushEvent(envelope, { type: 'push-config', config: event.pushConfig }, at);
  }
  const record = { task, envelope };
  const update: Update = { seq, state: 'TASK_STATE_SUBMITTED', turn: 1, event: { task }, requestId: event.requestId };
  const { rejected, approval, start } = event;
  if (!start && !rejected && !approval) return { record, updates: [update], lines: [] };
  const draft = new Draft(record, { ...entry, seq: seq + 1 });
  if (rejected) endTurn(draft, { type: 'turn-ended', turn: 1, state: 'TASK_STATE_REJECTED', error: rejected });
  else if (approval) {
    draft.userLine(task.history[0]);
    draft.envelope.approval = { requestId: approval.requestId };
    ask(draft, approval);
  } else {
    draft.userLine(task.history[0]);
    startTurn(draft);
  }
  const started = draft.done();
  return { ...started, updates: [update, ...started.updates] };
}

function startTurn(draft: Draft, requestId?: string): void {
  draft.envelope.turnOpen = true;
  draft.envelope.question = undefined;
  draft.status('TASK_STATE_WORKING', undefined, requestId);
}

/** Nothing runs until the answer comes. */
function ask(draft: Draft, question: Question): void {
  const { requestId, text, from, schema } = question;
  const message = draft.agentMessage([{ text }], {
    requestId,
    kind: 'input-request',
    ...(schema !== undefined && { schema }),
  });
  draft.envelope.question = question;
  draft.line('assistant', text);
  draft.say(message);
  draft.status(from === 'caller' ? 'TASK_STATE_INPUT_REQUIRED' : 'TASK_STATE_AUTH_REQUIRED', message);
}

/** A decision on the whole task is no answer to its executor, who never asked: it lets the task begin, or ends it. */
function decide(draft: Draft, event: Extract<TaskEvent, { type: 'decision' }>): void {
  const { envelope } = draft;
  const { turn, requestId, decision } = event;
  envelope.turn = turn;
  draft.line('operator', decision);
  if (!isUndecided(envelope)) {
    draft.answer(decision);
    if (!event.gone) return startTurn(draft, requestId);
  } else {
    envelope.approval = { ...envelope.approval, decision };
    if (decision === 'approve') return startTurn(draft, requestId);
  }
  draft.note(requestId);
  endTurn(draft, { type: 'turn-ended', turn, state: 'TASK_STATE_REJECTED', error: DECLINED });
}

function addMessage(draft: Draft, event: Extract<TaskEvent, { type: 'message' }>): void {
  const { envelope } = draft;
  if (event.pushConfig) draft.push({ type: 'push-config', config: event.pushConfig });
  envelope.turn = event.turn;
  const { by, hash } = event;
  const accepted = { id: event.message.messageId, hash, at: draft.entry.at, ...(by !== undefined && { by }) };
  envelope.messages = [...envelope.messages, accepted];
  draft.userLine(event.message);
  draft.say({ ...event.message, taskId: draft.task.id, contextId: draft.task.contextId });
  if (!event.start) return draft.note(event.requestId);
  draft.answer(wordsOf(event.message.parts));
  startTurn(draft, event.requestId);
}

/** Each piece is shown by itself; what is stored grows once by all of them. */
function addText(draft: Draft, pieces: readonly string[]): void {
  const { envelope } = draft;
  const chunk = (text: string): Artifact => ({ artifactId: RESPONSE_ARTIFACT, parts: [{ text }] });
  const append = envelope.speaking === true;
  envelope.speaking = true;
  envelope.unclosed = true;
  draft.storeArtifact(chunk(pieces.join('')), append);
  pieces.forEach((piece, i) => draft.showArtifact(chunk(piece), append || i > 0, false));
}

/** The caller is told so in the agent's name, and so says the transcript. */
function expire(draft: Draft): void {
  const { envelope } = draft;
  envelope.question = undefined;
  envelope.error = { code: 'expired', text: NO_ANSWER };
  draft.line('assistant', NO_ANSWER);
  draft.status('TASK_STATE_FAILED', draft.agentMessage([{ text: NO_ANSWER }]));
}

/** Whatever the turn was about, nothing is asked or followed any more. */
function closeTurn({ envelope }: Draft): void {
  envelope.turnOpen = false;
  envelope.question = undefined;
  envelope.watch = undefined;
}

function endTurn(draft: Draft, event: Extract<TaskEvent, { type: 'turn-ended' }>): void {
  const { envelope } = draft;
  const streamed = envelope.unclosed === true;
  closeAnswer(draft);
  if (!streamed && event.parts && event.parts.length > 0) {
    draft.putArtifact({ artifactId: RESPONSE_ARTIFACT, parts: event.parts }, false, true);
    draft.line('assistant', textOf(event.parts));
    draft.say(draft.agentMessage(event.parts));
  }
  closeTurn(draft);
  if (event.usage) envelope.usage = event.usage;
  if (event.error) envelope.error = event.error;
  draft.status(event.state, event.error && draft.agentMessage([{ text: event.error.text }]));
}
