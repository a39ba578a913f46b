import type { PromptRequest } from '../../src/bus/topics.js';
import type { Executor } from '../../src/executors/contract.js';
import { Hops } from '../../src/hops.js';
import { messageHash } from '../../src/ledger/message-hash.js';
import type { TaskRecord } from '../../src/ledger/records.js';
import { AddedGuard } from '../../plugins/dispatcher/added-guards.js';
import type { PromptGuard } from '../../src/executors/prompt-guard.js';
import { Cooldowns, type Work } from '../../plugins/dispatcher/cooldowns.js';
import { contextKey, Contexts } from '../../plugins/dispatcher/contexts.js';
import { GUARDS } from '../../plugins/dispatcher/dispatcher.js';
import type { Candidate, GuardPorts, Verdict } from '../../plugins/dispatcher/guard.js';

const skill = (id: string) => ({ id, name: id, description: id, tags: [] });
const executor = { name: 'session-runner' } as Executor;
const AGENTS = [
  { name: 'demo', kind: 'workspace' as const, exposed: true, skills: [skill('math'), skill('talk')] },
  { name: 'other', kind: 'workspace' as const, exposed: true, skills: [skill('art')] },
  { name: 'hidden', kind: 'workspace' as const, exposed: false, skills: [] },
];
const hops = new Hops('here');

const request: PromptRequest = {
  cid: 't1',
  requestId: 'r1',
  continues: false,
  contextId: 'c1',
  agent: 'demo',
  caller: { id: 'demo/alice', scope: 'demo' },
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] },
  chain: [],
  surface: 'a2a',
};

function task(state: string, turnOpen = false): TaskRecord {
  return {
    task: { id: 't1', contextId: 'c1', status: { state, timestamp: '' }, artifacts: [], history: [] },
    envelope: { caller: request.caller, agent: 'demo', executor: executor.name, turn: 1, turnOpen },
  } as unknown as TaskRecord;
}

interface Scene {
  caller?: { agents?: string[]; skills?: string[]; quota?: Record<string, number> } | null;
  live?: { ofCaller: number; ofScope: number };
  /** Tasks and bytes that the workspace keeps. */
  stored?: number;
  bytes?: number;
  idempotentSend?: boolean;
  known?: { taskId: string; hash: string; at: number };
  queue?: number;
  defaultAgent?: string;
  record?: TaskRecord;
  prepare?: (contexts: Contexts) => void;
  cooldown?: Record<string, number>;
  cool?: (cooldowns: Cooldowns) => void;
  added?: readonly AddedGuard[];
}

/** Runs the guards in order, like the dispatcher. */
function judge(
  change: Partial<PromptRequest>,
  scene: Scene = {},
): { verdict: Verdict; rule?: string; candidate: Candidate } {
  const contexts = new Contexts();
  const cooldowns = new Cooldowns(scene.cooldown ?? {});
  scene.cool?.(cooldowns);
  scene.prepare?.(contexts);
  const caller =
    scene.caller === null
      ? undefined
      : { id: 'demo/alice', scope: 'demo', name: 'alice', workspace: 'demo', agents: ['demo'], ...scene.caller };
  const core = {
    config: {
      idempotentSend: scene.idempotentSend ?? true,
      maxHops: 3,
      quota: { liveTasksPerCaller: 10, liveTasks: 20, concurrentTurns: 2, tasks: 50, taskBytes: 5_000 },
      defaultAgent: scene.defaultAgent,
    },
    hops,
    clock: { now: () => 1_000, after: () => () => undefined },
    callers: { find: () => caller },
    workspaces: { has: () => true, settings: () => ({ queue: scene.queue ?? 0, quota: {} }) },
    ledger: {
      findMessage: () => scene.known,
      liveTasks: () => scene.live ?? { ofCaller: 0, ofScope: 0 },
      census: {
        stored: () => scene.stored ?? 0,
        keeps: (_scope: string, limit: number) => (scene.bytes ?? 0) >= limit,
      },
    },
    registry: {
      find: (name: string) => {
        const agent = AGENTS.find((candidate) => candidate.name === name);
        return agent && { agent, executor };
      },
      list: () => AGENTS.map((agent) => ({ agent, executor })),
    },
  } as unknown as GuardPorts['core'];
  const candidate: Candidate = { request: { ...request, ...change }, record: scene.record };
  for (const guard of GUARDS) {
    const verdict = guard.check(candidate, { core, contexts, cooldowns, added: scene.added ?? [] });
    if (verdict) return { verdict, rule: guard.name, candidate };
  }
  return { verdict: undefined, candidate };
}

const refusal = (change: Partial<PromptRequest>, scene?: Scene) => {
  const { verdict, rule } = judge(change, scene);
  return verdict && 'refusal' in verdict
    ? { rule, code: verdict.refusal.code, asTask: verdict.asTask ?? false }
    : verdict;
};

describe('the guards', () => {
  it('stand in the documented order', () => {
    expect(GUARDS.map(({ name }) => name)).toEqual([
      'target',
      'permission',
      'duplicate',
      'loop',
      'storage',
      'quota',
      'busy',
      'cooldown',
      'added',
      'approval',
    ]);
  });

  it('let an ordinary request pass to the named agent', () => {
    const { verdict, candidate } = judge({});
    expect(verdict).toBeUndefined();
    expect(candidate.target).toMatchObject({ agent: { name: 'demo' }, reason: 'named' });
  });
});

describe('target', () => {
  const operator = { id: 'operator', scope: 'operator' };

  it.each<[string, Partial<PromptRequest>, Scene, string]>([
    ['an unknown agent', { agent: 'nobody' }, {}, 'agent-not-found'],
    ['an agent that is not exposed', { agent: 'hidden' }, {}, 'agent-not-found'],
    ['a skill that the named agent lacks', { skill: 'art' }, {}, 'invalid-params'],
    ['no name when several agents exist', { agent: undefined, caller: operator }, {}, 'agent-not-found'],
    ['an unknown task', { continues: true }, {}, 'task-not-found'],
    [
      "another caller's task",
      { continues: true, caller: { id: 'demo/bob', scope: 'demo' } },
      { record: task('TASK_STATE_INPUT_REQUIRED') },
      'task-not-found',
    ],
    [
      "another agent's task",
      { continues: true, agent: 'other' },
      { record: task('TASK_STATE_INPUT_REQUIRED') },
      'task-not-found',
    ],
    [
      'a task of another context',
      { continues: true, contextId: 'c2' },
      { record: task('TASK_STATE_INPUT_REQUIRED') },
      'invalid-params',
    ],
  ])('refuses %s', (_what, change, scene, code) => {
    expect(refusal(change, scene)).toEqual({ rule: 'target', code, asTask: false });
  });

  it('lets the operator reach an agent that is not exposed', () => {
    expect(judge({ agent: 'hidden', caller: operator }).verdict).toBeUndefined();
  });

  it('finds an agent by skill, and falls back to the default one', () => {
    const bySkill = judge({ agent: undefined, skill: 'art', caller: operator }).candidate.target;
    expect(bySkill).toMatchObject({ agent: { name: 'other' }, reason: 'skill' });
    const byDefault = judge({ agent: undefined, caller: operator }, { defaultAgent: 'demo' }).candidate.target;
    expect(byDefault).toMatchObject({ agent: { name: 'demo' }, reason: 'default' });
  });
});

describe('permission', () => {
  it.each<[string, Partial<PromptRequest>, Scene, string]>([
    ['an agent the caller may not use, as if it did not exist', { agent: 'other' }, {}, 'agent-not-found'],
    ['a caller whose owner has just removed it', {}, { caller: null }, 'agent-not-found'],
    ['a skill outside its list', { skill: 'talk' }, { caller: { skills: ['math'] } }, 'forbidden'],
    ['no skill when several are allowed', {}, { caller: { skills: ['math', 'talk'] } }, 'forbidden'],
  ])('refuses %s', (_what, change, scene, code) => {
    expect(refusal(change, scene)).toEqual({ rule: 'permission', code, asTask: false });
  });

  it('selects the only skill a caller may use', () => {
    expect(judge({}, { caller: { skills: ['math'] } }).candidate.skill).toBe('math');
  });
});

describe('duplicate', () => {
  it('answers a resend with the first task', () => {
    const known = { taskId: 'first', hash: messageHash(request.message), at: 0 };
    expect(judge({}, { known }).verdict).toEqual({ duplicateOf: 'first' });
  });

  it('refuses other content under a used id', () => {
    expect(refusal({}, { known: { taskId: 'first', hash: 'other', at: 0 } })).toMatchObject({
      rule: 'duplicate',
      code: 'invalid-params',
    });
  });

  it('takes ids of callers as they come where sends are not idempotent, but not those of the switchboard itself', () => {
    const known = { taskId: 'first', hash: messageHash(request.message), at: 0 };
    expect(judge({ surface: 'a2a' }, { known, idempotentSend: false }).verdict).toBeUndefined();
    for (const surface of ['operator', 'tool', 'plugin', 'delivery'] as const) {
      expect(judge({ surface }, { known, idempotentSend: false }).verdict).toEqual({ duplicateOf: 'first' });
    }
  });
});

describe('loop', () => {
  const elsewhere = { switchboard: 's', agent: 'a' };

  it('keeps a prompt that crossed too many switchboards as a rejected task', () => {
    expect(refusal({ chain: [elsewhere, elsewhere, elsewhere, elsewhere] })).toEqual({
      rule: 'loop',
      code: 'loop',
      asTask: true,
    });
  });

  it('rejects a prompt that comes back to the same agent and lets it reach another one', () => {
    expect(refusal({ chain: [hops.of('demo')] })).toEqual({ rule: 'loop', code: 'loop', asTask: true });
    expect(refusal({ chain: [hops.of('other')] })).toBeUndefined();
  });
});

describe('quota', () => {
  it.each<[string, Scene]>([
    ["the caller's live tasks", { live: { ofCaller: 10, ofScope: 10 } }],
    [
      "the caller's own, narrower limit",
      { live: { ofCaller: 1, ofScope: 1 }, caller: { quota: { liveTasksPerCaller: 1 } } },
    ],
    ["the workspace's live tasks", { live: { ofCaller: 1, ofScope: 20 } }],
    [
      "the agent's concurrent turns",
      { prepare: (contexts) => ['x', 'y'].forEach((key) => contexts.start(key, key, 'demo')) },
    ],
  ])('counts %s and keeps the refusal as a task', (_what, scene) => {
    expect(refusal({}, scene)).toEqual({ rule: 'quota', code: 'quota', asTask: true });
  });
});

describe('storage', () => {
  it.each<[string, Scene]>([
    ['tasks', { stored: 50 }],
    ['bytes', { bytes: 5_000 }],
  ])('counts the %s that a workspace keeps, and keeps nothing of the refusal', (_what, scene) => {
    expect(refusal({}, scene)).toEqual({ rule: 'storage', code: 'quota', asTask: false });
  });

  it('lets a task go on where the workspace keeps as many as it may, but not where it is full', () => {
    const record = task('TASK_STATE_INPUT_REQUIRED');
    expect(refusal({ continues: true }, { record, stored: 50 })).toBeUndefined();
    expect(refusal({ continues: true }, { record, bytes: 5_000 })).toMatchObject({
      rule: 'storage',
    });
  });
});

describe('busy', () => {
  const key = contextKey('demo/alice', 'demo', 'c1');
  const running = (contexts: Contexts): void => contexts.start(key, 'running', 'demo');

  it('refuses a second turn in a context, naming the running task', () => {
    const { verdict } = judge({}, { prepare: running });
    expect(verdict).toMatchObject({ refusal: { code: 'busy', details: { taskId: 'running' } } });
  });

  it('leaves other contexts and other callers alone', () => {
    expect(judge({ contextId: 'c2' }, { prepare: running }).verdict).toBeUndefined();
    expect(judge({ caller: { id: 'demo/bob', scope: 'demo' } }, { prepare: running }).verdict).toBeUndefined();
  });

  it('lets as many messages wait as the workspace allows', () => {
    expect(judge({}, { prepare: running, queue: 1 }).candidate.queue).toBe(true);
    const full = (contexts: Contexts): void => {
      running(contexts);
      contexts.enqueue(key, { cid: 'w' } as never);
    };
    expect(refusal({}, { prepare: full, queue: 1 })).toMatchObject({ code: 'busy' });
  });

  it("always lets the switchboard's own deliveries wait", () => {
    expect(judge({ surface: 'delivery' }, { prepare: running }).candidate.queue).toBe(true);
  });

  it.each(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'])('refuses a message to a task in %s', (state) => {
    expect(refusal({ continues: true }, { record: task(state) })).toMatchObject({ rule: 'busy', code: 'busy' });
  });

  it('refuses a message to a task that has ended, but not one that the task has answered before', () => {
    const record = task('TASK_STATE_COMPLETED');
    expect(refusal({ continues: true }, { record })).toMatchObject({ rule: 'busy', code: 'unsupported-operation' });
    const known = { taskId: 't1', hash: messageHash(request.message), at: 0 };
    expect(judge({ continues: true }, { record, known }).verdict).toEqual({ duplicateOf: 't1' });
  });

  it('refuses a decision that nobody waits for', () => {
    const change = { continues: true, caller: { id: 'operator', scope: 'operator' }, decision: 'approve' as const };
    expect(refusal(change, { record: task('TASK_STATE_INPUT_REQUIRED') })).toMatchObject({
      code: 'unsupported-operation',
    });
  });

  it("takes a caller's words on a task that waits for the operator", () => {
    expect(judge({ continues: true }, { record: task('TASK_STATE_AUTH_REQUIRED') }).verdict).toBeUndefined();
  });
});

describe('contexts', () => {
  it('hand over to the next waiting turn and forget withdrawn ones', () => {
    const contexts = new Contexts();
    contexts.start('k', 'a', 'demo');
    for (const cid of ['b', 'c', 'd']) contexts.enqueue('k', { cid } as never);
    contexts.withdraw('b');
    contexts.release('k', 'stranger', 'demo');
    expect(contexts.runningIn('k')).toBe('a');
    contexts.release('k', 'a', 'demo');
    expect([contexts.runningIn('k'), contexts.turnsOf('demo')]).toEqual([undefined, 0]);
    expect(contexts.nextFor('k')).toEqual({ cid: 'c' });
    contexts.withdraw('c');
    expect([contexts.nextFor('k'), contexts.waitingIn('k')]).toEqual([{ cid: 'd' }, 1]);
  });

  describe("after the product's own", () => {
    const work = { agent: 'demo', contextId: 'c1', caller: { id: 'demo/alice', scope: 'demo' } };

    it('hold up the same work while it cools down, and say for how long', () => {
      const scene = { cooldown: { demo: 30 }, cool: (cooldowns: Cooldowns) => void cooldowns.start(work, 500) };
      expect(judge({ agent: 'demo', contextId: 'c1' }, scene)).toMatchObject({
        rule: 'cooldown',
        verdict: { until: 30_500, refusal: { code: 'cooldown', details: { retryAfter: 30 } } },
      });
    });

    it('ask plugins, and refuse when a guard throws, promises or says something odd', () => {
      const failed: string[] = [];
      const guarded = (check: PromptGuard['check']) =>
        refusal(
          {},
          {
            added: [
              new AddedGuard(
                { name: 'house', check },
                { failed: (problem) => failed.push(problem), redact: (text) => text },
              ),
            ],
          },
        );
      expect(guarded(() => undefined)).toBeUndefined();
      expect(guarded(() => ({ message: 'no', code: 'quota' }))).toMatchObject({ code: 'quota' });
      expect(guarded(() => Promise.resolve() as never)).toMatchObject({ code: 'forbidden' });
      expect(guarded(() => assertFails())).toMatchObject({ code: 'forbidden' });
      expect(failed).toEqual([expect.stringContaining('house'), expect.stringContaining('boom')]);
    });
  });
});

function assertFails(): never {
  throw new Error('boom');
}

describe('the same work', () => {
  const work = (changes: Partial<Work>): Work => ({
    agent: 'demo',
    contextId: 'c1',
    caller: { id: 'demo/alice', scope: 'demo' },
    ...changes,
  });
  const blocked = (first: Partial<Work>, second: Partial<Work>, seconds: Record<string, number> = { demo: 10 }) => {
    const cooldowns = new Cooldowns(seconds);
    cooldowns.start(work(first), 0);
    return cooldowns.blockedUntil(work(second), 1) !== undefined;
  };

  it('has the same agent, skill and subject; without a subject, the same conversation of the same caller', () => {
    const bob = { id: 'demo/bob', scope: 'demo' };
    expect(blocked({}, {})).toBe(true);
    expect(blocked({}, { contextId: 'c2' })).toBe(false);
    expect(blocked({}, { caller: bob })).toBe(false);
    expect(blocked({}, { skill: 'other' })).toBe(false);
    expect(blocked({ subject: 't1' }, { subject: 't1', contextId: 'c2', caller: bob })).toBe(true);
    expect(blocked({ subject: 't1' }, { subject: 't2' })).toBe(false);
    expect(blocked({ subject: 't1' }, { subject: 't1', caller: { id: 'b/bob', scope: 'b' } })).toBe(false);
  });

  it('never cools down unless configured, and by its skill where that is', () => {
    expect(blocked({}, {}, {})).toBe(false);
    expect(blocked({ skill: 'find' }, { skill: 'find' }, { 'demo/find': 10 })).toBe(true);
    expect(blocked({}, {}, { 'demo/find': 10 })).toBe(false);
  });

  it('is refused for no longer because the clock was set back', () => {
    const cooldowns = new Cooldowns({ demo: 10 });
    cooldowns.start(work({}), 86_400_000);
    expect(cooldowns.blockedUntil(work({}), 0)).toBeUndefined();
    cooldowns.start(work({}), 0);
    expect(cooldowns.blockedUntil(work({}), 1)).toBe(10_000);
  });

  it('may be done at once when the first came to nothing', () => {
    const cooldowns = new Cooldowns({ demo: 10 });
    cooldowns.start(work({}), 0)();
    expect(cooldowns.blockedUntil(work({}), 1)).toBeUndefined();
  });
});
