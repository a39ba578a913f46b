// The keys that sign cards. Their private parts stay in here: what is shown of a key is its public JWK.
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../../../../src/config.js';
import { AppError, errorText } from '../../../../src/errors.js';
import type { Secrets } from '../../../../src/secrets/secrets.js';
import { canonicalJson } from './canonical-json.js';

type SigningAlgorithm = 'ES256' | 'RS256' | 'EdDSA';

export interface CardKey {
  kid: string;
  alg: SigningAlgorithm;
  privateKey: KeyObject;
  /** With `kid`, `alg` and `use`. */
  publicJwk: Record<string, unknown>;
}

/** Reads all configured keys. Throws AppError `config` for one that can't sign, and for two of one `kid`. */
export function loadCardKeys(configured: Config['cardKeys'], secrets: Pick<Secrets, 'add'>): CardKey[] {
  const keys = configured.map((source, i) => {
    try {
      return cardKey(source, secrets);
    } catch (error) {
      const name = typeof source === 'string' ? source : `cardKeys[${i}]`;
      throw new AppError('config', `${name} is no key to sign cards with: ${errorText(error)}`);
    }
  });
  const twice = keys.find(({ kid }, i) => keys.findIndex((other) => other.kid === kid) !== i);
  if (twice) throw new AppError('config', `cardKeys holds two keys of the id ${twice.kid}`);
  return keys;
}

function cardKey(source: string | Record<string, unknown>, secrets: Pick<Secrets, 'add'>): CardKey {
  const { privateKey, jwk } = typeof source === 'string' ? readKey(readFileSync(source, 'utf8')) : fromJwk(source);
  const alg = algorithmOf(privateKey);
  for (const part of PRIVATE_PARTS) {
    const value = privateKey.export({ format: 'jwk' })[part];
    if (typeof value === 'string') secrets.add(value);
  }
  const parts = createPublicKey(privateKey).export({ format: 'jwk' }) as Record<string, unknown>;
  const kid = typeof jwk?.['kid'] === 'string' && jwk['kid'] !== '' ? jwk['kid'] : thumbprint(parts);
  return { kid, alg, privateKey, publicJwk: { ...parts, kid, alg, use: 'sig' } };
}

/** A file holds PEM or a JWK. */
function readKey(text: string): { privateKey: KeyObject; jwk?: Record<string, unknown> } {
  if (text.trimStart().startsWith('{')) return fromJwk(parsed(() => JSON.parse(text) as Record<string, unknown>));
  return { privateKey: parsed(() => createPrivateKey(text)) };
}

const fromJwk = (jwk: Record<string, unknown>): { privateKey: KeyObject; jwk: Record<string, unknown> } => ({
  privateKey: parsed(() => createPrivateKey({ key: jwk, format: 'jwk' })),
  jwk,
});

/** What the parsers say may hold pieces of what they read. */
function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new Error('a private key is needed, in PEM or as a JWK, without a passphrase');
  }
}

const LEAST_RSA_BITS = 2048;

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): SigningAlgorithm {
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return 'ES256';
  if (type === 'ed25519') return 'EdDSA';
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= LEAST_RSA_BITS) return 'RS256';
  throw new Error(`it must be of P-256, Ed25519, or RSA with at least ${LEAST_RSA_BITS} bits`);
}

const PRIVATE_PARTS = ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const;

/** RFC 7638: the required members are exactly what an exported public key has. */
const thumbprint = (publicJwk: object): string =>
  createHash('sha256').update(canonicalJson(publicJwk)).digest('base64url');
