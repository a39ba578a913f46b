import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadCardKeys } from '../../../plugins/surfaces/a2a-bridge/signing/card-keys.js';
import { Secrets } from '../../../src/secrets/secrets.js';

const folder = mkdtempSync(join(tmpdir(), 'card-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (name: string, text: string | Buffer): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const ed25519 = generateKeyPairSync('ed25519');
const jwk = { ...ed25519.privateKey.export({ format: 'jwk' }), kty: 'OKP' };
const sealed = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;

describe('keys for cards', () => {
  it('are read from PEM, from a file with a JWK and from the settings, with one id for one key', () => {
    const pem = fileOf('key.pem', ed25519.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const file = fileOf('key.json', JSON.stringify(jwk));
    const [first, second, third] = [pem, file, jwk].map((source) => loadCardKeys([source], new Secrets())[0]);
    expect(second?.publicJwk).toEqual(first?.publicJwk);
    expect(third?.publicJwk).toEqual(first?.publicJwk);
    expect(first?.publicJwk).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: jwk.x,
      kid: first?.kid,
      alg: 'EdDSA',
      use: 'sig',
    });
    expect(loadCardKeys([{ ...jwk, kid: 'mine' }], new Secrets())[0]?.kid).toBe('mine');
  });

  it('are taken out of whatever is logged', () => {
    const secrets = new Secrets();
    loadCardKeys([jwk], secrets);
    expect(secrets.redact(`a ${jwk.d} b`)).toBe('a [redacted] b');
  });

  it.each<[string, () => string | typeof jwk]>([
    ['a file that is not there', () => join(folder, 'nothing.pem')],
    ['no key', () => fileOf('text.pem', 'planted text')],
    ['broken JSON', () => fileOf('broken.json', '{planted}')],
    ['a public key', () => fileOf('public.pem', ed25519.publicKey.export({ type: 'spki', format: 'pem' }))],
    ['a key behind a passphrase', () => fileOf('sealed.pem', ed25519.privateKey.export(sealed))],
    [
      'a curve that nobody checks',
      () => ({ ...generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' }), kty: 'OKP' }) as typeof jwk,
    ],
    [
      'a short RSA key',
      () =>
        ({
          ...generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' }),
          kty: 'RSA',
        }) as typeof jwk,
    ],
  ])('are not: %s', (_what, source) => {
    const load = () => loadCardKeys([source()], new Secrets());
    expect(load).toThrow(
      expect.objectContaining({ code: 'config', message: expect.stringContaining('no key to sign cards') }),
    );
    expect(load).not.toThrow('planted');
  });

  it('have ids of their own', () => {
    expect(() => loadCardKeys([jwk, jwk], new Secrets())).toThrow('two keys of the id');
  });
});
