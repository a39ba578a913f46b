// Who passes to a plugin's routes.
import { describe, expect, test } from '@jest/globals';
import express from 'express';
import { DEFAULTS } from '../../src/config.js';
import { createDoors } from '../../src/http/create-doors.js';
import { Gate } from '../../src/http/gate.js';
import { Metrics } from '../../src/http/metrics.js';
import { audienceRouter } from '../../src/installation/audience-router.js';
import { silentLogger } from '../../src/log.js';
import { AUDIENCES, type Audience } from '../../src/plugin.js';
import type { Caller } from '../../src/workspace/callers.js';
import { serve } from '../http/serve.js';
import { FakeClock } from '../support/fake-clock.js';

const log = silentLogger();
const ann: Caller = { id: 'alpha/ann', scope: 'alpha', name: 'ann', workspace: 'alpha', agents: ['alpha'] };

async function start(gate = new Gate({ lag: { lateMs: () => 0 }, overloadMs: 200 })) {
  const doors = createDoors({
    config: DEFAULTS,
    callers: { authenticate: (key) => Promise.resolve(key === 'good' ? ann : undefined) },
    log,
    clock: new FakeClock(),
    operatorKey: 'boss',
    gate,
    metrics: new Metrics(),
    used: () => undefined,
  });
  const app = express();
  for (const audience of AUDIENCES) {
    const router = audienceRouter(audience, { doors, log }, (own) => {
      own.get('/', (req, res) => void res.json({ caller: req.caller?.id ?? null }));
    });
    app.use(`/${audience}`, router);
  }
  return serve(app);
}

describe("a plugin's routes", () => {
  test.each<[Audience, string | undefined, number]>([
    ['callers', 'good', 200],
    ['callers', 'boss', 401],
    ['operator', 'boss', 200],
    ['operator', 'good', 401],
    ['public', undefined, 200],
  ])('for %s are answered to the key %s with %i', async (audience, key, status) => {
    const ask = await start();
    const answer = await ask(`/${audience}`, key === undefined ? {} : { headers: { 'X-API-Key': key } });
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body.caller).toBe(key === 'good' ? 'alpha/ann' : null);
  });

  test.each(AUDIENCES)('for %s are closed while the server stops, or can not keep up', async (audience) => {
    const stopping = new Gate({ lag: { lateMs: () => 0 }, overloadMs: 200 });
    stopping.drain();
    const late = new Gate({ lag: { lateMs: () => 300 }, overloadMs: 200 });
    for (const gate of [stopping, late]) {
      const { status, headers } = await (await start(gate))(`/${audience}`);
      expect([status, headers.get('retry-after')]).toEqual([503, '2']);
    }
  });

  test('are for no audience that there is not', () => {
    expect(() => audienceRouter('all' as Audience, {} as never, () => undefined)).toThrow('callers, operator, public');
  });
});
