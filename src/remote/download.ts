// A file that an agent's part points to: with the key only to the agent's own origin, up to a size, and in memory, so that
// a broken download leaves nothing behind.
import type { PeerSession } from './peer-session.js';
import type { CallOptions, InlineFile } from './remote-port.js';
import { parseUrl } from '../net/parse-url.js';

/** A file that trickles in for longer is given up. */
const WHOLE_MS = 1_800_000;

/** `options.timeoutMs`: of silence. Throws RemoteError, `refused` with code `TOO_LARGE` for a file above the limit. */
export async function downloadFile(
  { http, faults }: Pick<PeerSession, 'http' | 'faults'>,
  url: string,
  maxBytes: number,
  { signal, timeoutMs, traceparent }: CallOptions,
): Promise<InlineFile> {
  if (!parseUrl(url)) throw faults.unreachable('the address of its file is not usable', 'BAD_URL');
  const answer = await http.ask({
    method: 'GET',
    url,
    headers: { accept: '*/*', ...(traceparent !== undefined && { traceparent }) },
    maxBytes,
    idle: true,
    wholeMs: WHOLE_MS,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(signal && { signal }),
  });
  if (answer.status < 200 || answer.status >= 300) throw faults.noFile(answer.status);
  const filename = nameOf(answer.headers.get('content-disposition'), url);
  const mediaType = answer.headers.get('content-type')?.split(';')[0]?.trim();
  return { bytes: answer.bytes, ...(filename && { filename }), ...(mediaType && { mediaType }) };
}

/** The name that the answer gives, else the address's last segment. Not yet safe as a file's name. */
function nameOf(disposition: string | null, url: string): string | undefined {
  const encoded = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(disposition ?? '')?.[1];
  const quoted = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition ?? '');
  const segment = new URL(url).pathname.split('/').at(-1) ?? '';
  return decoded(encoded) ?? quoted?.[1] ?? quoted?.[2] ?? decoded(segment);
}

function decoded(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
