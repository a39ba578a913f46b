import { setImmediate as turn } from 'node:timers/promises';
import { Rounds } from '../../src/ledger/rounds.js';
import { silentLogger } from '../../src/log.js';
import { FakeClock } from '../support/fake-clock.js';

describe('rounds', () => {
  const open = (round: () => AsyncGenerator<void>) => {
    const clock = new FakeClock();
    return { clock, rounds: new Rounds({ clock, log: silentLogger(), round }) };
  };
  /** Lets a second pass and what it set off settle. */
  const second = async (clock: FakeClock): Promise<void> => {
    clock.advance(1000);
    for (let i = 0; i < 5; i++) await turn();
  };

  it('begin soon after the start, rest between steps, and come again', async () => {
    const steps: string[] = [];
    let n = 0;
    const { clock, rounds } = open(async function* () {
      const round = ++n;
      for (const step of ['a', 'b']) {
        steps.push(`${round}${step}`);
        yield;
      }
    });
    rounds.start();
    clock.advance(999);
    expect(steps).toEqual([]);
    clock.advance(1);
    await turn();
    expect(steps).toEqual(['1a']);
    clock.advance(49);
    await turn();
    expect(steps).toEqual(['1a']);
    for (let i = 0; i < 20; i++) await second(clock);
    expect(steps.slice(0, 4)).toEqual(['1a', '1b', '2a', '2b']);
  });

  it('go on after one that failed', async () => {
    let n = 0;
    const { clock, rounds } = open(async function* () {
      n++;
      yield;
      throw new Error('odd');
    });
    rounds.start();
    for (let i = 0; i < 20; i++) await second(clock);
    expect(n).toBeGreaterThan(1);
  });

  it('stop in the middle: the step under way ends, and none follows', async () => {
    const steps: string[] = [];
    let finish: () => void = () => undefined;
    const { clock, rounds } = open(async function* () {
      steps.push('begun');
      await new Promise<void>((resolve) => (finish = resolve));
      steps.push('ended');
      yield;
      steps.push('too far');
    });
    rounds.start();
    await second(clock);
    let stopped = false;
    const stopping = rounds.stop().then(() => void (stopped = true));
    await turn();
    expect([steps, stopped]).toEqual([['begun'], false]);
    finish();
    await stopping;
    for (let i = 0; i < 10; i++) await second(clock);
    expect(steps).toEqual(['begun', 'ended']);
  });

  it('stop while they rest, at once', async () => {
    const { clock, rounds } = open(async function* () {
      for (;;) yield;
    });
    rounds.start();
    await second(clock);
    await rounds.stop();
    expect(clock.pending).toBe(0);
  });
});
