import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ensureOperatorKey,
  operatorKeyFile,
  readOperatorKey,
  readServerInfo,
  removeServerInfo,
  serverInfoFile,
  writeServerInfo,
} from '../src/home.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'switchboard-home-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('the operator key', () => {
  it('is generated once, kept, and readable by its owner alone', () => {
    const key = ensureOperatorKey(home);
    expect(key.length).toBeGreaterThan(30);
    expect(ensureOperatorKey(home)).toBe(key);
    expect(readOperatorKey(home)).toBe(key);
    expect(statSync(operatorKeyFile(home)).mode & 0o777).toBe(0o600);
  });

  it('is closed to others again where its file was opened to them', () => {
    ensureOperatorKey(home);
    chmodSync(operatorKeyFile(home), 0o644);
    ensureOperatorKey(home);
    expect(statSync(operatorKeyFile(home)).mode & 0o777).toBe(0o600);
  });

  it('is replaced when its file is empty', () => {
    ensureOperatorKey(home);
    writeFileSync(operatorKeyFile(home), '\n');
    expect(readOperatorKey(home)).toBeUndefined();
    expect(ensureOperatorKey(home)).toBe(readOperatorKey(home));
  });

  it('is not stored when one is configured', () => {
    expect(ensureOperatorKey(home, 'mine')).toBe('mine');
    expect(existsSync(operatorKeyFile(home))).toBe(false);
  });
});

describe('the server file', () => {
  const info = { url: 'http://127.0.0.1:1', pid: 4242, startedAt: '2026-01-02T03:04:05.000Z' };

  it('comes back as it was written', () => {
    expect(readServerInfo(home)).toBeUndefined();
    writeServerInfo(home, info);
    expect(readServerInfo(home)).toEqual(info);
  });

  it('is removed only by the server that wrote it', () => {
    writeServerInfo(home, info);
    removeServerInfo(home, 1);
    expect(readServerInfo(home)).toEqual(info);
    removeServerInfo(home, info.pid);
    expect(readServerInfo(home)).toBeUndefined();
  });

  it.each(['', '{', '[]', '{"url": 1}'])('counts as absent when it holds %j', (content) => {
    writeServerInfo(home, info);
    writeFileSync(serverInfoFile(home), content);
    expect(readServerInfo(home)).toBeUndefined();
  });
});
