// Whether an agent's definition can be used, in words for its author; and what others see of it.
import type { AgentDefinition } from '../../../src/authoring/agent-definition.js';
import { errorText } from '../../../src/errors.js';
import type { AgentInfo } from '../../../src/executors/contract.js';
import type { Adder } from '../../../src/extensions.js';
import { nameProblem } from '../../../src/workspace/names.js';

const MEMBERS = ['name', 'description', 'skills', 'exposed', 'replies', 'approval', 'run'];

/** Throws an Error that says what is wrong. Authors in JavaScript have no compiler to tell them. */
export function checkDefinition(definition: AgentDefinition): void {
  if (typeof definition !== 'object' || definition === null) throw new Error('an agent must be an object');
  const { name, description, skills = [], exposed = true, replies, run } = definition as Partial<AgentDefinition>;
  const problem = typeof name === 'string' ? nameProblem(name) : 'must be a text';
  if (problem !== undefined) throw new Error(`the name of an agent ${problem}`);
  const wrong = (what: string): Error => new Error(`agent ${name}: ${what}`);
  // A misspelt `approval` would let everything pass.
  const unknown = Object.keys(definition).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) throw wrong(`there is no member ${unknown}; there are ${MEMBERS.join(', ')}`);
  if (typeof description !== 'string') throw wrong('description must be a text');
  if (typeof run !== 'function') throw wrong('run must be a function');
  if (typeof exposed !== 'boolean') throw wrong('exposed must be true or false');
  if (![undefined, 'task', 'message'].includes(replies as string | undefined) && typeof replies !== 'function') {
    throw wrong("replies must be 'task', 'message' or a function that says which");
  }
  if (!Array.isArray(skills) || !skills.every(isSkill)) {
    throw wrong(
      'skills must be a list of objects with an id, and perhaps name, description, and tags and examples as lists',
    );
  }
  const approval = 'approval' in definition ? (definition.approval ?? []) : [];
  if (!Array.isArray(approval)) throw wrong('approval must be a list of skills');
  if (approval.length > 0 && replies !== undefined && replies !== 'task') {
    throw wrong('one that replies with a message can wait for nobody');
  }
  const offered = new Set(['*', ...skills.map(({ id }) => id)]);
  const missing = (approval as string[]).find((skill) => !offered.has(skill));
  if (missing !== undefined) throw wrong(`approval names the skill ${missing}, which it does not offer`);
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/** A single text in place of a list would be taken apart into its characters. */
function isSkill(skill: unknown): boolean {
  const { id, name = '', description = '', tags = [], examples = [] } = (skill ?? {}) as Record<string, unknown>;
  return id !== '' && [id, name, description].every(isText) && [tags, examples].every(isTexts);
}

/** `by` is told when its function can't say how it replies. */
export function infoOf(definition: AgentDefinition, by: Pick<Adder, 'failed'>): AgentInfo {
  const { name, description, exposed = true, skills = [], replies } = definition;
  const approval = 'approval' in definition ? definition.approval : undefined;
  return {
    name,
    kind: 'plugin',
    description,
    exposed,
    skills: skills.map(({ id, name: title = id, description: does = title, tags = [], examples }) => ({
      id,
      name: title,
      description: does,
      tags: [...tags],
      ...(examples && { examples: [...examples] }),
    })),
    ...(replies === 'message' && { replies }),
    ...(typeof replies === 'function' && { replies: safely(replies.bind(definition), name, by) }),
    ...(approval && { approval: [...approval] }),
  };
}

type Decide = Exclude<AgentInfo['replies'], string | undefined>;

/** Whoever can't say how it replies to a message makes a task of it: a caller can always follow that. */
const safely =
  (decide: Decide, name: string, by: Pick<Adder, 'failed'>): Decide =>
  (opening) => {
    try {
      const decided: unknown = decide(structuredClone(opening));
      if (decided === 'message' || decided === 'task') return decided;
      // What it says too late is nobody's.
      void Promise.resolve(decided).catch(() => undefined);
      throw new Error("it must return 'message' or 'task', and at once");
    } catch (error) {
      by.failed(`its agent ${name} could not say how it replies: ${errorText(error)}`, error);
      return 'task';
    }
  };
