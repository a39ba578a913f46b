// A stop waits for handlers, and not for ever.
import { drained } from '../../src/bus/drained.js';
import { FakeClock } from '../support/fake-clock.js';
import { testBus } from '../support/test-bus.js';

describe('the wait for what is on the bus', () => {
  it('ends with the last handler, and leaves no timer', async () => {
    const { bus, open } = testBus();
    const clock = new FakeClock();
    const handled: string[] = [];
    const handle = open('slow');
    handle.subscribe('agent.prompt.cancel', async ({ cid }) => {
      await new Promise((resolve) => setImmediate(resolve));
      handled.push(cid);
    });
    handle.publish('agent.prompt.cancel', { cid: 'c1', by: 'operator' });
    await drained(bus, clock);
    expect([handled, clock.pending]).toEqual([['c1'], 0]);
  });

  it('has patience once with a handler that never settles', async () => {
    const { bus, open } = testBus();
    const clock = new FakeClock();
    const handle = open('stuck');
    handle.subscribe('agent.prompt.cancel', () => new Promise(() => undefined));
    handle.publish('agent.prompt.cancel', { cid: 'c1', by: 'operator' });
    const first = drained(bus, clock);
    clock.advance(5_000);
    await first;
    // Without a further step of the clock.
    await drained(bus, clock);
    expect(clock.pending).toBe(0);
  });
});
