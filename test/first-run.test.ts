import { firstRunLines, prepareFirstRun } from '../src/first-run.js';
import { TempWorkspaces } from './support/temp-workspaces.js';

describe('the first run', () => {
  it('makes a demo workspace whose one caller has the key that is returned', async () => {
    const { workspaces, callers } = new TempWorkspaces();
    const first = await prepareFirstRun({ workspaces, callers });
    expect(workspaces.names()).toEqual(['demo']);
    expect(callers.list().map(({ id }) => id)).toEqual([first?.caller]);
    expect((await callers.authenticate(first?.key ?? ''))?.id).toBe('demo/guest');
  });

  it('leaves a home with any workspace alone', async () => {
    const { workspaces, callers } = new TempWorkspaces('mine');
    expect(await prepareFirstRun({ workspaces, callers })).toBeUndefined();
    expect(workspaces.names()).toEqual(['mine']);
  });

  it('quotes paths for the shell', () => {
    const first = { workspace: 'demo', path: '/x', caller: 'demo/guest', key: 'k' };
    const lines = firstRunLines(first, { url: 'http://127.0.0.1:1', operatorKeyFile: `/it's $HOME/key` });
    expect(lines.join('\n')).toContain(`$(cat '/it'\\''s $HOME/key')`);
  });
});
