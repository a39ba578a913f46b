// A handler of an added plugin that failed counts as its fault. The log has the failure already, from the bus.
import type { Bus } from '../bus/bus.js';
import type { PluginReports } from './plugin-reports.js';

export const FAULTS_DECLARATION = {
  name: 'plugin-reports',
  consumes: [],
  observes: ['plugin.failed'],
  produces: [],
} as const;

export function watchFaults(bus: Bus, reports: PluginReports): void {
  const added = (name: string): boolean => reports.list().some((report) => report.name === name);
  bus.join(FAULTS_DECLARATION).subscribe('plugin.failed', ({ plugin, topic, error }) => {
    if (added(plugin)) reports.fault(plugin, `its handler of ${topic} failed: ${error}`);
  });
}
