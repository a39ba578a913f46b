// Certificates for servers on loopback, each its own authority.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Two PEM files for 127.0.0.1 and localhost in a folder of their own. */
export class SelfSigned {
  private readonly folder = mkdtempSync(join(tmpdir(), 'self-signed-'));
  readonly cert = join(this.folder, 'cert.pem');
  readonly key = join(this.folder, 'key.pem');

  constructor() {
    this.renew();
  }

  /** Puts a new key and certificate in place of those before. */
  renew(): void {
    const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
    const files = ['-keyout', this.key, '-out', this.cert];
    execFileSync('openssl', ['req', ...options, ...names, ...files], { stdio: 'ignore' });
  }

  get pems(): { cert: Buffer; key: Buffer } {
    return { cert: readFileSync(this.cert), key: readFileSync(this.key) };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
