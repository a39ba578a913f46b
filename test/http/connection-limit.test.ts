import { connectionLimit, openFilesLimit } from '../../src/http/connection-limit.js';

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

  it('goes by what the system allows this process', () => {
    expect(openFilesLimit()).toBeGreaterThan(100);
  });
});
