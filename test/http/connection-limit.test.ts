import { connectionLimit, openFilesLimit, secondConnectionLimit } from '../../src/http/connection-limit.js';

describe('the limit of connections', () => {
  it.each([
    [10_000, 20_000, 10_000],
    [10_000, 4_096, 3_072],
    [10_000, 1_024, 768],
    [100, 1_024, 100],
    [10_000, 1_000_000, 10_000],
    [10_000, undefined, 10_000],
  ])('leaves files to open: of %s allowed ones with %s open files it is %s', (max, openFiles, limit) => {
    expect(connectionLimit(max, openFiles)).toBe(limit);
  });

  it.each([
    [10_000, 1_000_000, 10_000],
    [10_000, 12_024, 1_250],
    [10_000, 16_024, 5_000],
    [10_000, 1_024, 96],
    [2, 20_000, 2],
    [2, undefined, 2],
  ])('of a second listener is what the first leaves: of %s with %s open files %s', (max, openFiles, limit) => {
    expect(secondConnectionLimit(max, openFiles)).toBe(limit);
  });

  it('goes by what the system allows this process', () => {
    expect(openFilesLimit()).toBeGreaterThan(100);
  });

  it('asks for no names of connections on the way, and leaves the report as it was', () => {
    const seen: (boolean | undefined)[] = [];
    const report = { excludeNetwork: false, getReport: () => (seen.push(report.excludeNetwork), {}) };
    expect(openFilesLimit(report)).toBeUndefined();
    expect([seen, report.excludeNetwork]).toEqual([[true], false]);
  });
});
