// Where a script goes on after an answer. Pure: everything follows from the directives and the answers so far, so that
// a script survives a restart in the middle.
import type { Answer } from '../../../../../src/ledger/records.js';
import type { Directive } from './parse.js';

interface Plan {
  /** The answer that this turn reacts to. */
  answer?: Answer;
  /** Directives still to be done. */
  remaining: readonly Directive[];
}

/**
 * Each answer belongs to the next question of its kind: `ask` is answered by the caller, `auth` by the operator. An
 * answer to a question that the script never asked moves nothing.
 */
export function planTurn(directives: readonly Directive[], answers: readonly Answer[]): Plan {
  let next = 0;
  for (const answer of answers) {
    const kind = answer.from === 'caller' ? 'ask' : 'auth';
    const question = directives.findIndex(
      (directive, index) => index >= next && (directive.do === 'ask' || directive.do === 'auth'),
    );
    if (directives[question]?.do === kind) next = question + 1;
  }
  return { answer: answers.at(-1), remaining: directives.slice(next) };
}

/** True when the operator's recorded decision grants what was asked. */
export const isApproval = (answer: Answer): boolean => /^approved?$/i.test(answer.answer.trim());
