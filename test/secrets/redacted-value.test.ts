import { redactedValue } from '../../src/secrets/redacted-value.js';

const redact = (text: string): string => text.replaceAll('s3cret', '*');

describe('plain data without secrets', () => {
  it('has them replaced at any depth, in names too', () => {
    const value = { a: ['x s3cret', { 's3cret-name': 's3cret' }], n: 1, no: null };
    expect(redactedValue(value, redact)).toEqual({ a: ['x *', { '*-name': '*' }], n: 1, no: null });
    expect(value.a[0]).toBe('x s3cret');
  });

  it('is the same data where there are none', () => {
    const value = { a: ['x', { b: true }] };
    expect(redactedValue(value, redact)).toBe(value);
  });
});
