// The process's own numbers.
import type { LagSource } from './loop-lag.js';
import type { Metrics } from './metrics.js';

export function processMetrics(metrics: Metrics, lag: LagSource): void {
  const startedAt = Date.now() / 1000 - process.uptime();
  metrics.gauge(
    'switchboard_event_loop_late_seconds',
    'By how much the event loop is late.',
    () => lag.lateMs() / 1000,
  );
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  metrics.gauge('process_cpu_seconds_total', 'Processor time spent.', cpuSeconds, 'counter');
  metrics.gauge('process_start_time_seconds', 'When the process started, seconds since the epoch.', () => startedAt);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
