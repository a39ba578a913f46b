// The library's door: the same switchboard inside another program, and what plugin authors import.
export { createSwitchboard, type Switchboard, type SwitchboardOptions } from './main.js';
export { definePlugin, type Core, type Plugin, type PluginContext } from './plugin.js';
export { AppError, type ErrorCode } from './errors.js';
export {
  RunFailure,
  type AgentInfo,
  type Executor,
  type Prompt,
  type RunHandle,
  type RunOutcome,
} from './executors/contract.js';
export type { Config } from './config.js';
export type { Artifact, Message, Part, Task, TaskState } from './a2a-model.js';
export type { TopicKind, TopicMap } from './bus/topics.js';
