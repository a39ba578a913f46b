// A file that a message only points to, fetched the guarded way. What goes wrong is told to the caller without the
// address's path or query, which may be secrets.
import type { UrlPart } from '../../../src/a2a-model.js';
import { RunFailure } from '../../../src/executors/contract.js';
import { FetchError } from '../../../src/net/fetch-error.js';
import type { GuardedFetch } from '../../../src/net/guarded-fetch.js';
import { mediaTypeOf } from '../../../src/media-type.js';
import { parseUrl } from '../../../src/net/parse-url.js';

interface DownloadedFile {
  /** As the sender named it, or as the address ends; anything. */
  name: string;
  mediaType: string;
  bytes: Buffer;
}

const TOTAL_MS = 120_000;

/** Throws a RunFailure `download-failed`. */
export async function download(
  net: Pick<GuardedFetch, 'request'>,
  part: UrlPart,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<DownloadedFile> {
  const name = part.filename ?? lastSegment(part.url);
  try {
    const answer = await net.request({ purpose: 'file', trusted: false }, part.url, {
      signal,
      maxBytes,
      timeoutMs: TOTAL_MS,
    });
    if (answer.status !== 200) {
      await answer.discard();
      throw failure(part.url, `it answered with status ${answer.status}`);
    }
    const bytes = await answer.bytes();
    const declared = answer.headers['content-type']?.split(';', 1)[0]?.trim();
    return { name, bytes, mediaType: part.mediaType ?? (declared || mediaTypeOf(name)) };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw failure(part.url, error.reason === 'too-large' ? `it is larger than ${maxBytes} bytes` : error.message);
  }
}

const failure = (url: string, why: string): RunFailure =>
  new RunFailure(`The file at ${hostOf(url)} could not be fetched: ${why}.`, 'download-failed');

const hostOf = (url: string): string => parseUrl(url)?.host ?? 'that address';

function lastSegment(url: string): string {
  const segment = parseUrl(url)?.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
