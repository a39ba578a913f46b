// A name that somebody else chose, made into one harmless path segment that is still recognisable.

/** UTF-8 bytes: leaves room in the 255 that file systems allow for a prefix and a number. */
const MAX_BYTES = 120;
const MAX_EXTENSION_BYTES = 16;
/** Letters, marks and digits of every script survive, the emoji too; invisible characters and separators do not. */
const UNSAFE = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}._()+=@,-]/gu;
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** `report.pdf` → [`report`, `.pdf`]. A long tail after a dot is not an extension. */
export function splitExtension(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf('.');
  if (dot <= 0 || Buffer.byteLength(name.slice(dot)) > MAX_EXTENSION_BYTES) return [name, ''];
  return [name.slice(0, dot), name.slice(dot)];
}

/** The longest beginning of at most `bytes` UTF-8 bytes that ends with a whole character. */
function cut(text: string, bytes: number): string {
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, bytes))) {
    bytes -= Buffer.byteLength(segment);
    if (bytes < 0) break;
    kept += segment;
  }
  return kept;
}

/**
 * The last segment of whatever was given, at most 120 bytes, without separators, control characters, leading dots,
 * trailing dots or names that some system reserves for devices; `file` when nothing is left.
 */
export function safeFileName(name: string): string {
  const segment = name.split(/[/\\]/).findLast((part) => part.trim() !== '') ?? '';
  const clean = segment
    .normalize('NFC')
    .replace(/\p{C}/gu, '')
    .trim()
    .replace(UNSAFE, '_')
    .replace(/^\.+/, '')
    .replace(/\.+$/, '');
  const [stem, extension] = splitExtension(clean);
  const short = cut(stem, MAX_BYTES - Buffer.byteLength(extension)) + extension;
  return DEVICE.test(short) ? `_${short}` : short || 'file';
}
