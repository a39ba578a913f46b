// `.a2a/script.json`: what a workspace answers to texts that are no directives. Patterns are text with `*` for any run
// of characters, not regular expressions: matching can't be made to take more than (pattern length x text length).
import { RunFailure } from '../../../../../src/executors/contract.js';
import { readJson } from '../../../../../src/read-json.js';
import { parseDirectives, type Directive } from './parse.js';

export const SCRIPT_FILE = 'script.json';
const SCRIPT_VERSION = 1;

interface Rule {
  /** The literal pieces between the stars, in lower case. */
  pieces: string[];
  reply: Directive[];
}
export type Script = readonly Rule[];

/**
 * Reads `{v: 1, rules: [{match, reply}]}`, or a bare array of rules. `reply` is a list of directives. Throws a
 * RunFailure that says what is wrong.
 */
export function readScript(text: string): Script {
  const reading = readJson(text);
  if ('fault' in reading) throw malformed(`it is ${reading.fault}`);
  return rulesOf(reading.value).map((rule, index) => readRule(rule, `rule ${index + 1}`));
}

/** The directives of the first rule whose pattern fits the whole text, ignoring case and outer white space. */
export function replyTo(script: Script, text: string): Directive[] | undefined {
  const said = text.trim().toLowerCase();
  return script.find((rule) => fits(rule.pieces, said))?.reply;
}

function rulesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) throw malformed('it is neither an object nor a list of rules');
  const { v = SCRIPT_VERSION, rules } = value as { v?: unknown; rules?: unknown };
  if (v !== SCRIPT_VERSION)
    throw malformed(`version ${String(v)} is not known here; this is version ${SCRIPT_VERSION}`);
  if (!Array.isArray(rules)) throw malformed('"rules" is not a list');
  return rules;
}

function readRule(rule: unknown, where: string): Rule {
  const { match, reply } = (rule ?? {}) as { match?: unknown; reply?: unknown };
  if (typeof match !== 'string' || match.trim() === '') throw malformed(`${where} has no text in "match"`);
  if (/^\/.+\/[a-z]*$/.test(match)) throw malformed(`${where}: "match" is text with *, not a regular expression`);
  if (typeof reply !== 'string') throw malformed(`${where} has no text in "reply"`);
  const directives = parseDirectives(reply);
  if (!directives) throw malformed(`${where}: "reply" is not a list of directives, e.g. "say hello; ask your name?"`);
  return { pieces: match.trim().toLowerCase().split('*'), reply: directives };
}

/** True when the text is the pieces in order with anything between them. Taking the leftmost place of each is enough. */
function fits(pieces: readonly string[], text: string): boolean {
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

const malformed = (problem: string): RunFailure => new RunFailure(`${SCRIPT_FILE}: ${problem}`, 'script-malformed');
