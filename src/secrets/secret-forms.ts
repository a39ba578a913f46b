// The spellings in which a secret may stand in a text: as it is, escaped, and encoded, also as part of something longer
// that was encoded. Pure.

/** Shorter spellings would be found in ordinary words. */
export const MIN_LENGTH = 6;

interface Forms {
  /** What stands for the secret alone. */
  plain: string[];
  /** Base64 of the secret at each of the three places it may have in its group; what is around belongs to it. */
  base64: string[];
}

export function formsOf(value: string): Forms {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const plain = [value, hex, hex.toUpperCase(), ...(/^[\w.~-]*$/.test(value) ? [] : escapedForms(value, bytes))];
  const base64 = [0, 1, 2].flatMap((before) => {
    const core = base64Core(bytes, before);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return { plain: usable(plain), base64: usable(base64) };
}

function escapedForms(value: string, bytes: Buffer): string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(bytes.toString());
  return [
    escaped,
    // JSON as a text within JSON.
    JSON.stringify(escaped).slice(1, -1),
    url,
    url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
  ];
}

const usable = (forms: string[]): string[] => [...new Set(forms)].filter((form) => form.length >= MIN_LENGTH);

/** The characters that only these bytes decide, when so many stand before them in their group. */
function base64Core(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replaceAll('=', '');
  const bits = 8 * (before + bytes.length);
  return text.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
}
