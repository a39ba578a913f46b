// A request names one host (RFC 9112, section 3.2): with several, a proxy and this server might mean different ones.
import type { RequestHandler } from 'express';

/** Passes a 400 on for a request with several Host lines. */
export const oneHost = (): RequestHandler => (req, _res, next) => {
  const { rawHeaders } = req;
  let hosts = 0;
  // Names and values alternate.
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) next(Object.assign(new Error('There are several Host headers.'), { status: 400 }));
  else next();
};
