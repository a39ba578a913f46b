// RFC 3339 timestamps, strictly: a real calendar date, a time, and a zone.

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Milliseconds since the epoch; undefined when `text` is no such timestamp. Anything finer than a millisecond is rounded
 * up, so that "at or after" never includes what lies before.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = RFC3339.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const fraction = match[7] ?? '';
  const zoneHours = Number(match[9] ?? 0);
  const zoneMinutes = Number(match[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 59 || zoneHours > 23 || zoneMinutes > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A day that does not exist rolls over into the next month.
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const millis = Math.ceil(Number(fraction.padEnd(9, '0')) / 1_000_000);
  const offset = (zoneHours * 60 + zoneMinutes) * (match[8] === '-' ? -1 : 1);
  return date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + millis;
}
