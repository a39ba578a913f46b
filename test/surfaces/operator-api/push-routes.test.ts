// What the operator asks of many webhooks at once, where one of them is gone.
import { pushRoutes } from '../../../plugins/surfaces/operator-api/push-routes.js';
import { AppError } from '../../../src/errors.js';
import type { Core } from '../../../src/plugin.js';

const gone = new AppError('task-not-found', 'Task gone does not exist.');
const broken = new AppError('storage-failed', 'Nothing was stored.');

const redriveWith = async (redrive: (taskId: string) => Promise<number>): Promise<unknown> => {
  const rows = ['a', 'b', 'c'].map((taskId) => ({ taskId, configId: 'hook' }));
  const ledger = { pushSchedule: { deadSince: () => rows }, pushConfigs: { redrive } };
  const routes = pushRoutes({ ledger } as unknown as Core, () => undefined);
  const route = routes.find(({ path }) => path === '/pushes/redrive');
  return (await route?.run({ body: { since: '2026-01-01T00:00:00Z' } } as never))?.body;
};

describe('redriving all dead letters since a date', () => {
  it('is not held up by a task that is purged at that moment', async () => {
    const answer = redriveWith((taskId) => (taskId === 'b' ? Promise.reject(gone) : Promise.resolve(2)));
    await expect(answer).resolves.toEqual({ redriven: 4, more: false });
  });

  it('tells when nothing can be stored', async () => {
    await expect(redriveWith(() => Promise.reject(broken))).rejects.toBe(broken);
  });
});
