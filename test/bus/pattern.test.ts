// Topic patterns follow the rules of NATS.
import fc from 'fast-check';
import { isPattern, matches } from '../../src/bus/pattern.js';

describe('matches', () => {
  it.each([
    ['agent.outcome', 'agent.outcome', true],
    ['agent.outcome', 'agent.outcomes', false],
    ['agent.outcome', 'agent', false],
    ['agent', 'agent.outcome', false],
    ['agent.*', 'agent.outcome', true],
    ['agent.*', 'agent', false],
    ['agent.*', 'agent.prompt.request', false],
    ['*.outcome', 'agent.outcome', true],
    ['*', 'agent', true],
    ['*', 'agent.outcome', false],
    ['*.*', 'agent.outcome', true],
    ['agent.*.response.*', 'agent.prompt.response.c1', true],
    ['agent.*.response.*', 'agent.prompt.progress.c1', false],
    ['agent.>', 'agent.outcome', true],
    ['agent.>', 'agent.prompt.input.request.c1', true],
    ['agent.>', 'agent', false],
    ['agent.>', 'agents.outcome', false],
    ['>', 'agent', true],
    ['>', 'agent.prompt.response.c1', true],
    ['*.>', 'agent', false],
    ['*.>', 'agent.outcome', true],
    ['agent.*.>', 'agent.prompt', false],
    ['agent.*.>', 'agent.prompt.response.c1', true],
  ])('%s against %s is %s', (pattern, topic, expected) => {
    expect(matches(pattern, topic)).toBe(expected);
  });

  // A small alphabet, dots and wildcards included, so that hits and near misses are frequent.
  const name = fc.stringMatching(/^[ab$^(\\+]{1,2}$/);
  const topic = fc.array(name, { minLength: 1, maxLength: 5 }).map((segments) => segments.join('.'));
  const pattern = fc
    .tuple(fc.array(fc.oneof(name, fc.constant('*')), { maxLength: 4 }), fc.oneof(name, fc.constantFrom('*', '>')))
    .map(([head, last]) => [...head, last].join('.'));

  const reference = (wanted: string): RegExp => {
    const segments = wanted.split('.').map((segment) => {
      if (segment === '*') return '[^.]+';
      if (segment === '>') return '.+';
      return segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    });
    return new RegExp(`^${segments.join('\\.')}$`, 's');
  };

  it('agrees with a regular expression for any well-formed pattern and topic', () => {
    fc.assert(
      fc.property(pattern, topic, (wanted, actual) => matches(wanted, actual) === reference(wanted).test(actual)),
      { numRuns: 2_000 },
    );
  });

  it('lets every topic match itself, `>`, and itself with any segments starred', () => {
    fc.assert(
      fc.property(topic, fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }), (actual, stars) => {
        const starred = actual.split('.').map((segment, i) => (stars[i] ? '*' : segment));
        return matches(actual, actual) && matches('>', actual) && matches(starred.join('.'), actual);
      }),
    );
  });
});

describe('isPattern', () => {
  it.each(['a', 'a.b', '*', '>', 'a.*', 'a.*.c', 'a.>', '*.>', 'agent.prompt.progress.3f-2_x'])('accepts %s', (text) =>
    expect(isPattern(text)).toBe(true),
  );

  it.each(['', '.', 'a.', '.a', 'a..b', '>.a', 'a.>.b', 'a*', '*a', 'a.b>', 'a b', 'a.\n', '**', '>>'])(
    'refuses %j',
    (text) => expect(isPattern(text)).toBe(false),
  );
});
