// Numbers for Prometheus in its text format. Every label has a closed set of values, so that no caller can make the set of
// series grow.
import type { Response } from 'express';

export interface Counter {
  /** Adds to the series of these label values, in the order of the labels. One outside its set counts as `other`. */
  add(values?: readonly string[], amount?: number): void;
}

/** One label's value and the number that belongs to it. */
type Reading = readonly (readonly [value: string, amount: number])[];

const NAME = /^[a-z][a-z0-9_]*$/;
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge';
  lines(): string[];
}

export class Metrics {
  private readonly families = new Map<string, Family>();

  /** `labels`: each label with all values it may have. Series that never counted are shown as 0 where there is no label. */
  counter(name: string, help: string, labels: Readonly<Record<string, readonly string[]>> = {}): Counter {
    const names = Object.keys(labels);
    const series = new Map<string, number>(names.length === 0 ? [['', 0]] : []);
    this.register({
      name,
      help,
      type: 'counter',
      lines: () => [...series].map(([key, amount]) => `${name}${key} ${amount}`),
    });
    return {
      add(values = [], amount = 1) {
        const pairs = names.map((label, i): [string, string] => {
          const value = values[i] ?? '';
          return [label, labels[label]?.includes(value) ? value : 'other'];
        });
        const key = labelled(pairs);
        series.set(key, (series.get(key) ?? 0) + amount);
      },
    };
  }

  /** A number that is read when it is asked for; `type` counter for one that only grows. */
  gauge(name: string, help: string, read: () => number, type: Family['type'] = 'gauge'): void {
    this.register({ name, help, type, lines: () => [`${name} ${read()}`] });
  }

  /** One number per value of a label; the values come from a closed set of the product's own words. */
  gauges(name: string, help: string, label: string, read: () => Reading): void {
    const lines = (): string[] => read().map(([value, amount]) => `${name}${labelled([[label, value]])} ${amount}`);
    this.register({ name, help, type: 'gauge', lines });
  }

  /** The text format 0.0.4. */
  text(): string {
    const blocks = [...this.families.values()].map(({ name, help, type, lines }) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines(), ''].join('\n'),
    );
    return blocks.join('');
  }

  private register(family: Family): void {
    const { name, help } = family;
    if (!NAME.test(name) || help.includes('\n')) throw new Error(`${name} is no name or help of a metric`);
    if (this.families.has(name)) throw new Error(`there are two metrics ${name}`);
    this.families.set(name, family);
  }
}

const labelled = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.length === 0
    ? ''
    : `{${pairs.map(([label, value]) => `${label}="${value.replace(/[\\"\n]/g, '_')}"`).join(',')}}`;

export const sendMetrics = (res: Response, metrics: Metrics): void => {
  res.setHeader('Content-Type', METRICS_TYPE);
  res.end(metrics.text());
};
