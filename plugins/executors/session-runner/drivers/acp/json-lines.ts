// Takes lines that are no JSON objects out of an agent's output. Some agents and the wrappers they start through print
// to standard output; answering that as a broken message would only confuse them.

const NEWLINE = 0x0a;
const BRACE = 0x7b;
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d]);

/** Passes lines that begin with a brace; `dropped` gets the first characters of each other one. */
export function jsonLinesOnly(dropped: (beginning: string) => void): TransformStream<Uint8Array, Uint8Array> {
  const SHOWN = 200;
  let state: 'begins' | 'passes' | 'drops' = 'begins';
  let beginning: number[] = [];
  const lineEnds = (): void => {
    if (state === 'drops') dropped(new TextDecoder().decode(Uint8Array.from(beginning)));
    state = 'begins';
    beginning = [];
  };
  return new TransformStream({
    transform(chunk, controller) {
      let from = 0;
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at] as number;
        if (state === 'begins') {
          if (byte === NEWLINE || BLANKS.has(byte)) continue;
          state = byte === BRACE ? 'passes' : 'drops';
          from = at;
        }
        if (state === 'drops' && byte !== NEWLINE && beginning.length < SHOWN) beginning.push(byte);
        if (byte !== NEWLINE) continue;
        if (state === 'passes') controller.enqueue(chunk.subarray(from, at + 1));
        from = at + 1;
        lineEnds();
      }
      if (state === 'passes' && from < chunk.length) controller.enqueue(chunk.subarray(from));
    },
    flush: lineEnds,
  });
}
