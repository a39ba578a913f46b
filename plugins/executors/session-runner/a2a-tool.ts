// The tool through which a session reaches other agents: what a model gives becomes a call, and what comes back becomes
// words. Which agents a session may call is decided here; everything else is the dispatcher's.
import { basename } from 'node:path';
import type { Part } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import type { Prompt } from '../../../src/executors/contract.js';
import { replyOf, type ReplyPorts } from '../../../src/executors/reply.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Core } from '../../../src/plugin.js';
import type { RemoteAgentView } from '../../../src/remote/remote-port.js';
import { isContextId } from '../../../src/workspace/names.js';
import { mediaTypeOf } from '../../../src/media-type.js';
import type { ToolResult } from '../../../src/authoring/driver.js';
import type { FileOut } from './tools.js';

export type A2aToolCore = Pick<Core, 'calls' | 'registry' | 'remotes' | 'config' | 'clock'>;

interface A2aToolDeps {
  core: A2aToolCore;
  ports: ReplyPorts;
  prompt: Prompt;
  signal: AbortSignal;
  /** Names it may call; all when absent. */
  allowed?: readonly string[];
  readFile(path: string): FileOut;
}

const MAX_FILES = 20;
const PROBE_SECONDS = 12;

interface Sent {
  agent: string;
  text: string;
  files: string[];
  contextId?: string;
  taskId?: string;
  skill?: string;
}

/** Runs one action. A bad call, and every refusal, is a result that says so. */
export async function useA2a(args: Record<string, unknown>, deps: A2aToolDeps): Promise<ToolResult> {
  try {
    switch (args['action']) {
      case 'agents':
        return { ok: true, text: await agentsText(deps) };
      case 'send':
        return await send(sentOf(args), deps);
      case 'status':
        return told(await deps.core.calls.look(text(args, 'taskId'), deps.prompt), deps);
      case 'cancel':
        return { ...told(await deps.core.calls.cancel(text(args, 'taskId'), deps.prompt), deps), ok: true };
      default:
        return { ok: false, text: '"action" must be agents, send, status or cancel.' };
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
    return { ok: false, text: refusalText(error, args, deps) };
  }
}

async function send(sent: Sent, deps: A2aToolDeps): Promise<ToolResult> {
  const { core, prompt, signal } = deps;
  const { agent, files: paths, contextId, taskId, skill } = sent;
  if (!names(deps).includes(agent)) return { ok: false, text: unknownAgent(agent, deps) };
  if (paths.length > MAX_FILES) return { ok: false, text: `At most ${MAX_FILES} files can be sent at once.` };
  if (contextId !== undefined && !isContextId(contextId)) return { ok: false, text: '"contextId" is no valid one.' };
  const files: Extract<FileOut, { bytes: Uint8Array }>[] = [];
  for (const path of paths) {
    const file = deps.readFile(path);
    if ('problem' in file) return { ok: false, text: file.problem };
    files.push(file);
  }
  const record = await core.calls.call({
    asker: prompt,
    surface: 'tool',
    lookIn: prompt.agent,
    agent,
    parts: (put) => [
      ...(sent.text === '' ? [] : [{ text: sent.text }]),
      ...files.map(({ name, bytes }): Part => {
        const filename = basename(name);
        return { ...put(bytes), filename, mediaType: mediaTypeOf(filename) };
      }),
    ],
    seconds: core.config.followSeconds,
    signal,
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
    ...(skill !== undefined && { skill }),
  });
  return told(record, deps);
}

const told = (record: TaskRecord, { ports, prompt }: A2aToolDeps): ToolResult => replyOf(record, prompt.agent, ports);

function names({ core, prompt, allowed }: A2aToolDeps): string[] {
  const all = core.registry.list(prompt.agent).filter(({ agent }) => agent.exposed || allowed === undefined);
  const known = all.map(({ agent }) => agent.name).filter((name) => name !== prompt.agent);
  return allowed ? known.filter((name) => allowed.includes(name)) : known;
}

/** One line for each agent, as found now. */
async function agentsText(deps: A2aToolDeps): Promise<string> {
  const { core, prompt, signal } = deps;
  const late = new AbortController();
  const stop = core.clock.after(PROBE_SECONDS * 1000, () => late.abort());
  const views = await core.remotes.probe(prompt.agent, { signal: AbortSignal.any([signal, late.signal]) });
  stop();
  const usable = names(deps);
  const lines = core.registry.list(prompt.agent).flatMap(({ agent, executor }) => {
    if (!usable.includes(agent.name)) return [];
    const listed = executor.name === 'a2a-home-executor' ? 'home' : 'workspace';
    const view = views.find((one) => one.name === agent.name && one.listed === listed);
    const about = [
      agent.kind === 'remote' && view ? reached(view) : 'here',
      ...(agent.description ? [agent.description] : []),
      ...(agent.skills.length > 0 ? [`skills: ${agent.skills.map(({ id }) => id).join(', ')}`] : []),
    ];
    return [`- ${agent.name}: ${about.join('; ')}`];
  });
  const unreadable = core.remotes.unreadable(prompt.agent);
  const problem = unreadable === undefined ? [] : [`Beware: ${unreadable}; these are the agents that were read last.`];
  return [...(lines.length > 0 ? lines : ['No agents are configured.']), ...problem].join('\n');
}

function reached({ reachable, protocols = [], bindings = [], problem }: RemoteAgentView): string {
  const how = protocols.length > 0 ? ` (A2A ${protocols.join(', ')} over ${bindings.join(', ')})` : '';
  const state = { yes: 'reachable', no: 'not reachable', unknown: 'not asked yet' }[reachable];
  return `${state}${how}${problem === undefined ? '' : `, last problem: ${problem}`}`;
}

function refusalText({ code, message, details }: AppError, args: Record<string, unknown>, deps: A2aToolDeps): string {
  const agent = typeof args['agent'] === 'string' ? args['agent'] : 'The agent';
  if (code === 'agent-not-found') return unknownAgent(agent, deps);
  if (code !== 'busy') return message;
  return `${agent} is still busy in this conversation: task ${details.taskId ?? ''}. Its result arrives by itself.`;
}

function unknownAgent(agent: string, deps: A2aToolDeps): string {
  const unreadable = deps.core.remotes.unreadable(deps.prompt.agent);
  const known = names(deps);
  const others = known.length > 0 ? `You can call: ${known.join(', ')}.` : 'You can call none.';
  const why = unreadable === undefined ? '' : ` ${unreadable}.`;
  return `There is no agent ${JSON.stringify(agent.slice(0, 60))} that you can call. ${others}${why}`;
}

function sentOf(args: Record<string, unknown>): Sent {
  const files = args['files'] ?? [];
  if (!Array.isArray(files) || !files.every((file) => typeof file === 'string')) throw bad('files', 'a list of paths');
  const words = args['text'] ?? '';
  if (typeof words !== 'string') throw bad('text', 'a text');
  if (words.trim() === '' && files.length === 0) throw bad('text', 'a text');
  const optional = (name: string): string | undefined => (given(args, name) ? text(args, name) : undefined);
  const [contextId, taskId, skill] = [optional('contextId'), optional('taskId'), optional('skill')];
  return {
    agent: text(args, 'agent'),
    text: words,
    files,
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
    ...(skill !== undefined && { skill }),
  };
}

/** Models fill in what they leave out as null or as an empty text. */
const given = (args: Record<string, unknown>, name: string): boolean =>
  args[name] !== undefined && args[name] !== null && args[name] !== '';

function text(args: Record<string, unknown>, name: string): string {
  const value = args[name];
  if (typeof value !== 'string' || value.trim() === '') throw bad(name, 'a text');
  return value;
}

const bad = (name: string, what: string): AppError => new AppError('invalid-params', `"${name}" must be ${what}.`);
