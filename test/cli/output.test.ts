// What becomes of results that can't be written, with the real process: a full disk, and a reader that goes away.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { Output } from '../../src/cli/output.js';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'switchboard-output-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** `callers list` of a home with so many callers, its standard output handled as the shell's words say. */
function list(callers: number, to: string) {
  mkdirSync(join(home, 'workspaces', 'desk', '.a2a'), { recursive: true });
  const entries = Array.from({ length: callers }, (_, at) => ({ name: `c${at}`, note: 'n'.repeat(100) }));
  writeFileSync(join(home, 'workspaces', 'desk', '.a2a', 'callers.json'), JSON.stringify({ callers: entries }));
  const command = `"$NODE" --import tsx "$MAIN" callers list ${to}`;
  const env = { ...process.env, NODE: process.execPath, MAIN, SWITCHBOARD_HOME: home };
  return spawnSync('bash', ['-o', 'pipefail', '-c', command], { env, encoding: 'utf8' });
}

const failing = (code: string): Writable =>
  new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(`write ${code}`), { code })) });

describe('results that can not be written', () => {
  it('make the command a failure that says so, where the disk is full', () => {
    const { status, stderr } = list(1, '> /dev/full');
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'The output could not be written (ENOSPC).\n' });
  });

  it('end the command quietly, where the reader has read enough', () => {
    const { status, stdout, stderr } = list(5_000, '| head -1');
    expect(stdout).toMatch(/^CALLER +KEYS/);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('an output', () => {
  it('tells once that it failed, and takes nothing more', async () => {
    const told: string[] = [];
    const output = new Output(failing('EIO'), (why) => told.push(why));
    output.write('one');
    await turn();
    output.write('two');
    await output.flush();
    expect(told).toEqual(['EIO']);
    expect(output).toMatchObject({ closed: true, lost: true });
  });

  it('that nobody reads any more is closed, and nothing is lost', async () => {
    const output = new Output(failing('EPIPE'), () => {
      throw new Error('told');
    });
    output.write('one');
    await output.flush();
    expect(output).toMatchObject({ closed: true, lost: false });
  });

  it('is written when all of it was taken', async () => {
    const stream = new PassThrough();
    const output = new Output(stream);
    output.write('one');
    await output.flush();
    expect(String(stream.read())).toBe('one');
    expect(output).toMatchObject({ closed: false, lost: false });
  });
});
