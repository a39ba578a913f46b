// The certificate and key of the gRPC listener as their files have them now: renewed ones are used for new connections, open
// ones go on. What can't be used changes nothing, as when only one of the two has been replaced yet.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { experimental } from '@grpc/grpc-js';
import type { Clock } from '../../../../src/clock.js';
import { errorText } from '../../../../src/errors.js';
import type { Logger } from '../../../../src/log.js';

/** How often the files are looked at, in milliseconds. */
export const LOOK_MS = 60_000;

type Pair = experimental.IdentityCertificateUpdate;
type Listener = experimental.IdentityCertificateUpdateListener;

export class TlsFiles implements experimental.CertificateProvider {
  private readonly listeners = new Set<Listener>();
  private pair: Pair;
  private cancelLook: (() => void) | undefined;
  /** So that one fault is told once. */
  private fault: string | undefined;

  /** Throws when the files can't be read, or don't belong together. */
  constructor(
    private readonly files: { cert: string; key: string },
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    this.pair = read(files);
  }

  addIdentityCertificateListener(listener: Listener): void {
    this.listeners.add(listener);
    // Whoever adds it is not ready to hear yet.
    process.nextTick(() => listener(this.pair));
    this.cancelLook ??= this.clock.after(LOOK_MS, () => this.look());
  }

  removeIdentityCertificateListener(listener: Listener): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0) return;
    this.cancelLook?.();
    this.cancelLook = undefined;
  }

  /** Callers need no certificate here. */
  addCaCertificateListener(): void {}
  removeCaCertificateListener(): void {}

  private look(): void {
    this.cancelLook = this.clock.after(LOOK_MS, () => this.look());
    try {
      const pair = read(this.files);
      this.fault = undefined;
      if (pair.certificate.equals(this.pair.certificate) && pair.privateKey.equals(this.pair.privateKey)) return;
      this.pair = pair;
      for (const listener of this.listeners) listener(pair);
      this.log.info({ cert: this.files.cert }, 'the certificate of gRPC was renewed');
    } catch (error) {
      const fault = errorText(error);
      if (fault !== this.fault)
        this.log.warn({ cert: this.files.cert, fault }, 'the certificate of gRPC stays as it was');
      this.fault = fault;
    }
  }
}

function read({ cert, key }: { cert: string; key: string }): Pair {
  const pair = { certificate: readFileSync(cert), privateKey: readFileSync(key) };
  if (!new X509Certificate(pair.certificate).checkPrivateKey(createPrivateKey(pair.privateKey))) {
    throw new Error('the key is not that of the certificate');
  }
  return pair;
}
