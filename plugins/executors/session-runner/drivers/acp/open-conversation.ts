// From a started agent to a conversation with it: what it can do is looked at, the remembered conversation is taken up
// again where that works, else a new one begins; then the owner's choice of model and mode.
import * as acp from '@agentclientprotocol/sdk';
import { RunFailure } from '../../../../../src/executors/contract.js';
import type { Logger } from '../../../../../src/log.js';
import type { AcpSettings } from '../../../../../src/workspace/driver-settings.js';
import type { AgentConnection } from './agent-connection.js';
import { agentFailure } from './agent-failure.js';
import { isObject } from '../../../../../src/read-json.js';
import { textAt } from './text-at.js';

interface Abilities {
  takes: acp.PromptCapabilities;
  loads: boolean;
  resumes: boolean;
  /** Whether it can be given tools over HTTP. */
  http: boolean;
}

interface Conversation {
  sessionId: string;
  /** False for a new one: then the agent has to be told what was said before. */
  remembers: boolean;
}

/** Seconds an agent has for each step; the first ones are slow on a busy machine. */
const STEP_SECONDS = 60;
const CLIENT = { protocolVersion: acp.PROTOCOL_VERSION, clientInfo: { name: 'a2a-switchboard', version: '1' } };

/** Throws a RunFailure when the agent speaks another version of the protocol. */
export async function greet(connection: AgentConnection, signal: AbortSignal): Promise<Abilities> {
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
  const answer = await connection.ask(
    'initialize',
    { ...CLIENT, clientCapabilities },
    { seconds: STEP_SECONDS, signal },
  );
  if (answer.protocolVersion !== acp.PROTOCOL_VERSION) {
    const version = JSON.stringify(answer.protocolVersion)?.slice(0, 20);
    throw new RunFailure(
      `The agent speaks version ${version} of the Agent Client Protocol; here it is ${acp.PROTOCOL_VERSION}.`,
      'agent-protocol',
    );
  }
  const can = objectAt(answer, 'agentCapabilities');
  const prompts = objectAt(can, 'promptCapabilities');
  const flag = (member: string): boolean => prompts[member] === true;
  return {
    takes: { image: flag('image'), audio: flag('audio'), embeddedContext: flag('embeddedContext') },
    loads: can.loadSession === true,
    resumes: isObject(objectAt(can, 'sessionCapabilities').resume),
    http: objectAt(can, 'mcpCapabilities').http === true,
  };
}

interface ConversationOptions {
  abilities: Abilities;
  settings: AcpSettings;
  cwd: string;
  mcpServers: acp.McpServer[];
  /** The agent's id of the conversation, if it had one. */
  remembered: string | undefined;
  log: Logger;
  signal: AbortSignal;
}

export async function openConversation(
  connection: AgentConnection,
  options: ConversationOptions,
): Promise<Conversation> {
  const { conversation, offered } = (await takeUp(connection, options)) ?? (await begin(connection, options));
  await choose(connection, conversation.sessionId, offered, options);
  return conversation;
}

interface Begun {
  conversation: Conversation;
  /** What the agent said of its models and modes. */
  offered: Record<string, unknown>;
}

/** Undefined when there is nothing to take up, or the agent has lost it. */
async function takeUp(connection: AgentConnection, options: ConversationOptions): Promise<Begun | undefined> {
  const { abilities, remembered: sessionId, cwd, mcpServers, log, signal } = options;
  if (sessionId === undefined || !(abilities.resumes || abilities.loads)) return undefined;
  const method = abilities.resumes ? 'session/resume' : 'session/load';
  try {
    const params = { sessionId, cwd, mcpServers };
    const offered = await connection.ask(method, params, { seconds: STEP_SECONDS, signal });
    return { conversation: { sessionId, remembers: true }, offered };
  } catch (error) {
    if (!(error instanceof acp.RequestError)) throw error;
    log.warn({ reason: error.message }, 'the agent does not know the conversation any more; a new one begins');
    return undefined;
  }
}

async function begin(connection: AgentConnection, options: ConversationOptions): Promise<Begun> {
  const { cwd, mcpServers, signal } = options;
  const offered = await connection.ask('session/new', { cwd, mcpServers }, { seconds: STEP_SECONDS, signal });
  const sessionId = textAt(offered, 'sessionId');
  if (sessionId === undefined) throw new RunFailure('The agent opened a session without an id.', 'agent-protocol');
  return { conversation: { sessionId, remembers: false }, offered };
}

/** Model and mode by the agent's options where it has them; modes also the older way. */
async function choose(
  connection: AgentConnection,
  sessionId: string,
  offered: Record<string, unknown>,
  { settings, signal }: ConversationOptions,
): Promise<void> {
  const options = Array.isArray(offered.configOptions) ? offered.configOptions.filter(isObject) : [];
  const optionFor = (what: string): string | undefined =>
    textAt(options.find(({ id, category }) => id === what || category === what) ?? {}, 'id');
  const limits = { seconds: STEP_SECONDS, signal };
  for (const what of ['model', 'mode'] as const) {
    const value = settings[what];
    if (value === undefined) continue;
    const configId = optionFor(what);
    try {
      if (configId === undefined && what === 'mode' && isObject(offered.modes)) {
        await connection.ask('session/set_mode', { sessionId, modeId: value }, limits);
      } else {
        await connection.ask('session/set_config_option', { sessionId, configId: configId ?? what, value }, limits);
      }
    } catch (error) {
      if (!(error instanceof acp.RequestError)) throw error;
      const why = agentFailure(error).text;
      throw new RunFailure(`The agent does not take the ${what} "${value}". ${why}`, 'driver-settings');
    }
  }
}

function objectAt(value: Record<string, unknown>, member: string): Record<string, unknown> {
  const found = value[member];
  return isObject(found) ? found : {};
}
