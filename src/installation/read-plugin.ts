// Whether what a module exports is a plugin, in words for its author.
import type { Needs, Plugin } from '../plugin.js';
import { nameProblem } from '../workspace/names.js';
import { declarationProblem } from './outside-topics.js';

const LISTS = ['consumes', 'observes', 'produces'] as const;
const NEEDS = ['plugins', 'capabilities', 'config', 'env'] as const;

/** Throws an Error that says what is wrong. */
export function readPlugin(value: unknown): Plugin {
  if (typeof value !== 'object' || value === null || !('install' in value)) {
    throw new Error('its default export must be what definePlugin or defineAgent returns');
  }
  const given = value as Partial<Plugin>;
  const problem = typeof given.name === 'string' ? nameProblem(given.name) : 'must be a text';
  if (problem !== undefined) throw new Error(`its name ${problem}`);
  if (typeof given.install !== 'function') throw new Error('its install must be a function');
  const [consumes, observes, produces] = LISTS.map((list) => texts(list, given[list])) as [
    string[],
    string[],
    string[],
  ];
  const declared = declarationProblem({ consumes, observes, produces });
  if (declared !== undefined) throw new Error(declared);
  const needs = needsOf(given.needs ?? {});
  // Its own `this`, since an author may use it.
  return Object.assign(Object.create(given) as Plugin, { consumes, observes, produces, needs });
}

function needsOf(given: Needs): Needs {
  if (typeof given !== 'object' || Array.isArray(given))
    throw new Error(`needs must be an object with ${NEEDS.join(', ')}`);
  const unknown = Object.keys(given).find((need) => !NEEDS.some((known) => known === need));
  if (unknown !== undefined) throw new Error(`needs has no member ${unknown}; there are ${NEEDS.join(', ')}`);
  return Object.fromEntries(NEEDS.map((need) => [need, texts(`needs.${need}`, given[need])]));
}

function texts(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value as string[];
  throw new Error(`${name} must be a list of texts`);
}
