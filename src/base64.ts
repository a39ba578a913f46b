// Base64 from clients, checked: Buffer.from would skip what it does not know and store something else than was sent.

const ALPHABETS = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)$/;

/**
 * The bytes of standard or URL-safe base64, padded or not; or the `problem`, which continues "the value …". Nothing is
 * decoded beyond `maxBytes`.
 */
export function decodeBase64(text: string, maxBytes: number): Buffer | { problem: string } {
  const bare = text.endsWith('==') ? text.slice(0, -2) : text.endsWith('=') ? text.slice(0, -1) : text;
  const padded = bare.length !== text.length;
  // Four characters hold three bytes; a single one left over holds none.
  if (!ALPHABETS.test(bare) || bare.length % 4 === 1 || (padded && text.length % 4 !== 0)) {
    return { problem: 'must be base64' };
  }
  if (Math.floor((bare.length * 3) / 4) > maxBytes) return { problem: `must hold at most ${maxBytes} bytes` };
  return Buffer.from(bare, 'base64');
}
