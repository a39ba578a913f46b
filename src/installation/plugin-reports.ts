// The plugins that were added to the product's own: where each comes from, whether it runs, and what went wrong with it.
import type { Logger } from '../log.js';

export interface PluginReport {
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

export class PluginReports {
  private readonly reports = new Map<string, PluginReport>();
  /** Where the code of each lies, for finding out whose an error is. */
  private readonly places: { name: string; path: string }[] = [];

  constructor(
    private readonly log: Logger,
    private readonly redact: (text: string) => string,
  ) {}

  list(): PluginReport[] {
    return [...this.reports.values()].map((report) => ({ ...report, adds: [...report.adds] }));
  }

  /** A plugin was found. Its name may be another once its code is read. */
  found(name: string, source: string, path?: string): void {
    this.reports.set(name, { name, source, state: 'loading', adds: [], faults: 0 });
    if (path !== undefined) this.places.push({ name, path });
  }

  /** Its code was read: what it calls itself, and where the code lies. */
  renamed(from: string, to: string, path: string): void {
    const report = this.reports.get(from);
    if (!report) return;
    this.reports.delete(from);
    this.reports.set(to, { ...report, name: to });
    const place = this.places.find(({ name }) => name === from);
    if (place) Object.assign(place, { name: to, path });
    else this.places.push({ name: to, path });
  }

  running(name: string): void {
    const report = this.reports.get(name);
    if (report) report.state = 'running';
  }

  added(name: string, what: string): void {
    this.reports.get(name)?.adds.push(what);
  }

  /** It does not run. Said once in the log, and kept for whoever asks. */
  failed(name: string, why: string): void {
    const problem = this.redact(why);
    const report = this.reports.get(name);
    if (report) Object.assign(report, { state: 'failed', problem, adds: [] });
    this.log.error({ plugin: name, source: report?.source, problem }, 'a plugin does not run');
  }

  /** It runs, and something of it went wrong. */
  fault(name: string, what: string): void {
    const fault = this.redact(what);
    const report = this.reports.get(name);
    if (report) {
      report.faults++;
      report.lastFault = fault;
    }
    this.log.error({ plugin: name, fault }, 'a plugin did something wrong');
  }

  /** Whose code the text (a stack trace, an address) names; undefined when it is nobody's. */
  whose(text: string): string | undefined {
    const hits = this.places.filter(({ path }) => text.includes(path));
    return hits.sort((a, b) => b.path.length - a.path.length)[0]?.name;
  }

  /** Where plugins' code lies. */
  get paths(): readonly string[] {
    return this.places.map(({ path }) => path);
  }
}
