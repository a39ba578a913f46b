// Finds any of very many strings in one pass over a text. Each place of the text costs one step of a rolling hash and one
// look at a bitmap; only where that says "perhaps" the strings that begin alike are compared.
import { MIN_LENGTH } from './secret-forms.js';

interface Alike {
  /** Each length that there is, descending. */
  lengths: number[];
  /** True for those where the characters of the encoding around them belong to the find. */
  texts: Map<string, boolean>;
}

interface Find {
  end: number;
  extends: boolean;
}

/** 2^22 bits are half a megabyte, and stay sparse with some 100,000 strings. */
const BITS = 22;
const MASK = (1 << BITS) - 1;
/** Shifting by this much, a character has left the hash after MIN_LENGTH steps. */
const SHIFT = Math.ceil(BITS / MIN_LENGTH);

export class SecretMatcher {
  private readonly perhaps = new Uint8Array(1 << (BITS - 3));
  /** By their first MIN_LENGTH characters. Many may begin alike: none of them is compared one by one. */
  private readonly alike = new Map<string, Alike>();

  /** `text` of at least MIN_LENGTH characters. */
  add(text: string, extending: boolean): void {
    const head = text.slice(0, MIN_LENGTH);
    const { lengths, texts } = this.alike.get(head) ?? { lengths: [], texts: new Map<string, boolean>() };
    if (texts.has(text)) return;
    this.alike.set(head, { lengths, texts: texts.set(text, extending) });
    if (!lengths.includes(text.length)) lengths.push(text.length);
    lengths.sort((a, b) => b - a);
    let hash = 0;
    for (let i = 0; i < MIN_LENGTH; i++) hash = step(hash, head.charCodeAt(i));
    this.perhaps[hash >> 3] = (this.perhaps[hash >> 3] as number) | (1 << (hash & 7));
  }

  /** The text with every find replaced. */
  replace(text: string, by: string): string {
    if (this.alike.size === 0) return text;
    let clean = '';
    let from = 0;
    let hash = 0;
    for (let at = 0; at < text.length; at++) {
      hash = step(hash, text.charCodeAt(at));
      if (((this.perhaps[hash >> 3] as number) & (1 << (hash & 7))) === 0) continue;
      const start = at - MIN_LENGTH + 1;
      if (start < from) continue;
      const found = this.findAt(text, start);
      if (!found) continue;
      clean += text.slice(from, found.extends ? tokenStart(text, start, from) : start) + by;
      from = found.extends ? tokenEnd(text, found.end) : found.end;
      at = from - 1;
    }
    return from === 0 ? text : clean + text.slice(from);
  }

  /** The longest there, so that no value uncovers the rest of one that begins with it. */
  private findAt(text: string, start: number): Find | undefined {
    const { lengths, texts } = this.alike.get(text.slice(start, start + MIN_LENGTH)) ?? {};
    for (const length of lengths ?? []) {
      const extending = texts?.get(text.slice(start, start + length));
      if (extending !== undefined) return { end: start + length, extends: extending };
    }
    return undefined;
  }
}

const step = (hash: number, code: number): number => ((hash << SHIFT) ^ (code * 0x9e3779b1)) & MASK;

const isBase64 = (text: string, at: number): boolean => /[A-Za-z0-9+/=_-]/.test(text.charAt(at));

function tokenStart(text: string, start: number, floor: number): number {
  let at = start;
  while (at > floor && isBase64(text, at - 1)) at--;
  return at;
}

function tokenEnd(text: string, end: number): number {
  let at = end;
  while (at < text.length && isBase64(text, at)) at++;
  return at;
}
