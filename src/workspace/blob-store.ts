// Bytes of file parts, stored once per scope under `blobs/<sha256>`.

export interface BlobStore {
  /** Stores the bytes (or finds them stored) before anything refers to them. Returns the reference. */
  put(scope: string, bytes: Uint8Array): { blob: string; size: number };
  /** The bytes, or undefined when the file is missing or its content does not match its name. */
  read(scope: string, blob: string): Buffer | undefined;
}
