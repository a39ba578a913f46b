import { describe, expect, test } from '@jest/globals';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from '../conformance/client/start.js';
import { MisbehavingPeer } from '../support/peers/misbehaving-peer.js';
import { closeAfter, RemoteHome } from '../support/remote-home.js';

const start = async (): Promise<MisbehavingPeer> => closeAfter(await new MisbehavingPeer().start());

describe('remote agents', () => {
  test('are the scope’s own, then those of the home; an edit applies to the next call', async () => {
    const [one, two] = [await start(), await start()];
    const home = new RemoteHome().homeAgents(
      { name: 'shared', url: one.url },
      { name: 'peer', url: 'http://127.0.0.1:1' },
    );
    home.agents({ name: 'peer', url: one.url, description: 'mine' });
    expect(home.remotes.list('demo').map(({ name, url }) => [name, url])).toEqual([
      ['peer', `${one.url}/`],
      ['shared', `${one.url}/`],
      ['peer', 'http://127.0.0.1:1/'],
    ]);
    expect(home.remotes.find('peer', 'demo')).toMatchObject({ listed: 'workspace', url: `${one.url}/` });
    expect(home.remotes.list('operator').map(({ name }) => name)).toEqual(['shared', 'peer']);
    expect(home.remotes.find('peer', 'demo')?.description).toBe('mine');
    await (await home.remotes.connect('peer', 'demo')).send({ message: text('x') });
    home.agents({ name: 'peer', url: two.url, key: 'another-key', callbackUrl: 'https://me.example' });
    await (await home.remotes.connect('peer', 'demo')).send({ message: text('x') });
    expect([one, two].map((peer) => peer.calls('SendMessage').length)).toEqual([1, 1]);
    expect(two.calls('SendMessage')[0]?.headers.authorization).toBe('Bearer another-key');
    expect(home.remotes.callbackUrl('peer', 'demo')).toBe('https://me.example');
    home.log.info('another-key');
    expect(home.logged.join()).not.toContain('another-key');
    home.homeAgents();
    await expect(home.remotes.connect('shared', 'demo')).rejects.toMatchObject({ fault: 'unknown-agent', sent: false });
  });

  test('that are not configured are refused with the names that are', async () => {
    const home = new RemoteHome().homeAgents({ name: 'b', url: 'https://b.example' });
    await expect(home.remotes.connect('x', 'demo')).rejects.toThrow('There is no agent "x"; configured are b.');
    home.homeAgents();
    await expect(home.remotes.connect('x', 'demo')).rejects.toThrow('There is no agent "x"; none is configured.');
    expect(home.remotes.find('x', 'demo')).toBeUndefined();
  });

  test('stay the last good ones while a file can not be read, and whoever asks is told', async () => {
    const peer = await start();
    const home = new RemoteHome().agents({ name: 'peer', url: peer.url });
    expect(home.remotes.unreadable('demo')).toBeUndefined();
    await home.remotes.connect('peer', 'demo');
    home.write('demo', 'agents.json', '{"agents": [');
    expect(home.remotes.unreadable('demo')).toMatch(/^agents\.json is not valid JSON/);
    expect((await home.remotes.connect('peer', 'demo')).agent).toBe('peer');
    await expect(home.remotes.connect('other', 'demo')).rejects.toMatchObject({
      fault: 'unreadable-config',
      message: expect.stringMatching(/^agents\.json is not valid JSON/),
    });
    writeFileSync(join(home.home, 'switchboard.json'), '[');
    home.agents();
    expect(home.remotes.unreadable('demo')).toMatch(/^switchboard\.json is not valid JSON/);
    rmSync(join(home.home, 'switchboard.json'));
    expect(home.remotes.unreadable('demo')).toBeUndefined();
  });

  test('keep their last good card while a newer one can not be had', async () => {
    const peer = await start();
    const home = new RemoteHome().agents({ name: 'peer', url: peer.url });
    await home.remotes.connect('peer', 'demo');
    home.clock.advance(300_000);
    peer.next('card', { status: 500 });
    const remote = await home.remotes.connect('peer', 'demo');
    expect(home.remotes.find('peer', 'demo')).toMatchObject({
      reachable: 'no',
      problem: 'peer could not be reached: it answered with HTTP_500.',
      skills: [{ id: 'work' }],
    });
    await remote.send({ message: text('x') });
    await home.remotes.connect('peer', 'demo');
    expect(peer.calls('card')).toHaveLength(2);
    home.clock.advance(30_000);
    await home.remotes.connect('peer', 'demo');
    expect(peer.calls('card')).toHaveLength(3);
    expect(home.remotes.find('peer', 'demo')).toMatchObject({ reachable: 'yes', lastSeen: expect.any(String) });
  });

  test('share one fetch of the card among calls at once, and one that gives up does not end it', async () => {
    const peer = await start();
    peer.next('card', 'hold');
    const home = new RemoteHome().agents({ name: 'peer', url: peer.url });
    const controller = new AbortController();
    const given = home.remotes.connect('peer', 'demo', { signal: controller.signal });
    const failed = expect(given).rejects.toMatchObject({ fault: 'aborted' });
    const others = [1, 2, 3].map(() => home.remotes.connect('peer', 'demo'));
    await peer.called('card');
    controller.abort();
    await failed;
    peer.release();
    expect((await Promise.all(others)).map(({ agent }) => agent)).toEqual(['peer', 'peer', 'peer']);
    expect(peer.calls('card')).toHaveLength(1);
  });

  test('are found at the card itself when the address is one', async () => {
    const peer = await start();
    const home = new RemoteHome().agents({ name: 'peer', url: `${peer.url}/cards/my-agent-card.json?v=1` });
    await home.remotes.connect('peer', 'demo');
    expect(peer.requests.map(({ path }) => path)).toEqual(['/cards/my-agent-card.json?v=1']);
    expect(home.remotes.find('peer', 'demo')?.url).toBe(`${peer.url}/cards/my-agent-card.json`);
  });

  test('without any card are told as such, whatever is there instead', async () => {
    const peer = await start();
    for (const misdeed of ['html', 'redirect', { status: 404 }, { raw: '{"name":"no interfaces"}' }] as const) {
      peer.next('card', misdeed, misdeed);
      const home = new RemoteHome().agents({ name: 'peer', url: peer.url });
      await expect(home.remotes.connect('peer', 'demo')).rejects.toMatchObject({ fault: 'unreachable' });
    }
    const home = new RemoteHome().agents({ name: 'peer', url: peer.url, key: 'wrong-key' });
    peer.next('card', { status: 401 });
    await expect(home.remotes.connect('peer', 'demo')).rejects.toMatchObject({ fault: 'rejected-key' });
  });

  test('are looked at in the background, and again later, until it stops', async () => {
    const peer = await start();
    const home = new RemoteHome().agents({ name: 'peer', url: peer.url });
    home.homeAgents({ name: 'dead', url: 'http://127.0.0.1:1' });
    home.remotes.start();
    await peer.called('card', 1);
    while (home.clock.pending === 0 || home.remotes.list('demo').some(({ reachable }) => reachable === 'unknown'))
      await new Promise(setImmediate);
    expect(home.remotes.list('demo').map(({ reachable }) => reachable)).toEqual(['yes', 'no']);
    home.clock.advance(300_000);
    await peer.called('card', 2);
    home.remotes.stop();
    home.clock.advance(600_000);
    expect(peer.calls('card')).toHaveLength(2);
  });

  test('are not called where that is switched off', async () => {
    const peer = await start();
    const home = new RemoteHome(false).agents({ name: 'peer', url: peer.url });
    home.remotes.start();
    await expect(home.remotes.connect('peer', 'demo')).rejects.toMatchObject({ fault: 'unsupported', sent: false });
    expect(await home.remotes.probe('demo')).toMatchObject([{ name: 'peer', reachable: 'unknown' }]);
    expect(peer.requests).toEqual([]);
  });
});
