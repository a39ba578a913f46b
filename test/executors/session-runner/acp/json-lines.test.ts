import fc from 'fast-check';
import { jsonLinesOnly } from '../../../../plugins/executors/session-runner/drivers/acp/json-lines.js';

/** What comes out and what was dropped, when the bytes come in pieces of so many. */
async function filtered(text: string, size: number): Promise<{ passed: string; dropped: string[] }> {
  const dropped: string[] = [];
  const filter = jsonLinesOnly((beginning) => void dropped.push(beginning));
  const writer = filter.writable.getWriter();
  const bytes = Buffer.from(text);
  const writing = (async () => {
    for (let at = 0; at < bytes.length; at += size) await writer.write(bytes.subarray(at, at + size));
    await writer.close();
  })();
  const parts: Uint8Array[] = [];
  for await (const part of filter.readable) parts.push(part);
  await writing;
  return { passed: Buffer.concat(parts).toString(), dropped };
}

describe('lines of an agent that are no messages', () => {
  it.each([1, 2, 7, 1000])('are dropped, the others pass whole, in pieces of %d bytes', async (size) => {
    const text = 'Hello!\n{"a":1}\n\n  [2]\n \t{"b":"é\\n"}\r\n"{"\n{"c":3}';
    const { passed, dropped } = await filtered(text, size);
    expect(passed).toBe('{"a":1}\n{"b":"é\\n"}\r\n{"c":3}');
    expect(dropped).toEqual(['Hello!', '[2]', '"{"']);
  });

  it('show no more than their beginning', async () => {
    expect((await filtered('x'.repeat(100_000), 999)).dropped).toEqual(['x'.repeat(200)]);
  });

  it('never take anything out of a message, however the bytes fall', async () => {
    const message = fc.object().map((value) => JSON.stringify(value));
    const noise = fc.string().map((text) => `~${text.replaceAll('\n', '')}`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(message, noise)), fc.integer({ min: 1, max: 20 }), async (lines, size) => {
        const { passed } = await filtered(lines.map((line) => `${line}\n`).join(''), size);
        expect(passed.split('\n').filter(Boolean)).toEqual(lines.filter((line) => line.startsWith('{')));
      }),
      { numRuns: 50 },
    );
  });
});
