// The layout of a home and the two small files the server keeps in it for its operator: the key and where it listens.
import { readFileSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AppError, isMissing, systemCode } from './errors.js';
import { closeToOthers, makePrivateFolder, writePrivateFile } from './private-files.js';

export const configFile = (home: string): string => join(home, 'switchboard.json');
export const workspacesDir = (home: string): string => join(home, 'workspaces');
/** Files of plugins, which are code of the operator's. */
export const pluginsDir = (home: string): string => join(home, 'plugins');
export const dataDir = (home: string): string => join(home, 'data');
/** Tasks, journal and blobs of the operator and of plugins. */
export const operatorDir = (home: string): string => join(dataDir(home), 'operator');
export const mirrorFile = (home: string): string => join(dataDir(home), 'mirror.sqlite');
export const operatorKeyFile = (home: string): string => join(dataDir(home), 'operator.key');
export const serverInfoFile = (home: string): string => join(dataDir(home), 'server.json');

/** Where the running server of a home is reached. */
export interface ServerInfo {
  url: string;
  pid: number;
  /** ISO 8601. */
  startedAt: string;
}

/** The stored operator key, or undefined when none was generated yet. */
export function readOperatorKey(home: string): string | undefined {
  const text = readIfThere(operatorKeyFile(home))?.trim();
  return text === '' ? undefined : text;
}

/** The operator's key: the configured one, else the stored one, else a fresh one stored with mode 0600. */
export function ensureOperatorKey(home: string, configured?: string): string {
  if (configured !== undefined) return configured;
  const stored = readOperatorKey(home);
  if (stored !== undefined) {
    closeToOthers(operatorKeyFile(home), 0o600);
    return stored;
  }
  const key = `op-${randomBytes(24).toString('base64url')}`;
  makePrivateFolder(dataDir(home));
  writePrivateFile(operatorKeyFile(home), `${key}\n`);
  return key;
}

export function writeServerInfo(home: string, info: ServerInfo): void {
  makePrivateFolder(dataDir(home));
  writePrivateFile(serverInfoFile(home), `${JSON.stringify({ v: 1, ...info })}\n`);
}

/** What the last server of this home wrote; undefined when none runs, or its file makes no sense. */
export function readServerInfo(home: string): ServerInfo | undefined {
  try {
    const info = JSON.parse(readIfThere(serverInfoFile(home)) ?? '') as Partial<ServerInfo>;
    if (typeof info.url !== 'string' || typeof info.pid !== 'number') return undefined;
    return { url: info.url, pid: info.pid, startedAt: String(info.startedAt ?? '') };
  } catch {
    return undefined;
  }
}

/** Removes the file unless a later server has already written its own. */
export function removeServerInfo(home: string, pid: number): void {
  if (readServerInfo(home)?.pid === pid) rmSync(serverInfoFile(home), { force: true });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new AppError('config', `${file} can't be read (${systemCode(error)}).`, {}, { cause: error });
  }
}
