// A plugin that is one agent and nothing else: the shortest there is.
import { definePlugin, type Needs, type Plugin } from '../plugin.js';
import type { ChoosingAgent, MessageAgent, TaskAgent } from './agent-definition.js';

/** A plugin of the agent's name. */
export function defineAgent(agent: MessageAgent & { needs?: Needs }): Plugin;
export function defineAgent(agent: ChoosingAgent & { needs?: Needs }): Plugin;
export function defineAgent(agent: TaskAgent & { needs?: Needs }): Plugin;
export function defineAgent(definition: (TaskAgent | MessageAgent | ChoosingAgent) & { needs?: Needs }): Plugin {
  // Who writes JavaScript has no compiler to say so.
  if (typeof definition !== 'object' || definition === null) throw new Error('defineAgent takes an object');
  const { needs, ...agent } = definition;
  return definePlugin({
    name: agent.name,
    ...(needs && { needs }),
    install: ({ add }) => add('agent', agent),
  });
}
