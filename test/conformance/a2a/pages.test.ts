// Lists of more than a page, and of tasks that ended at the very same moment, over each binding.
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { FakeClock } from '../../support/fake-clock.js';
import { sendParams, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import type { Any, Binding } from './binding.js';
import { overEachBinding } from './scenario.js';

const server = useBridgeServer({ grpcPort: 0 });
// Time stands still, so that all timestamps are equal.
const frozen = useBridgeServer({ grpcPort: 0 }, [], new FakeClock());

const list = async (binding: Binding, params: object): Promise<Any> => (await binding.call('ListTasks', params)).result;

/** All pages from the first. */
async function pages(binding: Binding, params: object): Promise<Any[]> {
  const found = [await list(binding, params)];
  while (found.at(-1).nextPageToken)
    found.push(await list(binding, { ...params, pageToken: found.at(-1).nextPageToken }));
  return found;
}

/** Tasks of one context, one after the other; their ids, the latest first. */
async function several(binding: Binding, count: number): Promise<{ contextId: string; ids: string[] }> {
  const contextId = `c-${randomUUID()}`;
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const { result } = await binding.call('SendMessage', sendParams(`n${n}`, { contextId }));
    ids.unshift(result.task.id as string);
  }
  return { contextId, ids };
}

overEachBinding(server, 'pages', [
  [
    '[116][117][121] Pages cover the list once, newest change of state first, with the same total on each. (§3.1.4)',
    async (binding) => {
      const { contextId, ids } = await several(binding, 25);
      const found = await pages(binding, { contextId, pageSize: 7 });
      const tasks = found.flatMap((page) => page.tasks);
      expect(tasks.map(({ id }) => id).sort()).toEqual([...ids].sort());
      expect(found.map(({ totalSize }) => totalSize)).toEqual([25, 25, 25, 25]);
      const times = tasks.map(({ status }) => status.timestamp);
      expect(times).toEqual([...times].sort().reverse());
      return found.map((page) => page.tasks.length);
    },
  ],
  [
    '[118] A page has at most 50 tasks unless asked for 1 to 100, and says its size. (§3.1.4)',
    async (binding) => {
      const { contextId } = await several(binding, 60);
      const sizes = [];
      for (const params of [{}, { pageSize: 1 }, { pageSize: 59 }, { pageSize: 100 }]) {
        const { pageSize, tasks, nextPageToken } = await list(binding, { contextId, ...params });
        sizes.push([pageSize, tasks.length, nextPageToken === '']);
      }
      expect(sizes).toEqual([
        [50, 50, false],
        [1, 1, false],
        [59, 59, false],
        [100, 60, true],
      ]);
      return sizes;
    },
  ],
]);

overEachBinding(frozen, 'tasks of one moment', [
  [
    '[116][117] Tasks whose times are equal come once each, in an order that pages of any size agree on. (§3.1.4)',
    async (binding) => {
      const { contextId, ids } = await several(binding, 100);
      const order = async (pageSize: number): Promise<string[]> => {
        const tasks = (await pages(binding, { contextId, pageSize })).flatMap((page) => page.tasks);
        expect(new Set(tasks.map(({ status }) => status.timestamp)).size).toBe(1);
        return tasks.map(({ id }) => id);
      };
      const seen = await order(7);
      expect([...seen].sort()).toEqual([...ids].sort());
      expect(await order(100)).toEqual(seen);
      expect(await order(33)).toEqual(seen);
      return seen.length;
    },
  ],
]);
