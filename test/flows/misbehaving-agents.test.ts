// An agent elsewhere that does wrong whatever it can: each time one readable outcome, nothing that hangs or stays watched,
// and its key nowhere to be found.
import { afterEach, describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { TOPIC_KINDS } from '../../src/bus/topics.js';
import { createSwitchboard, type Switchboard } from '../../src/main.js';
import type { TaskView, WatchesAnswer } from '../../src/operator-wire.js';
import { MisbehavingPeer, type Misdeed } from '../support/peers/misbehaving-peer.js';
import { makeTestHome, OPERATOR_KEY, type TestHome } from '../support/test-home.js';

const PLANTED = 'planted-key-of-the-far-agent-1234567890';
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

interface World {
  peer: MisbehavingPeer;
  home: TestHome;
  switchboard: Switchboard;
  /** Log lines, events of the bus and answers of the operator's surface. */
  seen: string[];
  ask(path: string, body?: object): Promise<TaskView>;
}

async function start(prepare: (peer: MisbehavingPeer) => void): Promise<World> {
  const peer = await new MisbehavingPeer().start();
  peer.key = PLANTED;
  prepare(peer);
  const agents = [{ name: 'far', url: peer.url, key: PLANTED, headers: { 'X-Extra': `${PLANTED}-too` } }];
  const home = makeTestHome({ settings: { agents, followSeconds: 3 } });
  const seen: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void seen.push(line) });
  const switchboard = await createSwitchboard({ config: { home: home.path, host: '127.0.0.1', port: 0 }, log });
  const tap = switchboard.bus.join({ name: 'test-tap', consumes: [], observes: TOPIC_KINDS, produces: [] });
  tap.tap('>', (envelope) => void seen.push(JSON.stringify(envelope)));
  const { url } = await switchboard.start();
  cleanUp.push(
    () => home.remove(),
    () => peer.stop(),
    () => switchboard.stop(),
  );
  const ask = async (path: string, body?: object): Promise<TaskView> => {
    const answer = await fetch(`${url}/api/a2a${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'X-API-Key': OPERATOR_KEY, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    seen.push(text);
    return JSON.parse(text) as TaskView;
  };
  return { peer, home, switchboard, seen, ask };
}

/** Every file of the home, but the one with the key in it. */
function filesOf(home: TestHome): string {
  const names = readdirSync(home.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const own = names.filter(({ name }) => name !== 'switchboard.json' && !name.includes('sqlite'));
  return own.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('\n');
}

/** Done whenever a task appears. */
const finishes = (peer: MisbehavingPeer): void => {
  const timer = setInterval(() => {
    for (const { id, status } of peer.tasks.values()) {
      if (status.state === 'TASK_STATE_WORKING') peer.show(id, 'TASK_STATE_COMPLETED', 'all done');
    }
  }, 30);
  cleanUp.push(() => clearInterval(timer));
};

/** Whenever a task appears, this is said of it, once. */
const says = (peer: MisbehavingPeer, tell: (id: string) => void): void => {
  const told = new Set<string>();
  const timer = setInterval(() => {
    for (const { id } of peer.tasks.values()) {
      if (told.has(id) || !peer.streams.opened.has(id)) continue;
      told.add(id);
      tell(id);
    }
  }, 10);
  cleanUp.push(() => clearInterval(timer));
};
const update = (taskId: string, state: string, text: string): object => ({
  statusUpdate: {
    taskId,
    contextId: 'somebody-else',
    status: { state, message: { messageId: text, role: 'ROLE_AGENT', parts: [{ text }] } },
  },
});

const FORGET = /does not know|no such task/i;
const CASES: [string, (peer: MisbehavingPeer) => void, string, RegExp][] = [
  ['drops the connection of a message', (p) => p.from('SendMessage', 'drop'), 'failed', /unknown whether far started/],
  ['works and then drops the connection', (p) => p.next('SendMessage', 'drop-after-work'), 'completed', /all done/],
  ['answers a message with a web page', (p) => p.from('SendMessage', 'html'), 'failed', /far|unknown whether/],
  ['answers a message with half a document', (p) => p.from('SendMessage', 'not-json'), 'failed', /far|unknown/],
  [
    'refuses',
    (p) => p.from('SendMessage', { error: { code: -32602, message: 'no such color' } }),
    'failed',
    /no such color/,
  ],
  ['says nothing about where it is', (p) => p.from('card', { status: 500 }), 'failed', /far/],
  ['forgets the task', (p) => p.from('GetTask', 'forget'), 'failed', FORGET],
  ['drops every stream', (p) => p.from('SubscribeToTask', 'drop'), 'completed', /all done/],
  [
    'offers streams and has none',
    (p) => p.from('SubscribeToTask', { error: { code: -32004, message: 'no' } }),
    'completed',
    /all done/,
  ],
  ['answers a question with a web page, once', (p) => p.next('GetTask', 'html'), 'completed', /all done/],
  ['ignores the wish for an immediate return', (p) => void (p.ignoresImmediateReturn = true), 'completed', /all done/],
  [
    'ends twice, differently, and works on',
    (p) =>
      says(p, (id) => {
        p.show(id, 'TASK_STATE_COMPLETED', 'all done');
        for (const state of ['FAILED', 'WORKING', 'COMPLETED'])
          p.tell(id, update(id, `TASK_STATE_${state}`, 'once more'));
      }),
    'completed',
    /^all done$/,
  ],
  [
    'goes back to where it was before',
    (p) =>
      says(p, (id) => {
        for (const state of ['WORKING', 'SUBMITTED', 'WORKING', 'UNSPECIFIED', 'SUBMITTED'])
          p.tell(id, update(id, `TASK_STATE_${state}`, `it is ${state}`));
      }),
    'completed',
    /all done/,
  ],
  [
    'tells of the end of another task',
    (p) => says(p, (id) => p.tell(id, update(`${id}-other`, 'TASK_STATE_FAILED', 'theirs'))),
    'completed',
    /all done/,
  ],
  ['answers with nothing', (p) => p.from('SendMessage', { result: {} } as Misdeed), 'failed', /far|unknown/],
];

describe('an agent elsewhere that', () => {
  test.each(CASES)('%s has one readable outcome', async (_name, prepare, state, words) => {
    const { peer, home, switchboard, seen, ask } = await start(prepare);
    finishes(peer);
    let view = await ask('/chat', { agent: 'far', message: 'work', waitSeconds: 25 });
    if (view.pending) view = await ask(`/task/${view.cid}?wait=25`);
    expect([view.taskState, view.response]).toEqual([state, expect.stringMatching(words)]);
    const { total } = (await ask('/watches')) as unknown as WatchesAnswer;
    expect(total).toBe(0);
    await ask('/agents?probe=true');
    const ends = seen.filter((line) => /"kind":"agent\.prompt\.(response|input\.request)"/.test(line));
    expect(ends).toHaveLength(1);
    await switchboard.stop();
    expect(seen.join('\n')).not.toContain(PLANTED);
    expect(filesOf(home)).not.toContain(PLANTED);
  });

  test('still shows its question after it was answered does not ask it again', async () => {
    const { peer, ask } = await start(() => undefined);
    const begun = await ask('/chat', { agent: 'far', message: 'work', returnImmediately: true });
    await peer.called('GetTask');
    const { id } = peer.latest;
    peer.show(id, 'TASK_STATE_INPUT_REQUIRED', 'which one?');
    const asked = await ask(`/task/${begun.cid}?wait=20`);
    expect([asked.taskState, asked.question]).toEqual(['input-required', 'which one?']);
    // Takes the answer, and says of the task what it said before.
    peer.from('SendMessage', { result: { task: peer.latest } });
    const looks = peer.calls('GetTask').length;
    await ask('/input', { cid: begun.cid, answer: 'the red one', returnImmediately: true });
    await peer.called('GetTask', looks + 2);
    expect((await ask(`/task/${begun.cid}`)).taskState).toBe('working');
    peer.show(id, 'TASK_STATE_COMPLETED', 'painted');
    expect(await ask(`/task/${begun.cid}?wait=20`)).toMatchObject({ taskState: 'completed', response: 'painted' });
    expect(peer.calls('SendMessage')).toHaveLength(2);
  });

  test('rejects the key, and repeats it in its answer, has that answer without the key', async () => {
    const { seen, ask, switchboard } = await start((peer) =>
      peer.from('SendMessage', { error: { code: -32602, message: `the key ${PLANTED} is not good` } }),
    );
    const { taskState, response } = await ask('/chat', { agent: 'far', message: 'work' });
    expect([taskState, response]).toEqual(['failed', expect.stringMatching(/the key .* is not good/)]);
    await switchboard.stop();
    expect(seen.join('\n')).not.toContain(PLANTED);
  });
});
