// A call's metadata as the header fields that HTTP requests carry: names in lower case, a repeated field as one list.
import type { Metadata } from '@grpc/grpc-js';

/** Binary fields are left out: nothing here reads any. */
export function metadataHeaders(metadata: Metadata): Record<string, string> {
  const names = Object.keys(metadata.getMap()).filter((name) => !name.endsWith('-bin'));
  return Object.fromEntries(names.map((name) => [name, metadata.get(name).join(', ')]));
}
