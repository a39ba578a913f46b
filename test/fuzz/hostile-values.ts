// Values that break careless code, as generators. Some can't be said in JavaScript: those stand in the JSON text through
// a token that `hostileJson` replaces.
import fc from 'fast-check';

const DEEP = 10_000;

/** JSON text that no JavaScript value stands for. */
const RAW_JSON = [
  '9007199254740993',
  '-9007199254740993',
  '123456789012345678901234567890',
  '1e999',
  '-1e999',
  '1E400',
  '0.1e-400',
  '-0',
  '01',
  '+1',
  '.5',
  '0x10',
  'NaN',
  'Infinity',
  'undefined',
  "'single'",
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u0000"',
  '"\\x41"',
  '"tab\there"',
  '{"a":1,"a":2}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '[1,]',
  '{"a":1,}',
  '{,}',
  '// comment\n1',
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  '['.repeat(DEEP),
];

const token = (index: number): string => `@@raw${index}@@`;

/** JSON text of a value in which the tokens stand for what JavaScript can't say. */
export const hostileJson = (value: unknown): string =>
  (JSON.stringify(value) ?? '').replaceAll(
    /"@@raw(\d+)@@"/g,
    (_all, index: string) => RAW_JSON[Number(index)] as string,
  );

const rawJson = fc.nat({ max: RAW_JSON.length - 1 }).map(token);

export const PATH_TRICKS = [
  '..',
  '../..',
  '../../../../etc/passwd',
  '..\\..\\windows',
  '/etc/passwd',
  'C:\\x',
  '.',
  './',
  '~',
  'a/../../b',
  '%2e%2e%2f',
  '%252e%252e',
  '\u2024\u2024/',
  'con',
  'nul.txt',
  'a\u0000b',
  'a\r\nX-Injected: 1',
  'a\nb',
  '\u2028',
  '\ufeff',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '-rf',
  '*',
  '>',
  'a.b',
  'agent.prompt.request',
  'operator',
  'plugin',
  'default',
  'tasks',
  'v1',
];

const hugeText = fc.integer({ min: 1_000, max: 70_000 }).map((length) => 'x'.repeat(length));

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PATH_TRICKS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '\t', '\ud800', '💥', 'ＡＢＣ', 'e\u0301', '\u202e', 'a'.repeat(256)),
  },
  { weight: 1, arbitrary: hugeText },
);

const DATES = [
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-01T25:00:00Z',
  '2026-01-01T00:00:00',
  '2026-01-01',
  '0000-00-00T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '-271821-04-19T23:59:59Z',
  '99999-01-01T00:00:00Z',
  'yesterday',
  '1700000000',
  '2026-01-01T00:00:00+99:99',
];
const BASE64 = ['!!!!', 'a', 'ab=c', '====', 'AAAA AAAA', '-_-_', 'QUJD\n', 'QQ', `${'A'.repeat(4_001)}`];
const ENUMS = ['ROLE_UNSPECIFIED', 'role_user', 'TASK_STATE_RUNNING', 'TASK_STATE_UNSPECIFIED', 'ROLE_AGENT'];

/** Anything in the place of anything. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 3, arbitrary: rawJson },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e21, [], {}, [[]], [null], { a: null }),
  },
  { weight: 1, arbitrary: fc.constantFrom(...DATES) },
  { weight: 1, arbitrary: fc.constantFrom(...BASE64) },
  { weight: 1, arbitrary: fc.constantFrom(...ENUMS) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown> },
  { weight: 1, arbitrary: fc.array(fc.constant({ text: 'x' }), { minLength: 50, maxLength: 300 }) },
);

export { DATES };
