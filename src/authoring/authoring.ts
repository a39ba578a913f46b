// What plugins import as `a2a-switchboard`: the same objects that the switchboard itself uses.
export {
  definePlugin,
  type Audience,
  type Core,
  type Installed,
  type Needs,
  type Plugin,
  type PluginContext,
} from '../plugin.js';
export { defineAgent } from './define-agent.js';
export { CallFailure } from './call-failure.js';
export type {
  AgentAnswer,
  AgentArtifact,
  AgentDefinition,
  AgentHandle,
  AgentPart,
  AgentPrompt,
  CallOptions,
  CallResult,
  MessageAgent,
  ReceivedPart,
  SkillDefinition,
  ChoosingAgent,
  TaskAgent,
  WorkHandle,
} from './agent-definition.js';
export type {
  Attachment,
  Driver,
  DriverContext,
  DriverEvent,
  DriverSession,
  DriverTurn,
  Frame,
  ToolDeclaration,
  ToolResult,
  TurnEnd,
} from './driver.js';
export { AppError, type ErrorCode } from '../errors.js';
export {
  RunFailure,
  type AgentInfo,
  type Executor,
  type Prompt,
  type RunHandle,
  type RunOutcome,
} from '../executors/contract.js';
export type { GuardedPrompt, PromptGuard, PromptRefusal } from '../executors/prompt-guard.js';
export type { Authenticator } from '../http/authenticator.js';
export type { ExtensionKinds } from '../extensions.js';
export type { Config } from '../config.js';
export type { Artifact, Message, Part, Task, TaskState } from '../a2a-model.js';
export type { BusHandle } from '../bus/bus.js';
export type { CallerRef, Hop, Surface, TopicKind, TopicMap, Usage } from '../bus/topics.js';
export type { Capability } from '../capabilities.js';
export type { Answer } from '../ledger/records.js';
