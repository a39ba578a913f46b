// What an author's code threw, in one line that names the place in that code.
import { dirname, sep } from 'node:path';
import { errorText } from '../errors.js';

/** @param path where the code lies: a file, or a folder with all of it. */
export function problemText(thrown: unknown, path: string | undefined): string {
  // Node's own list of who required what names files of the switchboard; the place says it better.
  const said = errorText(thrown).split('\nRequire stack:')[0]!.replaceAll(/\s+/g, ' ').trim();
  return withPlace(said, thrown, path);
}

/** The text, and behind it the place in the author's code, unless that stands in the text or is not known. */
export function withPlace(said: string, thrown: unknown, path: string | undefined): string {
  const place = path === undefined ? undefined : placeIn(thrown, path);
  return place === undefined || said.includes(place) ? said : `${said} (${place})`;
}

/** The first line of the stack that is in that code, e.g. `weather.ts:7`; undefined when none is. */
function placeIn(thrown: unknown, path: string): string | undefined {
  const stack = stackOf(thrown);
  const start = stack.indexOf(path);
  if (start < 0) return undefined;
  const from = start + dirname(path).length + sep.length;
  return /^[^\n()]*?:\d+/.exec(stack.slice(from))?.[0];
}

/** Empty where there is none, or none that can be read. Errors of other realms have one, too. */
function stackOf(thrown: unknown): string {
  try {
    const { stack } = thrown as { stack?: unknown };
    return typeof stack === 'string' ? stack : '';
  } catch {
    return '';
  }
}
