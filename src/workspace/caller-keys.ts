// Caller keys: minting, hashing, and the little of them that may be shown.
import { hash, randomBytes } from 'node:crypto';

/** SHA-256 in lower-case hex: what the index and the files hold instead of a key. */
export const keyHash = (key: string): string => hash('sha256', key);

/** A fresh key: 256 random bits. */
export const mintKey = (): string => `sb_${randomBytes(32).toString('base64url')}`;

/** Shown where a hint would give away too much of a short key, or where only the hash is known. */
export const NO_HINT = '****';

/** The last four characters of a key, or `****` when they would be a good part of it. */
export const keyHint = (key: string): string => (key.length >= 12 ? key.slice(-4) : NO_HINT);

/** Names a key without showing any of it: the first 16 hex digits of its SHA-256. */
export const keyId = (keySha256: string): string => keySha256.slice(0, 16);

/** A fresh secret in the form of Standard Webhooks: 256 random bits. */
export const mintWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
