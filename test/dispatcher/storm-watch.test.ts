import { StormWatch } from '../../plugins/dispatcher/storm-watch.js';

const MINUTE = 60_000;
const start = Date.parse('2026-01-01T00:00:00.000Z');

/** What is said about that many refusals at one time. */
const storm = (watch: StormWatch, at: number, refusals: number): string[] =>
  Array.from({ length: refusals }, () => watch.record(at)).flatMap((change) => change ?? []);

describe('a storm of refusals', () => {
  it('raises the alarm at its hundredth refusal within a minute, once, however long it lasts', () => {
    const watch = new StormWatch();
    expect(storm(watch, start, 99)).toEqual([]);
    expect(storm(watch, start + MINUTE - 1, 1)).toEqual(['begins']);
    for (let n = 1; n < 5; n++) expect(storm(watch, start + n * MINUTE, 200)).toEqual([]);
  });

  it('is none when the refusals are spread over more than a minute', () => {
    const watch = new StormWatch();
    for (let n = 0; n < 10; n++) expect(storm(watch, start + n * MINUTE, 99)).toEqual([]);
  });

  it('is over with the first refusal after a calm minute, whether there were a few in it or none', () => {
    const few = new StormWatch();
    storm(few, start, 100);
    expect(storm(few, start + MINUTE, 5)).toEqual([]);
    expect(storm(few, start + 2 * MINUTE, 1)).toEqual(['ends']);
    const none = new StormWatch();
    storm(none, start, 100);
    expect(storm(none, start + 2 * MINUTE, 1)).toEqual(['ends']);
  });

  it('raises the alarm anew when the next one comes after a long silence', () => {
    const watch = new StormWatch();
    expect(storm(watch, start, 150)).toEqual(['begins']);
    expect(storm(watch, start + 120 * MINUTE, 150)).toEqual(['ends', 'begins']);
  });

  it('is noticed also after the clock was set back', () => {
    const watch = new StormWatch();
    storm(watch, start, 1);
    expect(storm(watch, start - 60 * MINUTE, 100)).toEqual(['begins']);
  });
});
