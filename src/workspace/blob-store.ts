// Bytes of file parts, stored once per scope under `blobs/<sha256>`.

/** `size` is in bytes. */
export interface BlobRef {
  blob: string;
  size: number;
}

/** Everything throws AppError `storage-failed` where the disk does not do its part. */
export interface BlobStore {
  /** Stores the bytes (or finds them stored) before anything refers to them. Returns the reference. */
  put(scope: string, bytes: Uint8Array): BlobRef;
  /**
   * For a message that may still be refused: what `submit` puts stays if it resolves. If it throws, the bytes that it
   * brought are gone again, except those that somebody else has put meanwhile and may refer to.
   */
  tentatively<T>(scope: string, submit: (put: (bytes: Uint8Array) => BlobRef) => Promise<T>): Promise<T>;
  /** The bytes, or undefined when the file is missing or its content does not match its name. */
  read(scope: string, blob: string): Buffer | undefined;
}
