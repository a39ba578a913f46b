// One run of a load through the load client's process.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RequestShape } from './requests.js';
import { compiledScript } from './script.js';

/** A server under load. */
export interface Target {
  name: string;
  pid: number;
  port: number;
  path: string;
  /** The caller's key; absent for servers that ask for none. */
  key?: string;
}

export interface LoadOptions {
  /** The measured window; `requests` instead measures until so many are answered. */
  seconds?: number;
  requests?: number;
  warmupSeconds?: number;
  connections?: number;
  /** Requests per second to offer; absent: as fast as answers come. */
  rate?: number;
}

export interface LoadResult {
  requests: number;
  perSecond: number;
  /** Server CPU per request, microseconds. */
  cpuMicros: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** `data:` lines of the usual answer. */
  events: number;
}

const run = promisify(execFile);

/** Runs one load and returns what came of it. Throws when a single answer was not what it should be. */
export async function load(target: Target, request: RequestShape, options: LoadOptions): Promise<LoadResult> {
  const [before = '', after = ''] = request.body.split('ID', 2);
  const job = {
    port: target.port,
    pid: target.pid,
    path: target.path,
    headers: {
      'Content-Type': 'application/json',
      'A2A-Version': '1.0',
      ...(target.key === undefined ? {} : { 'X-API-Key': target.key }),
    },
    before,
    after,
    expect: request.expect,
    connections: options.connections ?? 20,
    warmupSeconds: options.warmupSeconds ?? 0,
    seconds: options.seconds ?? 86_400,
    requests: options.requests,
    rate: options.rate,
  };
  const { stdout } = await run(process.execPath, [compiledScript('load-client'), JSON.stringify(job)]);
  const result = JSON.parse(stdout) as LoadResult & { failures: number; firstFailure?: string };
  if (result.requests === 0) throw new Error(`${target.name} answered nothing`);
  if (result.failures > 0) {
    throw new Error(
      `${target.name}: ${result.failures} of ${result.requests} answers were wrong: ${result.firstFailure}`,
    );
  }
  return result;
}
