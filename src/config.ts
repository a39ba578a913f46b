// The only reader of process.env and of switchboard.json. The result is complete, validated and frozen.
import type { CardSource, Quota } from './workspace/settings.js';

export interface Config {
  /** Absolute path of the folder the server runs on. */
  home: string;
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** From the environment or the file; when absent one is generated into `data/`. */
  operatorKey?: string;
  /** Base URL that cards advertise, without trailing slash. */
  publicUrl?: string;
  durability: 'process' | 'power';
  logLevel: string;
  maxHops: number;
  sessionIdleSeconds: number;
  /** Bytes of one file part. */
  maxPartBytes: number;
  /** Bytes of one request body. */
  maxBodyBytes: number;
  heartbeatSeconds: number;
  chatWaitSeconds: number;
  turnDeadlineSeconds: number;
  rate: { perMinute: number; burst: number };
  quota: Quota;
  defaultAgent?: string;
  /** The generic card's own words, when the operator wants others than the default. */
  card?: Partial<CardSource>;
  /** Inbound and outbound halves can be switched off separately. */
  inbound: boolean;
  outbound: boolean;
  corsOrigins: string[];
  trustedProxies: string[];
  /** Kill the process at this named write, for crash tests: `name` or `name:n` for the n-th time. */
  failpoint?: string;
}
