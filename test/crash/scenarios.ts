// What the load consists of: each scenario is one client's visit, and everything it receives goes into the model.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskView } from '../../src/operator-wire.js';
import { Refused, textMessage, type A2aClient, type SeenEvent, type WireTask } from '../support/a2a-client.js';
import type { Random } from '../support/random.js';
import type { Model, SeenTask, Sent } from './model.js';
import { WEBHOOK_ID, type Webhooks } from './webhooks.js';

export interface Visit {
  /** Name of the caller behind `client`. */
  owner: string;
  client: A2aClient;
  operator: A2aClient;
  model: Model;
  random: Random;
  /** Unique in this run. */
  n: string;
}

export type Scenario = (visit: Visit) => Promise<void>;

interface SendOptions {
  plan?: string[];
  immediately?: boolean;
  more?: Record<string, unknown>;
  rest?: boolean;
}

const hookOf = ({ url }: Webhooks): object => ({ id: WEBHOOK_ID, url });

async function send(visit: Visit, sent: Sent, options: SendOptions = {}): Promise<{ seen: SeenTask; task: WireTask }> {
  const { client, model, owner } = visit;
  const message = { ...textMessage(sent.messageId, ''), parts: sent.parts, ...options.more };
  const { webhooks } = model;
  const configuration = {
    ...(options.immediately === true && { returnImmediately: true }),
    ...(webhooks && options.more?.['taskId'] === undefined && { taskPushNotificationConfig: hookOf(webhooks) }),
  };
  const request = { message, configuration };
  const { task } =
    options.rest === true
      ? await client.rest<{ task: WireTask }>('POST', '/a2a/message:send', request)
      : await client.rpc<{ task: WireTask }>('SendMessage', request);
  return { task, seen: model.saw(owner, task, { sent, plan: options.plan }) };
}

/** Reads a stream to its end. The first event is the task; from then on everything is seen with its position. */
async function follow(visit: Visit, events: AsyncGenerator<SeenEvent>, sent?: Sent, plan?: string[]): Promise<void> {
  const texts = new Map<string, string>();
  let seen: SeenTask | undefined;
  let last = -1;
  for await (const event of events) {
    if (event.seq <= last) visit.model.contradictions.push(`${seen?.id}: position ${event.seq} came after ${last}`);
    last = event.seq;
    const { task } = event.event;
    if (task) {
      seen = visit.model.saw(visit.owner, task, { sent, seq: event.seq, plan });
      for (const artifact of task.artifacts ?? []) {
        texts.set(artifact.artifactId, artifact.parts.map((part) => ('text' in part ? part.text : '')).join(''));
      }
    } else if (seen) visit.model.sawEvent(seen, event, texts);
  }
}

const text = (n: string, words: string): Sent => ({ messageId: n, parts: [{ text: words }] });

const echo: Scenario = async (visit) => {
  const rest = visit.random.next() < 0.3;
  await send(visit, text(visit.n, `hello ${visit.n}`), { rest, plan: [`echo: hello ${visit.n}`] });
};

const conversation: Scenario = async (visit) => {
  const { task } = await send(visit, text(`${visit.n}-a`, `first ${visit.n}`));
  await send(visit, text(`${visit.n}-b`, `second ${visit.n}`), { more: { contextId: task.contextId } });
};

const severalMessages: Scenario = async (visit) => {
  const plan = ['alpha', 'beta', 'gamma'].map((word) => `${word} ${visit.n}`);
  const script = text(visit.n, `tool lookup; ${plan.map((line) => `say ${line}`).join('; ')}`);
  await follow(
    visit,
    visit.client.stream('SendStreamingMessage', { message: { ...textMessage(visit.n, ''), ...script } }),
    script,
    plan,
  );
};

const streamed =
  (chunks: number): Scenario =>
  async (visit) => {
    const sent = text(visit.n, `stream ${chunks}`);
    const message = { ...textMessage(visit.n, ''), parts: sent.parts };
    const events =
      visit.random.next() < 0.5
        ? visit.client.stream('SendStreamingMessage', { message })
        : visit.client.restStream('POST', '/a2a/message:stream', { message });
    await follow(visit, events, sent);
  };

const question: Scenario = async (visit) => {
  const answer = `large ${visit.n}`;
  const plan = [`before ${visit.n}`, `you said: ${answer}`, `after ${visit.n}`];
  const script = text(`${visit.n}-q`, `say ${plan[0]}; ask which size?; say ${plan[2]}`);
  const { seen, task } = await send(visit, script, { plan });
  if (visit.random.next() < 0.3) return;
  visit.model.moving(seen);
  const more = { taskId: task.id, contextId: task.contextId };
  await send(visit, text(`${visit.n}-a`, answer), { more });
};

const approval: Scenario = async (visit) => {
  const { seen, task } = await send(visit, text(visit.n, 'auth may I?; say thanks'), { plan: ['approved', 'thanks'] });
  if (visit.random.next() < 0.3) return;
  visit.model.moving(seen);
  const decision = visit.random.pick(['approve', 'decline'] as const);
  const view = await visit.operator.rest<TaskView>('POST', '/api/a2a/input', { cid: task.id, decision });
  visit.model.saw(visit.owner, taskOf(view));
};

const fileIn: Scenario = async (visit) => {
  const raw = randomBytes(visit.random.between(1, 20_000)).toString('base64');
  const parts = [
    { text: `keep this ${visit.n}` },
    { raw, filename: `${visit.n}.bin`, mediaType: 'application/octet-stream' },
  ];
  await send(visit, { messageId: visit.n, parts });
};

const fileOut: Scenario = async (visit) => {
  await send(visit, text(visit.n, `say here; file ${visit.n}.txt contents of ${visit.n}; data {"n":"${visit.n}"}`));
};

const cancel: Scenario = async (visit) => {
  const { seen } = await send(visit, text(visit.n, 'say starting; wait 60000; say never'), { immediately: true });
  await sleep(visit.random.between(0, 30));
  visit.model.moving(seen);
  const task = await visit.client.rpc<WireTask>('CancelTask', { id: seen.id });
  visit.model.saw(visit.owner, task);
};

const watched: Scenario = async (visit) => {
  const sent = text(visit.n, `stream 20; wait 30; say almost; wait 30; say done ${visit.n}`);
  const { seen } = await send(visit, sent, { immediately: true, plan: [counted(20), 'almost', `done ${visit.n}`] });
  try {
    await follow(visit, visit.client.stream('SubscribeToTask', { id: seen.id }));
  } catch (error) {
    // The task may have ended before the subscription came; then there is nothing to follow.
    if (!(error instanceof Refused)) throw error;
  }
  visit.model.saw(visit.owner, await visit.client.rpc<WireTask>('GetTask', { id: seen.id }));
};

const failure: Scenario = async (visit) => {
  await send(visit, text(visit.n, visit.random.pick(['fail out of paper', 'say well; crash'])));
};

const operatorChat: Scenario = async (visit) => {
  const returnImmediately = visit.random.next() < 0.3;
  const body = { agent: 'demo', message: `good day ${visit.n}`, returnImmediately };
  const view = await visit.operator.rest<TaskView>('POST', '/api/a2a/chat', body);
  visit.model.saw('operator', taskOf(view));
};

/** A key that was shown works, and the file it went into still lets everybody in. */
const mintedKey: Scenario = async (visit) => {
  const path = `/api/a2a/callers/demo/${visit.owner}/keys`;
  const { key } = await visit.operator.rest<{ key: string }>('POST', path, {});
  await send({ ...visit, client: visit.client.withKey(key) }, text(visit.n, 'say hello again'));
};

const counted = (count: number): string => Array.from({ length: count }, (_, i) => i + 1).join(' ');

/** The operator's view as the task that it shows. */
export function taskOf(view: TaskView): WireTask {
  const state = `TASK_STATE_${view.taskState.toUpperCase().replaceAll('-', '_')}` as WireTask['status']['state'];
  const said = view.taskState === 'completed' ? [{ artifactId: 'response', parts: [{ text: view.response }] }] : [];
  return { id: view.taskId, contextId: view.contextId ?? '', status: { state }, artifacts: said };
}

/** All scenarios, the frequent ones more than once. */
export const SCENARIOS: readonly Scenario[] = [
  echo,
  echo,
  conversation,
  severalMessages,
  streamed(20),
  streamed(20),
  streamed(400),
  question,
  question,
  approval,
  fileIn,
  fileOut,
  cancel,
  watched,
  failure,
  operatorChat,
  mintedKey,
];
