// What can be wrong with a home, each with what to do about it in plain words. Looking at the mirror opens it as a start
// would: an older schema is brought up to date, an unusable database set aside. Owners' files are only read.
import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { AppError, errorText } from '../errors.js';
import { configFile, dataDir, mirrorFile, operatorKeyFile, workspacesDir } from '../home.js';
import { silentLogger } from '../log.js';
import { openMirror } from '../mirror/open-mirror.js';
import { isOpenToOthers } from '../private-files.js';
import type { WorkspaceDirectory } from '../workspace/directory.js';

export interface Finding {
  check: string;
  level: 'ok' | 'warning' | 'problem';
  text: string;
  /** What to do; absent when nothing is to be done. */
  advice?: string;
}

export function checkFolders(home: string): Finding[] {
  if (modeOf(home) === undefined) {
    const text = `${home} does not exist yet`;
    return [{ check: 'home', level: 'warning', text, advice: 'Run "switchboard start": it makes what is missing.' }];
  }
  const folders = [home, workspacesDir(home), dataDir(home)].filter((folder) => modeOf(folder) !== undefined);
  const locked = folders.filter((folder) => !isWritable(folder));
  if (locked.length === 0) return [{ check: 'home', level: 'ok', text: home }];
  return locked.map((folder) => ({
    check: 'home',
    level: 'problem',
    text: `${folder} can't be written`,
    advice: `Give the user that runs the server the right to write there: chown or chmod ${folder}.`,
  }));
}

export function checkWorkspaces(workspaces: WorkspaceDirectory): Finding[] {
  const names = workspaces.names();
  const problems = workspaces.problems();
  const found: Finding[] = problems.map(({ workspace, file, problem }) => ({
    check: 'workspaces',
    level: 'problem',
    text: `${workspace}: ${file} ${problem}`,
    advice: `Correct ${file} of ${workspace}; it applies to the next request, without a restart.`,
  }));
  if (names.length === 0) {
    const advice = 'Make one with: switchboard init <name>. The next start makes a demo otherwise.';
    return [...found, { check: 'workspaces', level: 'warning', text: 'there is none', advice }];
  }
  return found.length > 0 ? found : [{ check: 'workspaces', level: 'ok', text: names.join(', ') }];
}

/** Files that hold keys in readable form must be their owner's alone. */
export function checkKeyFiles(config: Config, workspaces: WorkspaceDirectory): Finding[] {
  const files = [
    operatorKeyFile(config.home),
    ...(holds(configFile(config.home), /"operatorKey"/) ? [configFile(config.home)] : []),
    ...workspaces
      .names()
      .map((name) => join(workspaces.path(name), '.a2a', 'callers.json'))
      .filter((file) => holds(file, /"key"\s*:/)),
  ];
  const open = files.filter(isOpenToOthers);
  if (open.length === 0) return [{ check: 'keys', level: 'ok', text: 'no key file is open to others' }];
  return open.map((file) => ({
    check: 'keys',
    level: 'warning',
    text: `${file} can be read by other users and holds a key`,
    advice: `Run: chmod 600 ${file}`,
  }));
}

/** What the switchboard keeps for itself is nobody else's; a closed folder closes all below it. */
export function checkData(home: string): Finding[] {
  const data = dataDir(home);
  if (modeOf(data) === undefined) return [];
  const inside = readdirSync(data).map((name) => join(data, name));
  const open = [data, ...inside].filter((path) => path !== operatorKeyFile(home) && isOpenToOthers(path));
  if (open.length === 0) return [{ check: 'data', level: 'ok', text: `${data} is closed to others` }];
  return open.map((path) => ({
    check: 'data',
    level: 'warning',
    text: `${path} is open to other users`,
    advice: `Run: chmod go= ${path}`,
  }));
}

/** Only for a home without a running server: opening the mirror may bring its schema up to date. */
export function checkMirror(home: string): Finding {
  const file = mirrorFile(home);
  if (modeOf(file) === undefined)
    return { check: 'mirror', level: 'ok', text: 'not made yet; the next start makes it' };
  try {
    const mirror = openMirror({ file, log: silentLogger() });
    const { fresh } = mirror;
    mirror.close();
    if (!fresh) return { check: 'mirror', level: 'ok', text: file };
    const text = 'could not be used and was set aside; the next start reads it anew from the files';
    return { check: 'mirror', level: 'warning', text };
  } catch (error) {
    return { check: 'mirror', level: 'problem', text: errorText(error), advice: mirrorAdvice(error) };
  }
}

function mirrorAdvice(error: unknown): string {
  const code = error instanceof AppError ? error.code : undefined;
  if (code === 'locked') return 'Close what has it open; a start waits ten seconds for that';
  if (code === 'config')
    return 'Run the version that wrote it, or read it anew from the files with: switchboard rebuild';
  return 'Nothing is lost: read it anew from the files with: switchboard rebuild';
}

function modeOf(path: string): number | undefined {
  try {
    return statSync(path).mode;
  } catch {
    return undefined;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function holds(file: string, text: RegExp): boolean {
  try {
    return text.test(readFileSync(file, 'utf8'));
  } catch {
    return false;
  }
}
