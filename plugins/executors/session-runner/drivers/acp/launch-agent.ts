// Starts an agent's process and puts the protocol's stream over its standard input and output.
import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import type { Clock } from '../../../../../src/clock.js';
import type { Environment } from '../../../../../src/environment.js';
import type { Logger } from '../../../../../src/log.js';
import type { AgentLink } from './agent-link.js';
import { AgentProcess } from './agent-process.js';
import type { AcpSettings } from '../../../../../src/workspace/driver-settings.js';
import { jsonLinesOnly } from './json-lines.js';

export interface LaunchOptions {
  settings: AcpSettings;
  /** Absolute path of the workspace's folder. */
  cwd: string;
  mark: string;
  environment: Environment;
  clock: Clock;
  log: Logger;
}

/** Bytes of one message; a file in base64 fits, a runaway agent does not fill the memory. */
const MAX_MESSAGE = 32 * 1024 * 1024;

/** What agents need to find their own settings and logins, beyond what every program is given. */
const OWN = ['HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM'];

/** Throws a RunFailure in plain words when the program can't be started. */
export async function launchAgent(options: LaunchOptions): Promise<AgentLink> {
  const { settings, cwd, mark, environment, clock, log } = options;
  const { command, args } = settings;
  const env = environment.forChild([...OWN, ...settings.env]);
  const missing = settings.env.filter((name) => env[name] === undefined);
  if (missing.length > 0) log.warn({ missing }, 'variables that the driver names are not set');
  const child = await AgentProcess.start({ command, args, cwd, env, mark }, { clock, log });
  let noise = 0;
  const output = (Readable.toWeb(child.output) as ReadableStream<Uint8Array>).pipeThrough(
    jsonLinesOnly((beginning) => {
      if (++noise === 1) log.warn({ beginning }, 'the agent prints lines that are no messages; they are passed over');
    }),
  );
  return {
    stream: ndJsonStream(Writable.toWeb(child.input), output, { maxMessageBytes: MAX_MESSAGE }),
    ended: child.ended,
    get over() {
      return child.over;
    },
    get lastErrors() {
      return child.lastErrors;
    },
    close: () => child.close(),
    kill: () => child.kill(),
  };
}
