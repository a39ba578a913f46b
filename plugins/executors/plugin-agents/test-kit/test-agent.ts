// Runs one agent without a switchboard around it: the real executor and host on a bus of its own, with tasks in memory. What
// a test sees is what a caller would.
import { isSettled, shortState, textOf, type Message, type StreamEvent } from '../../../../src/a2a-model.js';
import type { AgentDefinition, AgentPart } from '../../../../src/authoring/agent-definition.js';
import { CallFailure } from '../../../../src/authoring/call-failure.js';
import { Bus } from '../../../../src/bus/bus.js';
import type { CallerRef } from '../../../../src/bus/topics.js';
import { createCapabilities } from '../../../../src/capabilities.js';
import { randomId, systemClock } from '../../../../src/clock.js';
import { repliesDirectly } from '../../../../src/executors/contract.js';
import { ExecutorHost, HOST_DECLARATION } from '../../../../src/executors/host.js';
import { ExecutorRegistry } from '../../../../src/executors/registry.js';
import type { TaskRecord } from '../../../../src/ledger/records.js';
import { outsideBus } from '../../../../src/installation/outside-bus.js';
import { LEDGER_DECLARATION } from '../../../../src/ledger/bus-events.js';
import { RESPONSE_ARTIFACT } from '../../../../src/ledger/spoken-answer.js';
import { silentLogger } from '../../../../src/log.js';
import { Secrets } from '../../../../src/secrets/secrets.js';
import type { Plugin, PluginContext } from '../../../../src/plugin.js';
import { AgentExecutor } from '../agent-executor.js';
import { partsOf } from '../agent-parts.js';
import type { Calls } from '../agent-run.js';
import { authorPlace } from './author-place.js';
import { MemoryBlobs, MemoryLedger } from './memory-ledger.js';

/** A task as it stands when it has ended or waits. */
export interface TestTask {
  state: string;
  /** What the agent said, or why it failed. */
  text: string;
  /** What it asks, while it waits. */
  question?: string;
  /** Files and data by name; a file's bytes as a Buffer, data as they are. */
  artifacts: Record<string, unknown>;
  /** All that a stream of the task has shown so far. */
  events: StreamEvent[];
  /** What the plugin did wrong, in words. */
  faults: string[];
  /** Answers the question. */
  answer(message: string | AgentPart[]): Promise<TestTask>;
  approve(): Promise<TestTask>;
  decline(): Promise<TestTask>;
}

export interface TestOptions {
  caller?: CallerRef;
  /** Agents that this one may call, by name: each answers a text with a text. */
  agents?: Record<string, (message: string) => string | Promise<string>>;
  settings?: Record<string, unknown>;
  /** Values of the variables that the plugin needs. */
  env?: Record<string, string>;
}

export interface AgentBench {
  /** Sends a message and waits until its task has ended or waits for somebody. */
  send(message: string | AgentPart[], options?: { skill?: string; contextId?: string }): Promise<TestTask>;
}

const CALLER: CallerRef = { id: 'demo/tester', scope: 'demo' };
const DEADLINE_MS = 10_000;

/** A bench for the one agent that the plugin adds. Throws when it adds none, or one that is not usable. */
export async function testAgent(plugin: Plugin, options: TestOptions = {}): Promise<AgentBench> {
  const log = silentLogger();
  const bus = new Bus({ clock: systemClock, log, boot: 'test' });
  const blobs = new MemoryBlobs();
  const waiting = new Map<string, () => void>();
  const ledger = new MemoryLedger(bus.join(LEDGER_DECLARATION), systemClock.now, ({ task }) => {
    if (isSettled(task.status.state)) waiting.get(task.id)?.();
  });
  const faults: string[] = [];
  const registry = new ExecutorRegistry(log);
  const core = { blobs, ledger, registry, secrets: new Secrets(), config: { maxPartBytes: 10 * 1024 * 1024 } };
  const executor = new AgentExecutor({ core: core as never, log, calls: fakeCalls(options.agents ?? {}) });
  registry.register(executor);
  new ExecutorHost({
    bus: bus.join(HOST_DECLARATION),
    registry,
    ledger,
    clock: systemClock,
    newId: randomId,
    log,
    redact: (text) => text,
    turnDeadlineMs: DEADLINE_MS,
  });
  const { consumes = [], observes = [], produces = [] } = plugin as Partial<Plugin>;
  const own = bus.join({ name: `plugin ${plugin.name}`, consumes, observes, produces });
  const { handle } = outsideBus(own, (problem) => void faults.push(problem));
  const agent = await agentOf(plugin, options, handle);
  executor.add(agent, {
    plugin: plugin.name,
    failed: (problem, thrown) => void faults.push(problem + authorPlace(thrown)),
  });
  const dispatcher = bus.join({
    name: 'dispatcher',
    consumes: [],
    observes: [],
    produces: ['agent.prompt.assigned'] as const,
  });
  const { caller = CALLER } = options;

  const run = async (record: TaskRecord): Promise<TestTask> => {
    const { task, envelope } = record;
    const { turn, skill } = envelope;
    const settled = new Promise<void>((resolve) => waiting.set(task.id, resolve));
    dispatcher.publish('agent.prompt.assigned', {
      cid: task.id,
      turn,
      executor: executor.name,
      agent: agent.name,
      reason: 'named',
      contextId: task.contextId,
      caller,
      chain: [],
      ...(skill !== undefined && { skill }),
    });
    await settled;
    await bus.drain();
    return show(task.id);
  };
  const say = (message: string | AgentPart[]): Message => {
    const parts = partsOf(message, (bytes) => blobs.put(caller.scope, bytes));
    return { messageId: randomId(), role: 'ROLE_USER', parts };
  };
  const decide = (taskId: string, decision: 'approve' | 'decline'): Promise<TestTask> =>
    run(ledger.resume({ taskId, requestId: randomId(), step: { decision } }));

  const show = (taskId: string): TestTask => {
    const { task, envelope } = ledger.get(taskId) as TaskRecord;
    const { state, message } = task.status;
    const response = task.artifacts.find(({ artifactId }) => artifactId === RESPONSE_ARTIFACT);
    return {
      state: shortState(state),
      text: envelope.error?.text ?? textOf(response?.parts ?? []),
      ...(envelope.question && { question: textOf(message?.parts ?? []) }),
      artifacts: Object.fromEntries(
        task.artifacts.flatMap(({ artifactId, name = artifactId, parts: [part] }) =>
          artifactId === RESPONSE_ARTIFACT || !part ? [] : [[name, contentOf(part, blobs)]],
        ),
      ),
      events: ledger.updates.flatMap((update) => (update.taskId === taskId && update.event ? [update.event] : [])),
      faults: [...faults],
      answer: (message) =>
        run(ledger.resume({ taskId, requestId: randomId(), step: { message: say(message), start: true } })),
      approve: () => decide(taskId, 'approve'),
      decline: () => decide(taskId, 'decline'),
    };
  };

  return {
    send: (message, { skill, contextId = randomId() } = {}) => {
      const opening = say(message);
      return run(
        ledger.create({
          taskId: randomId(),
          requestId: randomId(),
          contextId,
          caller,
          agent: agent.name,
          executor: executor.name,
          message: opening,
          start: true,
          surface: 'a2a',
          chain: [],
          ...(repliesDirectly(executor.find(agent.name) ?? {}, opening) && { direct: true }),
          ...(skill !== undefined && { skill }),
        }),
      );
    },
  };
}

function contentOf(part: object, blobs: MemoryBlobs): unknown {
  if ('blob' in part) return blobs.read('', String(part.blob));
  return 'data' in part ? part.data : (part as { text?: unknown }).text;
}

/** Installs the plugin on a context that takes agents, and has a bus on which their tasks are seen. */
async function agentOf(
  plugin: Plugin,
  { settings = {}, env = {} }: TestOptions,
  bus: ReturnType<typeof outsideBus>['handle'],
): Promise<AgentDefinition> {
  const added: AgentDefinition[] = [];
  const context = {
    bus,
    core: absentCore(),
    log: silentLogger(),
    settings,
    env: (name: string) => {
      const value = env[name];
      if (value === undefined) throw new Error(`the test gives no value for ${name}`);
      return value;
    },
    add: (kind: string, value: unknown) => {
      if (kind === 'agent') added.push(value as AgentDefinition);
    },
    routes: () => undefined,
    mount: () => undefined,
  };
  await plugin.install(context as unknown as PluginContext<never, never>);
  const [agent, ...more] = added;
  if (agent && more.length === 0) return agent;
  throw new Error(`the plugin ${plugin.name} adds ${added.length} agents; this tests plugins with one`);
}

/** Of the core there is what a plugin without a server can use. */
function absentCore(): object {
  const there = { clock: systemClock, newId: randomId, log: silentLogger(), capabilities: createCapabilities() };
  return new Proxy(there, {
    get(target, name) {
      if (Object.hasOwn(target, name) || typeof name === 'symbol') return Reflect.get(target, name) as unknown;
      throw new Error(`the test kit has no core.${name}: that part needs a server`);
    },
  });
}

function fakeCalls(agents: NonNullable<TestOptions['agents']>): Calls {
  return {
    async call(_from, agent, message, { contextId = randomId(), taskId = randomId() }) {
      const answer = agents[agent];
      if (!answer) throw new CallFailure(`${agent}: There is no such agent.`, agent, 'refused');
      const words = typeof message === 'string' ? message : textOf(partsOf(message, () => ({ blob: '', size: 0 })));
      const text = await answer(words);
      return { taskId, contextId, state: 'completed', text, parts: [{ text }], artifacts: [] };
    },
  };
}
