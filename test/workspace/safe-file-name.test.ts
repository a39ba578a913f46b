import fc from 'fast-check';
import { safeFileName, splitExtension } from '../../src/workspace/safe-file-name.js';

describe('a safe file name', () => {
  test.each([
    ['report.pdf', 'report.pdf'],
    ['/etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['../..', 'file'],
    ['a/b/', 'b'],
    ['', 'file'],
    ['   ', 'file'],
    ['...', 'file'],
    ['.bashrc', 'bashrc'],
    ['a\r\nX-Evil: 1.txt', 'aX-Evil__1.txt'],
    ['nul\0byte.txt', 'nulbyte.txt'],
    ['two words.txt', 'two_words.txt'],
    ['what?*<>|".txt', 'what______.txt'],
    ['trailing. ', 'trailing'],
    ['con', '_con'],
    ['NUL.txt', '_NUL.txt'],
    ['lpt1', '_lpt1'],
    ['übersicht-日本語-عربي.md', 'übersicht-日本語-عربي.md'],
    ['e\u0301.txt', '\u00e9.txt'],
    ['photo\u202Egnp.exe', 'photognp.exe'],
    ['lone\ud800.txt', 'lone.txt'],
    ['🙂.png', '🙂.png'],
    ['`rm -rf $HOME`;&.sh', '_rm_-rf__HOME___.sh'],
  ])('of %j is %j', (name, safe) => expect(safeFileName(name)).toBe(safe));

  test('keeps its extension when it is cut, and is cut between characters', () => {
    expect(safeFileName(`${'x'.repeat(500)}.tar.gz`)).toBe(`${'x'.repeat(117)}.gz`);
    expect(safeFileName(`${'日'.repeat(100)}.md`)).toBe(`${'日'.repeat(39)}.md`);
    expect(safeFileName(`${'🙂'.repeat(100)}`)).toBe('🙂'.repeat(30));
    expect(safeFileName(`x.${'y'.repeat(300)}`)).toHaveLength(120);
  });

  test('is one short, visible, harmless segment whatever came in, and stays as it is the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        const safe = safeFileName(name);
        expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(121);
        expect(safe).toMatch(/^[^./\\\p{C}\s][^/\\\p{C}\s]*$/u);
        expect(safeFileName(safe)).toBe(safe);
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  ['a.txt', ['a', '.txt']],
  ['a.tar.gz', ['a.tar', '.gz']],
  ['a', ['a', '']],
  ['.a', ['.a', '']],
  [`a.${'b'.repeat(16)}`, [`a.${'b'.repeat(16)}`, '']],
])('%j is split before its extension', (name, parts) => expect(splitExtension(name)).toEqual(parts));
