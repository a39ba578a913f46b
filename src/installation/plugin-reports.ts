// The plugins that were added to the product's own: where each comes from, whether it runs, and what went wrong with it.
// Until a plugin's code has said its name, it is known by its source; a package may have the name of another's plugin.
import { clipped } from '../errors.js';
import type { Logger } from '../log.js';
import { withPlace } from './problem-text.js';

interface PluginReport {
  name: string;
  /** Path or package. */
  source: string;
  /** `loading` until it was started, `failed` when it could not be. */
  state: 'loading' | 'running' | 'failed';
  /** Why it failed. */
  problem?: string;
  /** Names of what it added, e.g. `agent weather`. */
  adds: string[];
  /** How often something of it went wrong while it ran, and what did last. */
  faults: number;
  lastFault?: string;
}

interface Entry {
  report: PluginReport;
  /** Its code was read, and `report.name` is what it calls itself. */
  named: boolean;
  /** Where its code lies, for finding out whose an error is. */
  path?: string | undefined;
}

export class PluginReports {
  private readonly entries: Entry[] = [];

  constructor(
    private readonly log: Logger,
    private readonly redact: (text: string) => string,
  ) {}

  list(): PluginReport[] {
    return this.entries.map(({ report }) => ({ ...report, adds: [...report.adds] }));
  }

  /** A plugin was found. */
  found(source: string, path?: string): void {
    this.entries.push({ report: { name: source, source, state: 'loading', adds: [], faults: 0 }, named: false, path });
  }

  /** Its code was read. Throws an Error when another one calls itself so. */
  named(source: string, name: string, path: string): void {
    if (this.entries.some(({ named, report }) => named && report.name === name)) {
      throw new Error(`there is already a plugin named ${name}`);
    }
    const entry = this.bySource(source);
    if (!entry) return;
    entry.report.name = name;
    Object.assign(entry, { named: true, path });
  }

  /** Its code can't be used. */
  unusable(source: string, why: string): void {
    this.end(this.bySource(source), source, why);
  }

  running(name: string): void {
    const report = this.byName(name)?.report;
    if (report) report.state = 'running';
  }

  added(name: string, what: string): void {
    this.byName(name)?.report.adds.push(what);
  }

  /** It does not run. */
  failed(name: string, why: string): void {
    this.end(this.byName(name), name, why);
  }

  /** It runs, and something of it went wrong. `thrown` tells where in its code. */
  fault(name: string, what: string, thrown?: unknown): void {
    const { report, path } = this.byName(name) ?? {};
    const fault = withPlace(clipped(this.redact(what)), thrown, path);
    if (report) {
      report.faults++;
      report.lastFault = fault;
    }
    this.log.error({ plugin: name, fault }, 'a plugin did something wrong');
  }

  /** Whose code the text (a stack trace, an address) names; undefined when it is nobody's. */
  whose(text: string): string | undefined {
    const hits = this.entries.filter(({ path }) => path !== undefined && text.includes(path));
    return hits.sort((a, b) => (b.path?.length ?? 0) - (a.path?.length ?? 0))[0]?.report.name;
  }

  /** Said once in the log, and kept for whoever asks. */
  private end(entry: Entry | undefined, name: string, why: string): void {
    const problem = clipped(this.redact(why));
    if (entry) Object.assign(entry.report, { state: 'failed', problem, adds: [] });
    this.log.error({ plugin: name, source: entry?.report.source, problem }, 'a plugin does not run');
  }

  private bySource(source: string): Entry | undefined {
    return this.entries.find(({ report }) => report.source === source);
  }

  private byName(name: string): Entry | undefined {
    return this.entries.find(({ named, report }) => named && report.name === name) ?? this.bySource(name);
  }
}
