// Four races that a task can be in, many rounds each, against the real server over its wire: whatever the order of
// events, there is one terminal state, all readers see one sequence, and what they saw adds up to what is stored.
import { isTerminal, type TaskState } from '../../src/a2a-model.js';
import { silentLogger } from '../../src/log.js';
import { createSwitchboard } from '../../src/main.js';
import { A2aClient, Refused, textMessage, type SeenEvent, type WireTask } from '../support/a2a-client.js';
import { ManualAgent, type ManualTurn } from '../support/manual-agent.js';
import { seededRandom, type Random } from '../support/random.js';
import { makeTestHome } from '../support/test-home.js';
import { seenTask, textsOf } from './seen-task.js';

export const RACES = ['subscribe', 'cancel', 'continue', 'readers'] as const;
export type Race = (typeof RACES)[number];

export interface RaceReport {
  rounds: number;
  /** How often each outcome came: a race that only ever goes one way tests nothing. */
  outcomes: Record<string, number>;
  /** Empty when all is well. */
  problems: string[];
}

export async function raceRun(race: Race, rounds: number, seed: number): Promise<RaceReport> {
  const agent = new ManualAgent();
  const home = makeTestHome({ agents: ['demo', 'manual'] });
  const config = { home: home.path, port: 0 };
  const switchboard = await createSwitchboard({ config, log: silentLogger(), plugins: [agent.plugin] });
  try {
    const { url } = await switchboard.start();
    const client = new A2aClient(url, home.keys['ann'] as string, '/agents/manual/a2a');
    return await new RaceRun(client, agent, seededRandom(seed)).run(race, rounds);
  } finally {
    agent.finish();
    await switchboard.stop();
    home.remove();
  }
}

class RaceRun {
  private readonly outcomes: Record<string, number> = {};
  private readonly problems: string[] = [];
  private messages = 0;

  constructor(
    private readonly client: A2aClient,
    private readonly agent: ManualAgent,
    private readonly random: Random,
  ) {}

  async run(race: Race, rounds: number): Promise<RaceReport> {
    const play = { subscribe: this.subscribe, cancel: this.cancel, continue: this.continue, readers: this.readers }[
      race
    ];
    for (let round = 0; round < rounds && this.problems.length < 10; round++) {
      const outcome = await play.call(this);
      this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
    }
    return { rounds, outcomes: this.outcomes, problems: this.problems };
  }

  /** A subscriber comes while the agent speaks as fast as it can. */
  private async subscribe(): Promise<string> {
    const { id, turn } = await this.begin();
    const joinAt = this.random.between(0, 29);
    let seen: Promise<SeenEvent[]> | undefined;
    for (let n = 0; n < 30; n++) {
      if (n === joinAt) seen = all(this.client.stream('SubscribeToTask', { id }));
      turn.handle.delta(`${n},`);
      if (this.random.next() < 0.3) await this.pause();
    }
    turn.end({ kind: 'completed' });
    const late = await seen?.catch((error: unknown) => error);
    if (late instanceof Refused) return 'too late';
    return this.compare(id, [late as SeenEvent[]]);
  }

  /** A cancel and the end of the run at the same moment. */
  private async cancel(): Promise<string> {
    const { id, turn, events } = await this.begin();
    const canceling = this.client.rpc<WireTask>('CancelTask', { id }).then(
      ({ status }) => status.state,
      () => 'refused',
    );
    await this.pause(12);
    turn.end({ kind: 'completed', parts: [{ text: 'done' }] });
    const answer = await canceling;
    const outcome = await this.compare(id, [await events]);
    const expected = outcome === 'TASK_STATE_CANCELED' ? outcome : 'refused';
    if (answer !== expected) this.problems.push(`the cancel said ${answer}, the task is ${outcome}`);
    return outcome;
  }

  /** Two answers to one question. */
  private async continue(): Promise<string> {
    const { id, turn, events } = await this.begin();
    turn.end({ kind: 'question', question: 'which?', from: 'caller' });
    await this.until(id, 'TASK_STATE_INPUT_REQUIRED');
    const answer = async (text: string): Promise<boolean> => {
      if (this.random.next() < 0.5) await this.pause();
      return this.client.rpc('SendMessage', { message: this.message(text, { taskId: id }) }).then(
        () => true,
        () => false,
      );
    };
    const answers = [answer('one'), answer('two')];
    const second = await this.agent.next();
    await this.pause();
    second.end({ kind: 'completed', parts: [{ text: 'done' }] });
    const accepted = (await Promise.all(answers)).filter(Boolean).length;
    const task = await this.client.rpc<WireTask>('GetTask', { id });
    const kept = task.history?.filter(({ parts }) => /^(?:one|two)$/.test((parts[0] as { text: string }).text)).length;
    if (accepted !== 1 || kept !== 1) this.problems.push(`${accepted} answers were accepted and ${kept} kept`);
    return this.compare(id, [await events]);
  }

  /** Three more readers, who come at different moments and must see the same from there on. */
  private async readers(): Promise<string> {
    const { id, turn, events } = await this.begin();
    const readers = [];
    for (let n = 0; n < 12; n++) {
      if (n % 4 === 0) readers.push(all(this.client.stream('SubscribeToTask', { id })));
      turn.handle.artifact({ artifactId: `a${n % 3}`, parts: [{ data: n }] }, { append: n > 2 });
      await this.pause(3);
    }
    // The end waits until all of them are there.
    const last = this.client.stream('SubscribeToTask', { id });
    await last.next();
    turn.end({ kind: 'completed', parts: [{ text: 'done' }] });
    await last.return(undefined);
    return this.compare(id, [await events, ...(await Promise.all(readers))]);
  }

  private message(text: string, more: object = {}): object {
    return textMessage(`race-${++this.messages}`, text, { ...more });
  }

  /** A task whose turn this run holds, and the events of its own stream. */
  private async begin(): Promise<{ id: string; turn: ManualTurn; events: Promise<SeenEvent[]> }> {
    const stream = this.client.stream('SendStreamingMessage', { message: this.message('go') });
    const first = await stream.next();
    const turn = await this.agent.next();
    const opening = first.value as SeenEvent;
    return { id: opening.event.task?.id as string, turn, events: all(stream).then((rest) => [opening, ...rest]) };
  }

  private async until(id: string, state: TaskState): Promise<void> {
    let task: WireTask;
    do task = await this.client.rpc('GetTask', { id });
    while (task.status.state !== state);
  }

  private async pause(most = 5): Promise<void> {
    for (let n = this.random.between(0, most); n > 0; n--) await new Promise(setImmediate);
  }

  /** Checks what was seen against what is stored; the terminal state is the outcome. */
  private async compare(id: string, seen: readonly SeenEvent[][]): Promise<string> {
    const task = await this.client.rpc<WireTask>('GetTask', { id });
    const stored = JSON.stringify({ state: task.status.state, texts: textsOf(task) });
    const longest = seen.reduce((a, b) => (a.length >= b.length ? a : b));
    for (const events of seen) {
      const mine = JSON.stringify(seenTask(events));
      if (mine !== stored) this.problems.push(`seen ${mine}, stored ${stored}`);
      const ends = events.filter(({ event }) => isTerminal(event.statusUpdate?.status.state ?? 'TASK_STATE_WORKING'));
      if (ends.length > 1) this.problems.push(`${ends.length} terminal events`);
      // After its first task each reader must have what the one who was there longest has.
      const from = events[0]?.seq as number;
      const expected = longest.filter(({ seq }, i) => i > 0 && seq > from);
      const got = events.slice(1);
      if (longest[0] && from >= longest[0].seq && JSON.stringify(got) !== JSON.stringify(expected)) {
        this.problems.push(`from ${from} on: ${JSON.stringify(got)}, but another saw ${JSON.stringify(expected)}`);
      }
    }
    return task.status.state;
  }
}

async function all(stream: AsyncGenerator<SeenEvent>): Promise<SeenEvent[]> {
  const events: SeenEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
