import fc from 'fast-check';
import {
  callerFilePart,
  isContextId,
  isName,
  isSessionFile,
  isTaskId,
  nameProblem,
  sessionFile,
  splitCallerId,
} from '../../src/workspace/names.js';

describe('names', () => {
  test.each(['a', 'helper-2', '-', '0', 'a'.repeat(40)])('%j is allowed', (name) => {
    expect(isName(name)).toBe(true);
    expect(nameProblem(name)).toBeUndefined();
  });

  test.each(['', 'a'.repeat(41), 'Ann', 'a_b', 'a.b', 'a/b', '../a', 'ä', 'a\n', 'a b', 'a\0'])('%j is not', (name) => {
    expect(isName(name)).toBe(false);
    expect(nameProblem(name)).toMatch(/characters/);
  });

  test.each(['operator', 'plugin', 'default', 'tasks', 'v1'])('%s is reserved', (name) => {
    expect(isName(name)).toBe(false);
    expect(nameProblem(name)).toBe('is reserved');
  });
});

describe('ids', () => {
  test.each([
    ['abc', true],
    ['A_b-9', true],
    ['x'.repeat(100), true],
    ['x'.repeat(101), false],
    ['', false],
    ['a.b', false],
    ['../x', false],
    ['a\n', false],
    ['é', false],
  ])('contextId %j: %s', (id, allowed) => expect(isContextId(id)).toBe(allowed));

  test.each([
    ['0b9d5c0e-6f0e-4c43-9d43-0f3f1f5d8a11', true],
    ['task_1', true],
    ['Task', false],
    ['..', false],
    ['a/b', false],
    ['', false],
    ['x'.repeat(65), false],
    ['a\n', false],
  ])('taskId %j: %s', (id, allowed) => expect(isTaskId(id)).toBe(allowed));

  test.each([
    ['demo/ann', { workspace: 'demo', name: 'ann' }],
    ['operator', undefined],
    ['plugin/ann', undefined],
    ['demo/operator', undefined],
    ['demo/', undefined],
    ['/ann', undefined],
    ['a/b/c', undefined],
    ['', undefined],
  ])('caller id %j is taken apart', (id, parts) => expect(splitCallerId(id)).toEqual(parts));
});

describe('session files', () => {
  test.each([
    ['demo/ann', 'ctx-1', 'ann_ctx-1'],
    ['other/ann', 'ctx-1', 'other.ann_ctx-1'],
    ['operator', 'c', 'operator_c'],
    ['plugin/timer', 'c', 'plugin.timer_c'],
    ['demo/ann', 'a_b', 'ann_a_b'],
    ['demo/ann', 'Abc', 'ann_abc.06d90109c8cce34e'],
  ])('%s in %s of workspace demo: %s', (caller, context, file) => {
    expect(sessionFile('demo', caller, context)).toBe(file);
  });

  test.each(['../x', 'plugin/', 'plugin/a.b', 'demo/operator', 'demo/a/b', '', 'plugin/../x'])(
    'no file is named after the caller %j',
    (caller) =>
      expect(() => callerFilePart(caller, 'demo')).toThrow(expect.objectContaining({ code: 'invalid-params' })),
  );

  test('no file is named after a malformed contextId', () => {
    expect(() => sessionFile('demo', 'demo/ann', '../../x')).toThrow(
      expect.objectContaining({ code: 'invalid-params' }),
    );
  });

  test.each(['../x', 'ann', 'ann_', 'Ann_c', 'ann_c/..', 'a.b.c_d', 'ann_c.jsonl'])('%j is none', (file) =>
    expect(isSessionFile(file)).toBe(false),
  );

  test('two conversations never share a file, on disks that ignore case either', () => {
    const name = fc.stringMatching(/^[a-c-]{1,3}$/).filter(isName);
    const caller = fc.oneof(
      fc.constant('operator'),
      name.map((plugin) => `plugin/${plugin}`),
      fc.tuple(name, name).map(([workspace, own]) => `${workspace}/${own}`),
    );
    const context = fc.stringMatching(/^[aAbB_-]{1,4}$/);
    fc.assert(
      fc.property(fc.tuple(caller, context), fc.tuple(caller, context), name, (one, two, workspace) => {
        const [first, second] = [one, two].map(([id, contextId]) =>
          sessionFile(workspace, id, contextId).toLowerCase(),
        );
        expect(first === second).toBe(one[0] === two[0] && one[1] === two[1]);
        expect(isSessionFile(first as string)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
