// Command doctor: is this home in order, and what to do where it is not.
import type { Command } from 'commander';
import type { Config } from '../config.js';
import { AppError, errorText } from '../errors.js';
import { lockHome } from '../home-lock.js';
import { readServerInfo } from '../home.js';
import { findClient, print, runningServer, settings, type Context, type GlobalOptions } from './context.js';
import { checkData, checkFolders, checkKeyFiles, checkMirror, checkWorkspaces, type Finding } from './doctor-checks.js';
import { pluginFindings, readPlugins } from './check-plugins.js';
import { remoteFindings } from './check-remote-agents.js';
import { EXIT } from './exit-codes.js';
import { localHome } from './local-home.js';

const MARKS = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' } as const;

export function addDoctor(program: Command, context: Context): void {
  context.act<[], object>(
    program.command('doctor').description('check the home and say what to do'),
    async (options) => {
      const findings = await examine(context, options);
      print(context, options, { findings }, () =>
        findings.flatMap(({ level, check, text, advice }) => [
          `${MARKS[level]}${check}: ${text}`,
          ...(advice === undefined ? [] : [`        → ${advice}`]),
        ]),
      );
      return findings.some(({ level }) => level === 'problem') ? EXIT.failure : EXIT.ok;
    },
  );
}

async function examine(context: Context, options: GlobalOptions): Promise<Finding[]> {
  let config: Config;
  try {
    config = settings(context, options);
  } catch (error) {
    const advice = 'Correct what is listed; nothing else can be checked before.';
    return [{ check: 'configuration', level: 'problem', text: errorText(error), advice }];
  }
  const { workspaces } = localHome(config.home);
  return [
    { check: 'configuration', level: 'ok', text: 'valid' },
    ...checkFolders(config.home),
    ...checkWorkspaces(workspaces),
    ...checkKeyFiles(config, workspaces),
    ...checkData(config.home),
    ...(await checkServer(context, options, config)),
  ];
}

/** The running server's own word, or the state of what it left. */
async function checkServer(context: Context, options: GlobalOptions, config: Config): Promise<Finding[]> {
  const { home } = config;
  if (checkFolders(home)[0]?.level !== 'ok') return [];
  const server = runningServer(home);
  const released = await tryLock(home);
  if (released) {
    const stale = readServerInfo(home) !== undefined;
    const text = stale ? 'not running; the last one did not stop cleanly' : 'not running';
    return [{ check: 'server', level: 'ok', text }, checkMirror(home), ...(await readPlugins(config, context.io.exit))];
  }
  if (server === undefined) {
    const text = 'a process holds the home, but it does not say where it listens';
    return [{ check: 'server', level: 'warning', text, advice: 'Wait until it has started, or end that process.' }];
  }
  try {
    const ready = await findClient(context, { ...options, url: server.url })?.ready();
    if (ready?.status === 'ready') {
      const plugins = pluginFindings(ready.plugins ?? []);
      const agents = remoteFindings(ready.remoteAgents ?? []);
      return [{ check: 'server', level: 'ok', text: `ready at ${server.url}` }, ...plugins, ...agents];
    }
    const advice = 'Look at its log; most often the disk is full.';
    return [{ check: 'server', level: 'problem', text: `not ready: ${ready?.ledger ?? 'unknown reason'}`, advice }];
  } catch (error) {
    const unauthorised = error instanceof AppError && error.code === 'unauthenticated';
    const advice = unauthorised
      ? 'Give doctor the same operator key that the server runs with.'
      : `Process ${server.pid} holds the home; look at its log, or end it and start again.`;
    return [{ check: 'server', level: 'problem', text: errorText(error), advice }];
  }
}

/** True when nobody held the home; it is free again afterwards. */
async function tryLock(home: string): Promise<boolean> {
  try {
    const lock = await lockHome(home);
    lock.release();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'locked') return false;
    throw error;
  }
}
