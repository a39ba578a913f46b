// Writes a card: cacheable for a short while, and not at all when the reader has this very version already.
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';

/** Seconds. Short: an owner's edit should be seen soon. */
const MAX_AGE = 60;

/** `private` is for what depends on who asks. */
export type Visibility = 'public' | 'private';

export function sendCard(req: Request, res: Response, card: unknown, visibility: Visibility, type: string): void {
  const body = JSON.stringify(card);
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
  res.setHeader('ETag', etag);
  res.setHeader('Cache-Control', `${visibility}, max-age=${MAX_AGE}`);
  res.append('Vary', visibility === 'public' ? 'A2A-Version' : 'A2A-Version, Authorization, X-API-Key');
  if (isKnown(etag, req.headers['if-none-match'])) {
    res.status(304).end();
    return;
  }
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(body);
}

/** Whether If-None-Match, a list, names this version. Unlike express, `Cache-Control: no-cache` beside it is no matter. */
const isKnown = (etag: string, header: string | undefined): boolean =>
  header !== undefined && header.split(',').some((entry) => ['*', etag].includes(entry.trim().replace(/^W\//, '')));
