import { describe, expect, test } from '@jest/globals';
import { keyPlaces } from '../../src/remote/key-place.js';
import { readPeerCard } from '../../src/remote/peer-card.js';

describe('an agent card', () => {
  test.each([1, null, [], 'card', {}, { name: 1 }])('is no %j', (raw) => expect(readPeerCard(raw)).toBeUndefined());

  test('loses what is broken or unknown, and tells', () => {
    const card = readPeerCard({
      name: 'x',
      supportedInterfaces: [
        null,
        { url: 1, protocolBinding: 'JSONRPC' },
        { url: 'https://x/1', protocolBinding: 'CARRIER-PIGEON', protocolVersion: '1.0' },
        { url: 'https://x/2', protocolBinding: 'JSONRPC', protocolVersion: '3.1' },
        { url: 'https://x/3', protocolBinding: 'JSONRPC', protocolVersion: '1.0.4', tenant: 'a' },
        { url: 'https://x/3', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: 'a' },
      ],
      skills: [null, { name: 'no id' }, { id: 's', tags: ['t', 1] }],
      capabilities: { streaming: 'yes', extensions: [null, { uri: 'urn:x', required: true }, { required: true }] },
    });
    expect(card).toMatchObject({
      interfaces: [{ url: 'https://x/3', binding: 'JSONRPC', protocol: '1.0', tenant: 'a' }],
      skills: [{ id: 's', name: 's', description: '', tags: ['t'] }],
      offers: { streaming: false, push: false, extendedCard: false },
      extensions: [{ uri: 'urn:x', required: true }],
      problems: ['CARRIER-PIGEON of A2A 1.0 is not spoken here', 'JSONRPC of A2A 3.1 is not spoken here'],
    });
  });

  test('of both versions has each interface once, the newer version first', () => {
    const card = readPeerCard({
      name: 'x',
      url: 'https://x/a',
      protocolVersion: '0.3.0',
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [
        { url: 'https://x/a', transport: 'JSONRPC' },
        { url: 'x:443', transport: 'GRPC' },
      ],
      supportsAuthenticatedExtendedCard: true,
      supportedInterfaces: [
        { url: 'https://x/a', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
        { url: 'https://x/a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
    });
    expect(card?.interfaces.map(({ url, binding, protocol }) => `${protocol} ${binding} ${url}`)).toEqual([
      '1.0 JSONRPC https://x/a',
      '0.3 JSONRPC https://x/a',
      '0.3 GRPC x:443',
    ]);
    expect(card?.offers.extendedCard).toBe(true);
  });
});

describe('the place of a key', () => {
  const bearer = { in: 'header', name: 'Authorization', scheme: 'Bearer' };
  const apiKey = { in: 'header', name: 'X-API-Key' };
  test.each([
    ['nothing', {}, [bearer]],
    ['garbage', { securitySchemes: 7, securityRequirements: [1] }, [bearer]],
    [
      'a requirement, before other schemes',
      {
        securitySchemes: {
          a: { httpAuthSecurityScheme: { scheme: 'bearer' } },
          b: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
        },
        securityRequirements: [{ schemes: { b: { list: [] } } }],
      },
      [apiKey, bearer],
    ],
    [
      '0.3 spelling',
      { securitySchemes: { b: { type: 'apiKey', in: 'header', name: 'X-API-Key' } }, security: [{ b: [] }] },
      [apiKey],
    ],
    [
      'a server’s own memory',
      { securitySchemes: { o: { scheme: { $case: 'oauth2SecurityScheme', value: {} } } } },
      [bearer],
    ],
    ['a header that is none', { securitySchemes: { b: { type: 'apiKey', in: 'header', name: 'X\r\nY' } } }, [bearer]],
    [
      'a header of the connection',
      { securitySchemes: { b: { type: 'apiKey', in: 'header', name: 'Host' } } },
      [bearer],
    ],
    ['a name of a prototype', { securitySchemes: {}, security: [{ constructor: [] }] }, [bearer]],
    ['certificates', { securitySchemes: { m: { mtlsSecurityScheme: {} } } }, [bearer]],
  ])('by %s', (_name, card, places) => expect(keyPlaces(card)).toEqual(places));
});
