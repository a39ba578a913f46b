// A map that holds only so many members: those that were set last.

/** Sets a member as the newest. Of more than `most` the oldest goes; its key is returned. */
export function keepNewest<K, V>(map: Map<K, V>, key: K, value: V, most: number): K | undefined {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return undefined;
  const [oldest] = map.keys();
  map.delete(oldest as K);
  return oldest;
}
