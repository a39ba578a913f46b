import { describe, expect, it } from '@jest/globals';
import { Gate } from '../../src/http/gate.js';
import { LoopLag } from '../../src/http/loop-lag.js';
import { FakeClock } from '../support/fake-clock.js';

describe('the gate', () => {
  const gateAt = (lateMs: number): Gate => new Gate({ lag: { lateMs: () => lateMs }, overloadMs: 200 });

  it('is open while the loop keeps up', () => {
    expect(gateAt(199).closed()).toBeUndefined();
  });

  it('is closed while the loop is late by the limit, and says when to come again', () => {
    const closed = gateAt(200).closed();
    expect(closed).toMatchObject({ rule: 'overload', error: { code: 'overloaded', details: { retryAfter: 2 } } });
  });

  it('stays closed once the server stops', () => {
    const gate = gateAt(0);
    gate.drain();
    expect([gate.draining, gate.closed()?.rule, gate.closed()?.error.code]).toEqual([true, 'drain', 'overloaded']);
  });
});

describe('the lag of the event loop', () => {
  function start(): { lag: LoopLag; pass(looks: number, late: number): void; wait(ms: number): void } {
    const clock = new FakeClock();
    let time = 0;
    const lag = new LoopLag(clock, () => time);
    // The timer fires when the fake clock says so; how late that is, the other one tells.
    const pass = (looks: number, late: number): void => {
      for (let i = 0; i < looks; i++) {
        time += 100 + late;
        clock.advance(100);
      }
    };
    return { lag, pass, wait: (ms) => (time += ms) };
  }

  it('is nothing while looks are punctual', () => {
    const { lag, pass } = start();
    pass(5, 3);
    expect(lag.lateMs()).toBe(3);
  });

  it('does not count a single hiccup, however long', () => {
    const { lag, pass } = start();
    pass(1, 5_000);
    expect(lag.lateMs()).toBe(0);
    pass(1, 0);
    expect(lag.lateMs()).toBe(0);
  });

  it('counts from the second late look on, and is over with the first punctual one', () => {
    const { lag, pass } = start();
    pass(2, 250);
    expect(lag.lateMs()).toBe(250);
    pass(1, 0);
    expect(lag.lateMs()).toBe(0);
  });

  it('counts a look that is overdue before it happens', () => {
    const { lag, pass, wait } = start();
    pass(1, 300);
    wait(350);
    expect(lag.lateMs()).toBe(250);
  });

  it('ends its timer when it is stopped', () => {
    const clock = new FakeClock();
    const lag = new LoopLag(clock, () => 0);
    lag.stop();
    expect(clock.pending).toBe(0);
  });
});
