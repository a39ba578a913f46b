// The whole run: each failpoint once on a fresh home, then random kills under load on homes that live for several.
import { setTimeout as sleep } from 'node:timers/promises';
import { FAILPOINTS, REMOTE_FAILPOINTS, type Failpoint } from '../../src/failpoints.js';
import { startSwitchboard } from '../support/compiled-server.js';
import { seededRandom, type Random } from '../support/random.js';
import { NeverListened, type ServerChild } from '../support/server-child.js';
import { makeTestHome, setRetention } from '../support/test-home.js';
import { Findings, KINDS, type Kind } from './findings.js';
import { Model } from './model.js';
import { startTraffic } from './traffic.js';
import { verifyPurge } from './verify-purge.js';
import { verify, type Subject } from './verify.js';
import { Webhooks } from './webhooks.js';

export interface CrashOptions {
  /** Random rounds. */
  rounds: number;
  /** The longest a server is loaded before it is killed, seconds. */
  seconds: number;
  seed: number;
  failpoints: readonly Failpoint[];
  say(text: string): void;
}

export type CrashResult = { rounds: number; failpoints: number; acknowledged: number; told: number } & Record<
  Kind,
  number
>;

export interface CrashReport {
  result: CrashResult;
  /** What was found, and whatever else went wrong; empty when all is well. */
  problems: string[];
}

/** Random kills that one home goes through. */
const ROUNDS_PER_HOME = 4;
const CALLERS = ['ann', 'bob'];
/** Tasks made before the purge of most of them, and how long either may take. */
const PURGED_LOAD = 60;
const PURGE_MS = 10_000;

/** Those that this load passes; remote-run.ts is about the others. */
export const ALL_FAILPOINTS: readonly Failpoint[] = FAILPOINTS.filter(
  (point) => !REMOTE_FAILPOINTS.some((remote) => remote === point),
);

export async function crashRun(options: CrashOptions): Promise<CrashReport> {
  return new CrashRun(options).run();
}

type Durability = 'process' | 'power';

class CrashRun {
  private readonly findings: Findings;
  private readonly complaints: string[] = [];
  private readonly random: Random;
  private acknowledged = 0;
  private told = 0;
  private reached = 0;
  private done = 0;

  constructor(private readonly options: CrashOptions) {
    this.findings = new Findings(options.say);
    this.random = seededRandom(options.seed);
  }

  async run(): Promise<CrashReport> {
    for (const point of this.options.failpoints) await this.failpoint(point);
    await this.randomRounds();
    const counts = Object.fromEntries(KINDS.map((kind) => [kind, this.findings.count(kind)])) as Record<Kind, number>;
    return {
      result: {
        rounds: this.done,
        failpoints: this.reached,
        acknowledged: this.acknowledged,
        told: this.told,
        ...counts,
      },
      problems: [...this.findings.list(), ...this.complaints],
    };
  }

  /** Dies at the point somewhere in the load; a point that is passed rarely gets a second try at its first pass. */
  private async failpoint(point: Failpoint): Promise<void> {
    const durability = point === 'journal.after-sync' ? 'power' : 'process';
    const rare = point.startsWith('blob.') || point.startsWith('purge.');
    for (const pass of [this.random.between(2, rare ? 3 : 30), 1]) {
      const died = await this.onHome(durability, (subject) =>
        point.startsWith('recovery.')
          ? this.dieRecovering(subject, point, 2 * pass)
          : point.startsWith('purge.')
            ? this.diePurging(subject, `${point}:${pass}`)
            : this.dieLoaded(subject, `${point}:${pass}`),
      );
      this.options.say(`${point}:${pass} ${died ? 'reached' : 'not reached'}`);
      if (died) {
        this.reached += 1;
        return;
      }
    }
    this.complaints.push(`the failpoint ${point} was never reached`);
  }

  private async randomRounds(): Promise<void> {
    for (let home = 0; this.done < this.options.rounds; home++) {
      await this.onHome(home % 2 === 0 ? 'process' : 'power', async (subject) => {
        for (let i = 0; i < ROUNDS_PER_HOME && this.done < this.options.rounds; i++) {
          this.done += 1;
          await this.killLoaded(subject);
          if (this.random.next() < 0.3) await this.killStarting(subject);
          const last = i === ROUNDS_PER_HOME - 1 || this.done === this.options.rounds;
          await verify(subject, { mirrorLost: this.done % 2 === 0, withoutMirror: last });
          const { model } = subject;
          this.options.say(
            `round ${this.done}: ${model.tasks.size} tasks seen, ${this.findings.list().length} findings`,
          );
        }
        return true;
      });
    }
  }

  /** Makes a home, lets `crash` do its work there, and verifies what it leaves when it says so. */
  private async onHome(durability: Durability, crash: (subject: Subject) => Promise<boolean>): Promise<boolean> {
    const home = makeTestHome({ callers: CALLERS, settings: { durability, allowPrivate: ['127.0.0.1'] } });
    const webhooks = await new Webhooks(this.random).start();
    const start = (): Promise<ServerChild> => startSwitchboard({ home: home.path });
    const subject: Subject = { home, model: new Model(webhooks), findings: this.findings, start };
    try {
      return await crash(subject);
    } catch (error) {
      if (!(error instanceof NeverListened)) throw error;
      this.findings.add('unreadable', `the server does not start on what it left: ${error.message}`);
      return true;
    } finally {
      this.acknowledged += subject.model.acknowledged;
      this.told += webhooks.count;
      webhooks.stop();
      home.remove();
    }
  }

  private async dieLoaded(subject: Subject, failpoint: string): Promise<boolean> {
    let died: boolean;
    try {
      const server = await startSwitchboard({ home: subject.home.path, env: { SWITCHBOARD_FAILPOINT: failpoint } });
      died = await this.loadUntilDead(subject, server, this.options.seconds * 1000);
      // Some points are passed only when a server leaves in good order.
      if (!died) died = (await server.stop()).signal === 'SIGKILL';
    } catch (error) {
      if (!killedItself(error)) throw error;
      died = true;
    }
    await verify(subject, { withoutMirror: true });
    return died;
  }

  /** First a crash that leaves something to recover, a torn line included; then one in the middle of recovering it. */
  private async dieRecovering(subject: Subject, failpoint: Failpoint, tornAt: number): Promise<boolean> {
    const torn = { SWITCHBOARD_FAILPOINT: `journal.torn-write:${tornAt}` };
    const server = await startSwitchboard({ home: subject.home.path, env: torn });
    const crashed = await this.loadUntilDead(subject, server, this.options.seconds * 1000);
    if (!crashed) await server.kill();
    let died = false;
    try {
      const again = await startSwitchboard({ home: subject.home.path, env: { SWITCHBOARD_FAILPOINT: failpoint } });
      await again.kill();
    } catch (error) {
      if (!killedItself(error)) throw error;
      died = true;
    }
    await verify(subject, { withoutMirror: true });
    return died;
  }

  /** First a load that ends in good order; then nothing that has ended may stay, and the server dies removing it. */
  private async diePurging(subject: Subject, failpoint: string): Promise<boolean> {
    const { home, model } = subject;
    const server = await subject.start();
    const load = startTraffic(server, home, model, this.random, this.complaints);
    model.onTask = (count) => count >= PURGED_LOAD && load.stop();
    await Promise.race([load.finished, sleep(PURGE_MS)]);
    load.stop();
    await load.finished;
    await server.stop();
    setRetention(home, { maxTasks: 5 });
    const dying = await startSwitchboard({ home: home.path, env: { SWITCHBOARD_FAILPOINT: failpoint } });
    const exit = await Promise.race([dying.exited, sleep(PURGE_MS).then(() => undefined)]);
    if (exit === undefined) await dying.stop();
    setRetention(home, {});
    await verifyPurge(subject);
    return exit?.signal === 'SIGKILL';
  }

  private async killLoaded(subject: Subject): Promise<void> {
    const server = await subject.start();
    const load = startTraffic(server, subject.home, subject.model, this.random, this.complaints);
    await sleep(this.random.between(50, this.options.seconds * 1000));
    await server.kill();
    await load.finished;
  }

  /** Kills a server somewhere between its first instruction and its first request. */
  private async killStarting({ home }: Subject): Promise<void> {
    const starting = startSwitchboard({ home: home.path, timeoutMs: this.random.between(100, 800) });
    await starting.then(
      (server) => server.kill(),
      () => undefined,
    );
  }

  /** True when the server killed itself; false when it is still alive and the load has stopped. */
  private async loadUntilDead(subject: Subject, server: ServerChild, ms: number): Promise<boolean> {
    const load = startTraffic(server, subject.home, subject.model, this.random, this.complaints);
    const exit = await Promise.race([server.exited, sleep(ms).then(() => undefined)]);
    load.stop();
    await load.finished;
    if (exit === undefined) return false;
    if (exit.signal !== 'SIGKILL') this.complaints.push(`the server left by itself (${exit.code}): ${server.stderr()}`);
    return true;
  }
}

const killedItself = (error: unknown): boolean => error instanceof NeverListened && error.exit.signal === 'SIGKILL';
