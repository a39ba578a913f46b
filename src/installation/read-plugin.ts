// Whether what a module exports is a plugin, in words for its author.
import type { Needs, Plugin } from '../plugin.js';
import { nameProblem } from '../workspace/names.js';
import { declarationProblem } from './outside-topics.js';

const LISTS = ['consumes', 'observes', 'produces'] as const;
const NEEDS = ['plugins', 'capabilities', 'config', 'env'] as const;

/** Throws an Error that says what is wrong. */
export function readPlugin(value: unknown): Plugin {
  if (typeof value !== 'object' || value === null) {
    throw new Error('its default export must be what definePlugin or defineAgent returns');
  }
  const given = value as Partial<Plugin>;
  const problem = typeof given.name === 'string' ? nameProblem(given.name) : 'must be a text';
  if (problem !== undefined) throw new Error(`its name ${problem}`);
  if (typeof given.install !== 'function') throw new Error('it has no function install');
  const [consumes, observes, produces] = LISTS.map((list) => texts(list, given[list])) as [
    string[],
    string[],
    string[],
  ];
  const declared = declarationProblem({ consumes, observes, produces });
  if (declared !== undefined) throw new Error(declared);
  const needs = Object.fromEntries(NEEDS.map((need) => [need, texts(`needs.${need}`, given.needs?.[need])])) as Needs;
  // Its own `this`, since an author may use it.
  return Object.assign(Object.create(given) as Plugin, { consumes, observes, produces, needs });
}

function texts(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value as string[];
  throw new Error(`${name} must be a list of texts`);
}
