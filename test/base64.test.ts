// What counts as base64, and what of it is decoded.
import { describe, expect, it } from '@jest/globals';
import { decodeBase64 } from '../src/base64.js';

describe('base64', () => {
  it.each([
    ['', ''],
    ['AA==', '\0'],
    ['AA', '\0'],
    ['-_8', Buffer.from([251, 255])],
    ['+/8=', Buffer.from([251, 255])],
  ])('%j is decoded', (text, bytes) => {
    expect(decodeBase64(text, 10)).toEqual(Buffer.from(bytes));
  });

  it.each(['A', 'AAAAA', '@@@@', 'AA\nAA', 'A=AA', 'AA=', 'AAAA===', '+-AA', 'AAAA====', '='])('%j is none', (text) => {
    expect(decodeBase64(text, 10)).toEqual({ problem: 'must be base64' });
  });

  it.each(['AAAA', 'AAA=', 'AA'])('%j is measured by its bytes, not its characters', (text) => {
    const size = Buffer.from(text, 'base64').length;
    expect(decodeBase64(text, size)).toHaveLength(size);
    expect(decodeBase64(text, size - 1)).toEqual({ problem: `must hold at most ${size - 1} bytes` });
  });
});
