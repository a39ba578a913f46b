import fc from 'fast-check';
import { jsonFault } from '../src/json-fault.js';

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('jsonFault', () => {
  it('finds no fault in any JSON', () => {
    fc.assert(fc.property(fc.json(), (text) => jsonFault(text) === undefined && jsonFault(` ${text}\n`) === undefined));
  });

  it('agrees with JSON.parse about damaged JSON', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '}', ']', '"', '\\', 'x', '0', ':', '\n'),
        (text, at, junk) => {
          const where = at % (text.length + 1);
          const damaged = text.slice(0, where) + junk + text.slice(where + 1);
          expect(jsonFault(damaged) === undefined).toBe(parses(damaged));
        },
      ),
    );
  });

  it('survives nesting of any depth', () => {
    expect(jsonFault('['.repeat(100_000))).toEqual({ line: 1, column: 100_001 });
  });
});
