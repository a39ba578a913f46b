// Durations as files write them: text such as `30m` or `7d`.

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** What `secondsOf` understands. */
export const DURATION = /^\d{1,9}[smhd]$/;

/** Seconds; NaN for text that is no duration. */
export function secondsOf(text: string): number {
  if (!DURATION.test(text)) return Number.NaN;
  return Number(text.slice(0, -1)) * UNIT_SECONDS[text.slice(-1) as keyof typeof UNIT_SECONDS];
}
