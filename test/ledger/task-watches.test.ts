import { expect, test } from '@jest/globals';
import { TaskWatches } from '../../src/ledger/task-watches.js';

test('looking up a watch by its id, which anybody may try, writes nothing to the index', () => {
  let writes = 0;
  const mirror = { watches: () => [], findWatch: () => undefined };
  const never = (): never => {
    throw new Error('not asked for');
  };
  const watches = new TaskWatches({ mirror, syncMirror: () => void writes++, load: never, append: never });
  expect(watches.find('guessed')).toBeUndefined();
  expect(writes).toBe(0);
  watches.all();
  expect(writes).toBe(1);
});
