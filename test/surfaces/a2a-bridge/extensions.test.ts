import { describe, expect, it } from '@jest/globals';
import {
  activeExtensions,
  requestedExtensions,
  requiredExtensions,
  unknownExtensions,
} from '../../../plugins/surfaces/a2a-bridge/extensions.js';
import { IDEMPOTENT_SEND } from '../../../src/extension-uris.js';

describe('requested extensions', () => {
  it.each([
    [{}, []],
    [{ 'a2a-extensions': '' }, []],
    [{ 'a2a-extensions': ' urn:a ,urn:b,, urn:a' }, ['urn:a', 'urn:b']],
    [{ 'x-a2a-extensions': 'urn:old' }, []],
  ])('of %j are %j', (headers, uris) => {
    expect(requestedExtensions(headers, false)).toEqual(uris);
  });

  it('are read under both names for 0.3', () => {
    const headers = { 'x-a2a-extensions': 'urn:old', 'a2a-extensions': 'urn:new, urn:old' };
    expect(requestedExtensions(headers, true)).toEqual(['urn:old', 'urn:new']);
  });
});

describe('active extensions', () => {
  it('are those requested and known, to the letter', () => {
    const others = [IDEMPOTENT_SEND.toUpperCase(), IDEMPOTENT_SEND.replace('v1', 'v2'), 'urn:other'];
    expect(activeExtensions([...others, IDEMPOTENT_SEND], [])).toEqual([IDEMPOTENT_SEND]);
    expect(activeExtensions(others, [])).toEqual([]);
  });

  it('must contain the required ones, unless nobody knows them', () => {
    const required = [IDEMPOTENT_SEND, 'urn:unknown'];
    expect(() => activeExtensions([], required)).toThrow(expect.objectContaining({ code: 'extension-required' }));
    expect(activeExtensions([IDEMPOTENT_SEND], required)).toEqual([IDEMPOTENT_SEND]);
    expect([requiredExtensions(required), unknownExtensions(required)]).toEqual([[IDEMPOTENT_SEND], ['urn:unknown']]);
  });
});
