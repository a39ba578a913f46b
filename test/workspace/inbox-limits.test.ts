import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Inbox } from '../../src/workspace/inbox.js';
import { inboxLimits } from '../../src/workspace/inbox-limits.js';
import { TempWorkspaces } from '../support/temp-workspaces.js';

const ann = { id: 'demo/ann' };
const AT = Date.parse('2026-01-31T12:00:00Z');

function start(limits: { inboxFiles?: number; inboxBytes?: number }) {
  const home = new TempWorkspaces('demo');
  const inbox = new Inbox({ workspaces: home.workspaces, ...withLimits(limits) });
  const save = (size: number, at = AT): string => inbox.save('demo', { caller: ann, bytes: Buffer.alloc(size), at });
  return { home, save };
}
const withLimits = (limits: object) => ({ limits: () => ({ inboxFiles: Infinity, inboxBytes: Infinity, ...limits }) });

const full = /inbox is full/;

describe('an inbox', () => {
  test('takes no more files than it may', () => {
    const { save } = start({ inboxFiles: 2 });
    save(1);
    save(1);
    expect(() => save(1)).toThrow(full);
  });

  test('takes no file that would make it hold more bytes than it may', () => {
    const { save } = start({ inboxBytes: 100 });
    save(60);
    expect(() => save(41)).toThrow(full);
    save(40);
    expect(() => save(1)).toThrow(full);
  });

  test('has room again as soon as its owner has made some', () => {
    const { home, save } = start({ inboxFiles: 1 });
    const path = save(1);
    expect(() => save(1)).toThrow(full);
    rmSync(home.path('demo', path));
    expect(save(1)).toContain('inbox/');
  });

  test('counts what lies in folders, also when it went from there', () => {
    const { home, save } = start({ inboxFiles: 2 });
    mkdirSync(home.path('demo', 'inbox/kept'), { recursive: true });
    writeFileSync(home.path('demo', 'inbox/kept/a'), 'a');
    save(1);
    expect(() => save(1)).toThrow(full);
    rmSync(home.path('demo', 'inbox/kept/a'));
    expect(() => save(1, AT + 9_000)).toThrow(full);
    expect(save(1, AT + 10_001)).toContain('inbox/');
  });

  test('may hold the smaller of what its owner and the configuration say', () => {
    const config = { quota: { inboxFiles: 10, inboxBytes: 100 } };
    const workspaces = { has: (name: string) => name === 'demo', settings: () => ({ quota: { inboxFiles: 3 } }) };
    expect(inboxLimits(config, workspaces as never, 'demo')).toEqual({ inboxFiles: 3, inboxBytes: 100 });
    expect(inboxLimits(config, workspaces as never, 'gone')).toEqual(config.quota);
  });
});
