import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markedProcesses } from '../../plugins/executors/session-runner/drivers/acp/marked-processes.js';
import { compileAcpAgent } from '../support/compiled-acp-agent.js';
import { type as typed } from '../support/fake-terminal.js';

const agent = compileAcpAgent();
afterAll(() => agent.remove());

describe('init with an agent', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'switchboard-init-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const settingsOf = (name: string): unknown =>
    JSON.parse(readFileSync(join(home, 'workspaces', name, '.a2a', 'workspace.json'), 'utf8'));
  const { command, args } = agent.driver();
  const line = (...flags: string[]): string => [command, ...args, ...flags].map((word) => `'${word}'`).join(' ');

  it('writes the workspace and proves it with one prompt', async () => {
    const { code, out } = await typed(home, ['init', 'desk', '--acp', line('--http'), '--env', 'A_KEY, B_KEY']);
    expect(out).toContain('The agent works. It says:\nyou said: Say in one short sentence that you are ready.');
    expect(code).toBe(0);
    const driver = { name: 'acp', command, args: [...args, '--http'], env: ['A_KEY', 'B_KEY'], permissions: 'ask' };
    expect(settingsOf('desk')).toEqual({ v: 1, driver });
    const own = (pid: number): boolean => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(args[0] as string);
    expect(markedProcesses('').filter(own)).toEqual([]);
  });

  it('says what is wrong with an agent that does not work, and leaves the workspace to be mended', async () => {
    const { code, out, err } = await typed(home, ['init', 'desk', '--acp', line('--login'), '--caller', 'bob']);
    expect(code).toBe(1);
    expect(out).toContain('The key of desk/bob');
    for (const words of ['The agent wants a login', 'Mend .a2a/workspace.json']) expect(err).toContain(words);
    const again = await typed(home, [
      'init',
      'other',
      '--acp',
      'no-such-agent --flag',
      '--permissions',
      'deny',
      '--json',
    ]);
    expect(again.json()).toMatchObject({ works: false, answer: 'The agent\'s program "no-such-agent" was not found.' });
    expect(settingsOf('other')).toMatchObject({ driver: { args: ['--flag'], permissions: 'deny' } });
  });

  it.each([
    [['--acp', '"open']],
    [['--acp', 'x', '--permissions', 'maybe']],
    [['--acp', 'x', '--env', 'SWITCHBOARD_OPERATOR_KEY']],
    [['--env', 'A_KEY']],
  ])('refuses %j before anything is made', async (options) => {
    expect(await typed(home, ['init', 'desk', ...options])).toMatchObject({ code: 2 });
    expect(() => settingsOf('desk')).toThrow('ENOENT');
  });
});
