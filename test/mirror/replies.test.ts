// Tasks that owe a reply, in the mirror: there while they do, and gone with their task.
import { expect, test } from '@jest/globals';
import { taskRow, tempMirrors } from './temp-mirror.js';

const mirrors = tempMirrors();

test('a reply that is owed is known after a restart, and goes when it was told, with its task, and with everything', () => {
  const first = mirrors.open();
  first.upsert(['told', 'purged', 'kept'].map((taskId) => taskRow({ taskId, owesReply: true })));
  first.upsert([taskRow({ taskId: 'told', seq: 2 })]);
  first.remove(['purged']);
  expect(first.openReplies()).toEqual(['kept']);
  first.close();
  const mirror = mirrors.open();
  expect(mirror.openReplies()).toEqual(['kept']);
  mirror.clear();
  expect(mirror.openReplies()).toEqual([]);
  mirror.close();
  expect(mirrors.open().openReplies()).toEqual([]);
});
