// What an author's code threw, in one line that names the place in that code.
import { dirname, sep } from 'node:path';
import { errorText, readable } from '../errors.js';

/** @param path where the code lies: a file, or a folder with all of it. */
export function problemText(thrown: unknown, path: string | undefined): string {
  const error = readable(thrown);
  // Node's own list of who required what names files of the switchboard; the place says it better.
  const said = errorText(error).split('\nRequire stack:')[0]!.replaceAll(/\s+/g, ' ').trim();
  const place = path === undefined ? undefined : placeIn(error, path);
  return place === undefined || said.includes(place) ? said : `${said} (${place})`;
}

/** The first line of the stack that is in that code, e.g. `weather.ts:7`; undefined when none is. */
function placeIn(error: unknown, path: string): string | undefined {
  if (!(error instanceof Error) || error.stack === undefined) return undefined;
  const start = error.stack.indexOf(path);
  if (start < 0) return undefined;
  const from = start + dirname(path).length + sep.length;
  return /^[^\n()]*?:\d+/.exec(error.stack.slice(from))?.[0];
}
