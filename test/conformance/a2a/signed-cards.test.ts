// Signed cards, checked with libraries that this server does not sign with: a stock JOSE library, another canonicaliser,
// and the official SDK.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyAgentCardSignature, type AgentCard } from '@a2a-js/sdk';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import canonicalize from 'canonicalize';
import { createLocalJWKSet, decodeProtectedHeader, flattenedVerify, importJWK, type JSONWebKeySet } from 'jose';
import { canonicalJson } from '../../../plugins/surfaces/a2a-bridge/signing/canonical-json.js';
import { loadCardKeys } from '../../../plugins/surfaces/a2a-bridge/signing/card-keys.js';
import { reducedCard } from '../../../plugins/surfaces/a2a-bridge/signing/reduced-card.js';
import { CardSigner } from '../../../plugins/surfaces/a2a-bridge/signing/sign-card.js';
import { Secrets } from '../../../src/secrets/secrets.js';
import { KEYS, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { bindings, type Any } from './binding.js';
import { OLD, overGrpc } from './legacy-binding.js';

const folder = mkdtempSync(join(tmpdir(), 'card-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ed25519 = join(folder, 'ed25519.pem');
writeFileSync(ed25519, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const ec = {
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  kty: 'EC',
  kid: 'ec-1',
};
const cardKeys = [ec, ed25519, rsa] as (string | Any)[];
const server = useBridgeServer({ grpcPort: 0, cardKeys });

const GENERIC = '/.well-known/agent-card.json';
const OF_ALPHA = '/agents/alpha/.well-known/agent-card.json';
const read = async (path: string, version = '1.0'): Promise<Any> =>
  (await server.send('GET', path, { key: '', headers: { 'A2A-Version': version } })).json;
const published = async (): Promise<JSONWebKeySet> => read('/.well-known/jwks.json');
const kids = ({ signatures }: Any): string[] =>
  signatures.map((signature: Any) => decodeProtectedHeader(signature).kid);

/** The ids of the keys with which the card, as it was received, verifies. */
async function verified(card: Any, jwks: JSONWebKeySet): Promise<string[]> {
  const { signatures, ...document } = card;
  const payload = Buffer.from(canonicalize(document) as string).toString('base64url');
  const good = [];
  for (const signature of signatures) {
    const check = flattenedVerify({ payload, ...signature }, createLocalJWKSet(jwks)).then(
      ({ protectedHeader }) => protectedHeader?.kid as string,
      () => undefined,
    );
    const kid = await check;
    if (kid) good.push(kid);
  }
  return good;
}

describe('signed cards', () => {
  it('[29] What is signed is the canonical JSON of RFC 8785. (§8.4.1)', () => {
    const values = [
      { b: 1, a: [true, null, 'x'], é: 'ü', '\u{1F600}': 1, דּ: 2, '\r': 3, '1': 4, '\u0080': 5 },
      [333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0, 9007199254740991, 1e21, 123456789012345680000],
      { text: '\u20ac$\u000F\nA\'B"\\"/\u2028', deep: { z: {}, y: [], x: '' } },
    ];
    for (const value of values) expect(canonicalJson(value)).toBe(canonicalize(value));
    for (const value of [[Infinity], { a: NaN }, '\ud800']) expect(() => canonicalJson(value)).toThrow('canonical');
  });

  it('[31] Required fields stay also when empty, optional ones when they were set, other defaults go. (§8.4.1, §5.7)', () => {
    const reduced = reducedCard({
      name: 'n',
      description: '',
      version: '1',
      supportedInterfaces: [{ url: 'u', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
      capabilities: { streaming: false, extensions: [{ uri: 'urn:x', required: false, description: '' }] },
      skills: [{ id: 's', name: 's', description: '', tags: [], examples: [] }],
      defaultInputModes: [],
      securitySchemes: {},
      documentationUrl: '',
      provider: { organization: 'o' },
      signatures: [{ protected: 'x', signature: 'y' }],
      unheardOf: 1,
    });
    expect(reduced).toEqual({
      name: 'n',
      description: '',
      version: '1',
      supportedInterfaces: [{ url: 'u', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      capabilities: { streaming: false, extensions: [{ uri: 'urn:x' }] },
      skills: [{ id: 's', name: 's', description: '', tags: [] }],
      defaultInputModes: [],
      defaultOutputModes: [],
      documentationUrl: '',
      provider: { organization: 'o', url: '' },
    });
  });

  it('[30][33] Each key signs, detached, what is left without the signatures; changing one byte breaks them all. (§8.4, §8.4.2)', async () => {
    const jwks = await published();
    expect(jwks.keys.map(({ alg }) => alg)).toEqual(['ES256', 'EdDSA', 'RS256']);
    const every = jwks.keys.map(({ kid }) => kid);
    for (const path of [GENERIC, OF_ALPHA]) {
      for (const version of ['1.0', '0.3']) {
        const card = await read(path, version);
        expect(await verified(card, jwks)).toEqual(every);
        expect(await verified({ ...card, description: `${card.description}.` }, jwks)).toEqual([]);
      }
      const { signatures } = await read(path, '');
      expect(await verified({ ...(await read(path)), signatures }, jwks)).toEqual(every);
    }
  });

  it('[30] A further key leaves the signatures of the first good. (§8.4)', async () => {
    const document = { name: 'n', skills: [1] };
    const [first] = loadCardKeys([ec], new Secrets());
    const two = loadCardKeys([ec, ed25519], new Secrets());
    const signer = new CardSigner(two, () => undefined);
    const { keys } = new CardSigner([first as Any], () => undefined).jwks as JSONWebKeySet;
    expect(await verified(signer.signed(document), { keys })).toEqual(['ec-1']);
    expect(kids(signer.signed(document))).toHaveLength(2);
  });

  it('[32] The protected header names the algorithm and the key, and the type JOSE; over https also where the keys are. (§8.4.2)', async () => {
    const headers = (await read(GENERIC)).signatures.map((signature: Any) => decodeProtectedHeader(signature));
    const thumbprint = expect.stringMatching(/^[\w-]{43}$/);
    expect(headers.slice(0, 3)).toEqual([
      { alg: 'ES256', kid: 'ec-1', typ: 'JOSE' },
      { alg: 'EdDSA', kid: thumbprint, typ: 'JOSE' },
      { alg: 'RS256', kid: thumbprint, typ: 'JOSE' },
    ]);
    const jku = 'https://h.example/.well-known/jwks.json';
    const signer = new CardSigner(loadCardKeys([ec], new Secrets()), () => jku);
    const [signature] = (signer.signed({ name: 'n' }) as Any).signatures;
    expect(decodeProtectedHeader(signature)).toMatchObject({ jku });
  });

  it('[29] The official SDK, which leaves out everything empty, finds a signature of that form. (§8.4.3)', async () => {
    const { keys } = await published();
    // It tells of every signature that is not of its form.
    jest.spyOn(console, 'debug').mockImplementation(() => undefined);
    const verify = verifyAgentCardSignature(async (kid) => {
      const key = await importJWK(keys.find((jwk) => jwk.kid === kid) as Any);
      return key as never;
    });
    for (const path of [GENERIC, OF_ALPHA]) {
      for (const version of ['1.0', '']) await verify((await read(path, version)) as AgentCard);
    }
  });

  it('[30] A card that did not change keeps its signatures and its ETag; what is published of a key is no secret. (§8.4, §8.6.1)', async () => {
    const etag = async (): Promise<string | null> =>
      (await server.send('GET', GENERIC, { key: '' })).headers.get('etag');
    expect(await etag()).toBe(await etag());
    const answer = await server.send('GET', '/.well-known/jwks.json', { key: '' });
    expect(answer.headers.get('content-type')).toBe('application/jwk-set+json');
    for (const key of answer.json.keys) {
      expect(Object.keys(key).filter((name) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].includes(name))).toEqual([]);
    }
    expect(server.log.join('\n')).not.toContain(ec.d);
  });
});

describe('a client of 0.3', () => {
  it('[30] The extended card is signed as 0.3 wrote it, over gRPC too, whose message holds the same card. (§8.4)', async () => {
    const jwks = await published();
    const { result } = (await server.rpc('agent/getAuthenticatedExtendedCard', undefined, { headers: OLD })).json;
    expect(await verified(result, jwks)).toEqual(jwks.keys.map(({ kid }) => kid));
    const { signatures } = (await overGrpc(server).card()).json;
    expect(signatures).toEqual(result.signatures);
  });
});

describe.each(bindings(server).map((binding) => [binding.name, binding] as const))('%s', (_name, binding) => {
  it('[30] The extended card is signed as it is shown to its caller. (§8.4)', async () => {
    const jwks = await published();
    const { result } = await binding.call('GetExtendedAgentCard', {}, { key: KEYS.bob });
    expect(await verified(result, jwks)).toEqual(jwks.keys.map(({ kid }) => kid));
  });
});
