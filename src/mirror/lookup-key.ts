// A short number for an id, so that the mirror can index ids that arrive in random order cheaply.

/**
 * 48 bits of a hash over the text. Not unique and not secure: whoever looks something up by it compares the id as well.
 * Stored in the database, so it must never change without a migration.
 */
export function lookupKey(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  // Each product's low bits know only the last characters' low bits; the high ones have seen everything.
  high ^= low >>> 15;
  low ^= high >>> 13;
  return (high >>> 0) * 0x10000 + (low >>> 16);
}

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

/**
 * The same for ids that only the switchboard makes: those of UUIDs of version 7 are their 48 bits of time, so the index
 * grows at its end. Not for ids that a caller chooses, who could give thousands of them one key.
 */
export const taskKey = (taskId: string): number =>
  UUID_7.test(taskId) ? Number.parseInt(taskId.slice(0, 8) + taskId.slice(9, 13), 16) : lookupKey(taskId);
