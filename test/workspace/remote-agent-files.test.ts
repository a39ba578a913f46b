import { rmSync } from 'node:fs';
import { RemoteAgentFiles } from '../../src/workspace/remote-agent-files.js';
import { TempWorkspaces } from '../support/temp-workspaces.js';

const open = (home: TempWorkspaces): RemoteAgentFiles => new RemoteAgentFiles(home);
const peer = { name: 'peer', url: 'https://peer.example.com/a2a' };

describe('remote agents', () => {
  test('are what the file says now, with their keys kept out of logs', () => {
    const home = new TempWorkspaces('a');
    const remote = open(home);
    expect(remote.of('a').agents).toEqual([]);
    const full = {
      ...peer,
      key: 'secret-key-1',
      headers: { 'X-Team': 'secret-team' },
      protocol: '0.3',
      idempotent: true,
    };
    home.write('a', 'agents.json', [{ ...full, own: 1 }]);
    expect(remote.of('a')).toEqual({ agents: [full], problems: [] });
    home.log.info('secret-key-1 secret-team');
    expect(home.logged.join('')).not.toMatch(/secret-/);
    home.write('a', 'agents.json', { v: 1, agents: [{ ...peer, name: 'next' }] });
    expect(remote.of('a').agents.map(({ name }) => name)).toEqual(['next']);
  });

  test('have their keys kept out of logs also where their entry is skipped', () => {
    const home = new TempWorkspaces('a');
    home.write('a', 'agents.json', { agents: [{ name: 'x', key: 'secret-key-2', headers: { a: 'secret-ü', b: 1 } }] });
    expect(open(home).of('a').agents).toEqual([]);
    home.log.info('secret-key-2 secret-ü');
    expect(home.logged.join('')).not.toMatch(/secret-/);
  });

  test('lose bad entries only', () => {
    const home = new TempWorkspaces('a');
    home.write('a', 'agents.json', {
      agents: [
        1,
        { name: 'x' },
        { ...peer, url: 'file:///etc/passwd' },
        { ...peer, name: 'tasks' },
        { ...peer, headers: { a: 'b\r\nc: d' } },
        peer,
        peer,
      ],
    });
    expect(open(home).of('a')).toEqual({
      agents: [peer],
      problems: [
        'entry 1 is skipped: it is not an object',
        'entry 2 is skipped: "url" is not valid',
        'entry 3 is skipped: "url" is not valid',
        'entry 4 is skipped: its name is reserved',
        'entry 5 is skipped: "headers" is not valid',
        'entry 7 is skipped: there is already an agent "peer"',
      ],
    });
    expect(home.workspaces.problems()).toHaveLength(6);
  });

  test.each(['{', '{"agents":{}}', '{"v":2,"agents":[]}'])(
    'stay the last good ones while the file reads %j',
    (text) => {
      const home = new TempWorkspaces('a');
      const remote = open(home);
      home.write('a', 'agents.json', [peer]);
      expect(remote.of('a').unreadable).toBeUndefined();
      home.write('a', 'agents.json', text);
      for (const _ of [1, 2])
        expect(remote.of('a')).toMatchObject({
          agents: [peer],
          unreadable: expect.stringMatching(/^agents\.json /) as string,
        });
      expect(home.warnings()).toHaveLength(1);
      rmSync(home.path('a', '.a2a', 'agents.json'));
      expect(remote.of('a')).toEqual({ agents: [], problems: [] });
    },
  );

  test('of a workspace that does not exist are none', () => {
    expect(open(new TempWorkspaces('a')).of('b')).toEqual({ agents: [], problems: [] });
    expect(open(new TempWorkspaces('a')).of('../a').agents).toEqual([]);
  });

  test('of all workspaces are looked at when the problems are listed', () => {
    const home = new TempWorkspaces('a', 'b');
    open(home);
    home.write('b', 'agents.json', '{');
    expect(home.workspaces.problems()).toMatchObject([{ workspace: 'b', file: 'agents.json' }]);
  });
});
