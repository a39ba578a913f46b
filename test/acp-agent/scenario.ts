// What a real agent has to do over A2A, end to end: each step says what it saw.
import { randomUUID } from 'node:crypto';
import { existsSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { markedProcesses } from '../../plugins/executors/session-runner/drivers/acp/marked-processes.js';
import type { TaskView } from '../../src/operator-wire.js';
import { A2aClient, Refused, textMessage, type WireEvent, type WireTask } from '../support/a2a-client.js';
import type { ServerChild } from '../support/server-child.js';
import { OPERATOR_KEY, type TestHome } from '../support/test-home.js';
import { MADE } from './fake-model.js';

/** What a busy context answers, over JSON-RPC. */
const UNSUPPORTED = -32004;

export interface Stage {
  home: TestHome;
  server(): ServerChild;
  /** A stop, or a kill, and a new server on the same home. */
  restart(how: 'stop' | 'kill'): Promise<void>;
  /** Says what was seen, and whether that is what should be. */
  saw(what: string, right: boolean, more?: unknown): void;
}

export async function playScenario({ home, server, restart, saw }: Stage): Promise<void> {
  const talk = new Talk(server, home.keys.ann as string);
  const made = join(home.path, 'workspaces', 'demo', MADE);

  const streamed = await talk.stream('STREAM', 'talk');
  const pieces = streamed.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts.map(wordsOf) ?? []);
  saw('an answer in pieces', pieces.join('') === 'one two three' && pieces.length > 1, pieces);

  const asking = await talk.stream('COMMAND', 'talk');
  const status = asking.flatMap(({ statusUpdate }) => statusUpdate?.status.message?.parts.map(wordsOf) ?? []);
  const asked = (await talk.get(asking)).status;
  saw('the tool call shows as working, by name alone', status.includes('using bash'), status);
  saw('a permission is asked of the operator', asked.state === 'TASK_STATE_AUTH_REQUIRED', asked.message?.parts);
  saw('nothing is done before the decision', !existsSync(made));
  const granted = await talk.decide((await talk.get(asking)).id, 'approve');
  saw('the granted command runs', granted.taskState === 'completed' && existsSync(made), granted.response);

  const questioned = await talk.send('QUESTION', { contextId: 'talk' });
  const question = questioned.status;
  saw('a session tool asks', question.state === 'TASK_STATE_INPUT_REQUIRED', question.message?.parts);
  await restart('stop');
  const answered = textOf(await talk.send('blue', { contextId: 'talk', taskId: questioned.id }));
  saw(
    'the agent remembers after a restart, and hears the answer',
    /heard [3-9] messages.*blue/s.test(answered),
    answered,
  );

  const busy = await talk.stream('HANG', 'talk', ({ artifactUpdate }) => artifactUpdate !== undefined);
  const canceled = await talk.cancel((await talk.get(busy)).id);
  saw('a cancel in the middle', canceled.status.state === 'TASK_STATE_CANCELED', textOf(canceled));
  const after = textOf(await talk.send('and now?', { contextId: 'talk' }));
  saw('the conversation goes on after it', after.includes('and now?'), after);

  const again = await talk.send('COMMAND', { contextId: 'other' });
  saw('a second conversation asks too', again.status.state === 'TASK_STATE_AUTH_REQUIRED');
  saw('each conversation has a process', agentsOf(home).length > 1, agentsOf(home).length);
  await restart('kill');
  const late = await talk.decide(again.id, 'approve');
  saw('an approval after a kill is told, and granted once', late.taskState === 'completed', late.response);
  await server().stop();
  saw('no process is left after the stop', agentsOf(home).length === 0, agentsOf(home).length);
}

/** Processes of agents, and what they have started, in the home's workspaces. */
function agentsOf(home: TestHome): number[] {
  return markedProcesses('').filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(home.path);
    } catch {
      return false;
    }
  });
}

const wordsOf = (part: object): string => ('text' in part ? String(part.text) : '');
const textOf = ({ artifacts = [] }: WireTask): string => artifacts.flatMap(({ parts }) => parts.map(wordsOf)).join('');

/** A caller, and the operator where something is to be decided. */
class Talk {
  constructor(
    private readonly server: () => ServerChild,
    private readonly key: string,
  ) {}

  private get client(): A2aClient {
    return new A2aClient(this.server().url, this.key);
  }

  /** Sends, again while the context is still busy with a run that was cancelled. */
  async send(text: string, ids: Record<string, unknown>): Promise<WireTask> {
    for (let tries = 0; ; tries++) {
      try {
        const params = { message: textMessage(randomUUID(), text, ids) };
        return (await this.client.rpc<{ task: WireTask }>('SendMessage', params)).task;
      } catch (error) {
        if (tries > 50 || !(error instanceof Refused) || error.code !== UNSUPPORTED) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  /** Until the task works no more, or `enough`. */
  async stream(text: string, contextId: string, enough = (_: WireEvent): boolean => false): Promise<WireEvent[]> {
    const events: WireEvent[] = [];
    const params = { message: textMessage(randomUUID(), text, { contextId }) };
    for await (const { event } of this.client.stream('SendStreamingMessage', params)) {
      events.push(event);
      const state = event.statusUpdate?.status.state;
      if (enough(event) || (state !== undefined && !/WORKING|SUBMITTED/.test(state))) break;
    }
    return events;
  }

  get(events: WireEvent[]): Promise<WireTask> {
    return this.client.rpc<WireTask>('GetTask', { id: events[0]?.task?.id });
  }

  cancel(id: string): Promise<WireTask> {
    return this.client.rpc<WireTask>('CancelTask', { id });
  }

  async decide(cid: string, decision: string): Promise<TaskView> {
    const headers = { 'X-API-Key': OPERATOR_KEY, 'Content-Type': 'application/json' };
    const { url } = this.server();
    await fetch(`${url}/api/a2a/input`, { method: 'POST', headers, body: JSON.stringify({ cid, decision }) });
    for (;;) {
      const view = (await (await fetch(`${url}/api/a2a/task/${cid}?wait=20`, { headers })).json()) as TaskView;
      if (!view.pending) return view;
    }
  }
}
