// Signs cards: JWS with a detached payload, by every current key, so that a key can be replaced while old readers still
// know the one before. A card that did not change keeps its signatures, and with them its ETag.
import { sign } from 'node:crypto';
import { keepNewest } from '../../../../src/keep-newest.js';
import { canonicalJson } from './canonical-json.js';
import type { CardKey } from './card-keys.js';

interface CardSignature {
  /** Base64url of the protected header. */
  protected: string;
  signature: string;
}

/** Cards differ by agent, address and what a caller may use: more than these are signed anew. */
const CAPACITY = 1000;

export class CardSigner {
  /** By payload, the latest last. */
  private readonly known = new Map<string, CardSignature[]>();

  constructor(
    private readonly keys: readonly CardKey[],
    /** Where the public keys can be read, for the header. */
    private readonly jku: () => string | undefined,
  ) {}

  get signs(): boolean {
    return this.keys.length > 0;
  }

  /** For anybody who wants to check a card. */
  get jwks(): { keys: object[] } {
    return { keys: this.keys.map(({ publicJwk }) => publicJwk) };
  }

  /**
   * The document with a signature of each key; itself when there are no keys. It must stand in the form that its readers
   * reduce it to. Readers that also leave out everything empty, as the SDKs of the protocol do, find a signature of that
   * form after those of the document as it stands.
   */
  signed<T extends object>(document: T): T {
    if (!this.signs) return document;
    const forms = new Set([canonicalJson(document), canonicalJson(withoutEmpties(document) ?? {})]);
    return { ...document, signatures: [...forms].flatMap((payload) => this.signatures(payload)) };
  }

  private signatures(payload: string): CardSignature[] {
    const signatures = this.known.get(payload) ?? this.keys.map((key) => signatureOf(payload, key, this.jku()));
    keepNewest(this.known, payload, signatures, CAPACITY);
    return signatures;
  }
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

function signatureOf(payload: string, { kid, alg, privateKey }: CardKey, jku: string | undefined): CardSignature {
  const header = base64url(JSON.stringify({ alg, kid, typ: 'JOSE', ...(jku !== undefined && { jku }) }));
  const input = Buffer.from(`${header}.${base64url(payload)}`);
  // Ed25519 has its own digest; JWS wants the two numbers of ECDSA side by side.
  const signature = sign(alg === 'EdDSA' ? null : 'sha256', input, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return { protected: header, signature: signature.toString('base64url') };
}

/** Without empty strings, lists and objects, from the inside out; undefined when nothing is left. */
function withoutEmpties(value: unknown): unknown {
  if (value === '' || value === null) return undefined;
  if (Array.isArray(value)) {
    const kept = value.map(withoutEmpties).filter((item) => item !== undefined);
    return kept.length > 0 ? kept : undefined;
  }
  if (typeof value !== 'object') return value;
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const left = withoutEmpties(member);
    return left === undefined ? [] : [[name, left] as const];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
