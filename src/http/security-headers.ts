// What every answer says to a browser, whoever writes it: nothing here is a page, nothing may be framed, sniffed or kept.
// A route that serves something else says so itself, later.
import type { RequestHandler } from 'express';
import type { Config } from '../config.js';

export type Headers = readonly (readonly [name: string, value: string])[];

export function securityHeaders({ publicUrl }: Pick<Config, 'publicUrl'>): Headers {
  const headers: [string, string][] = [
    ['X-Content-Type-Options', 'nosniff'],
    ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'no-referrer'],
    ['Cache-Control', 'no-store'],
  ];
  // Only who is known to be behind TLS may insist on it.
  if (publicUrl?.startsWith('https:')) headers.push(['Strict-Transport-Security', 'max-age=31536000']);
  return headers;
}

export const setHeaders =
  (headers: Headers): RequestHandler =>
  (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
