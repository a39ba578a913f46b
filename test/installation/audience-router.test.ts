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

const atEase = (): Gate => new Gate({ lag: { lateMs: () => 0 }, overloadMs: 200 });

const doorsOf = (gate = atEase()) =>
  createDoors({
    config: DEFAULTS,
    callers: { authenticate: (key) => Promise.resolve(key === 'good' ? ann : undefined) },
    log,
    clock: new FakeClock(),
    operatorKey: 'boss',
    gate,
    metrics: new Metrics(),
    used: () => undefined,
  });

async function start(gate = atEase()) {
  const doors = doorsOf(gate);
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

  test.each([[...AUDIENCES], [...AUDIENCES].reverse()])(
    'for several audiences stand beside each other, whichever was added first: %s, %s, %s',
    async (...order) => {
      const doors = doorsOf();
      const app = express();
      const build = (audience: Audience) => (own: express.Router) => {
        own.get(`/of/:who/${audience}`, (req, res) => void res.json({ who: req.params['who'] }));
        own.post('/same', (req, res) => void res.json({ audience, body: req.body as unknown }));
      };
      for (const audience of order) app.use('/p', audienceRouter(audience, { doors, log }, build(audience)));
      app.use((_req, res) => void res.status(404).json({}));
      const ask = await serve(app);
      const keys: Record<Audience, string> = { callers: 'good', operator: 'boss', public: '' };
      for (const audience of AUDIENCES) {
        const right = await ask(`/p/of/x/${audience}`, { headers: { 'X-API-Key': keys[audience] } });
        expect([audience, right.status]).toEqual([audience, 200]);
        const wrong = await ask(`/p/of/x/${audience}`, { headers: { 'X-API-Key': 'wrong' } });
        expect(wrong.status).toBe(audience === 'public' ? 200 : 401);
      }
      // Of one address for several the first counts.
      const [first] = order as [Audience];
      const headers = { 'X-API-Key': keys[first], 'Content-Type': 'application/json' };
      const same = await ask('/p/same', { method: 'POST', headers, body: '{}' });
      expect(same.body).toMatchObject({ audience: first });
      // What no route is for is behind no door.
      for (const [path, method] of [
        ['/p/nothing', 'GET'],
        ['/p/of/x/callers', 'PUT'],
      ] as const) {
        expect((await ask(path, { method })).status).toBe(404);
      }
    },
  );

  test('with a handler for everything let nobody past their door', async () => {
    const doors = doorsOf();
    const app = express();
    app.use(
      audienceRouter('callers', { doors, log }, (own) => void own.use((_req, res) => void res.json({ open: true }))),
    );
    app.use((_req, res) => void res.json({ past: true }));
    const ask = await serve(app);
    expect((await ask('/anything')).status).toBe(401);
    expect((await ask('/%E0%A4%A')).status).toBe(401);
    expect((await ask('/anything', { headers: { 'X-API-Key': 'good' } })).body).toEqual({ open: true });
  });

  test('are for no audience that there is not', () => {
    expect(() => audienceRouter('all' as Audience, {} as never, () => undefined)).toThrow('callers, operator, public');
  });
});
