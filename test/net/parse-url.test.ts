import { describe, expect, test } from '@jest/globals';
import { parseUrl } from '../../src/net/parse-url.js';

describe('text as a URL', () => {
  test('is read the same however often it is read, with letters beyond ASCII too', () => {
    // Often enough for the engine to compile what is called here.
    const hosts = Array.from({ length: 20_000 }, () => parseUrl('https://bücher.example/')?.host);
    expect(new Set(hosts)).toEqual(new Set(['xn--bcher-kva.example']));
  });

  test.each(['', 'example.org', 'https://', 'http://[::1', 'https://a b/'])('is none: %j', (text) => {
    expect(parseUrl(text)).toBeUndefined();
  });
});
