// A request names one host (RFC 9112, section 3.2) and brings one authorization: with several, a proxy and this server might
// mean different ones, and Node would drop all but the first.
import type { RequestHandler } from 'express';

/** Passes a 400 on for a request with several Host or several Authorization lines. */
export const singleHeaders = (): RequestHandler => (req, _res, next) => {
  const { rawHeaders } = req;
  let hosts = 0;
  let authorizations = 0;
  // Names and values alternate.
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++;
  }
  if (hosts < 2 && authorizations < 2) return next();
  const name = hosts > 1 ? 'Host' : 'Authorization';
  next(Object.assign(new Error(`There are several ${name} headers.`), { status: 400 }));
};
