// nginx as operators put it in front: TLS, a path of its own for the switchboard, answers buffered and compressed, and no
// patience with silent upstreams. It runs on a temporary folder and a free port, and ends with the test.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Site {
  /** Path below which it is published, e.g. `/hub/`. */
  path: string;
  /** Where the switchboard listens, e.g. `http://127.0.0.1:4000`. */
  backend: string;
  /** How long nginx waits for the next byte. */
  readTimeoutSeconds: number;
}

export interface Nginx {
  /** `https://127.0.0.1:<port>` */
  readonly origin: string;
  /** The certificate to trust, PEM. */
  readonly ca: string;
  /** What it complained about. */
  errors(): string;
  stop(): Promise<void>;
}

export const nginxIsInstalled = (): boolean => spawnSync(COMMAND, ['-v']).status === 0;

const COMMAND = 'nginx';
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

/** A port that was free a moment ago: a program that can't say which one it took needs one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts nginx on the port. Throws when it does not come up. */
export async function startNginx(port: number, sites: readonly Site[]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-nginx-'));
  // Its workers are somebody else when it is started by root.
  chmodSync(folder, 0o711);
  const ca = selfSigned(folder);
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, sites));
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'];
  const child = spawn(COMMAND, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  running.add(child);
  let errors = '';
  const ended = once(child, 'close').then(() => void running.delete(child));
  const up = new Promise<void>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
      if (errors.includes('start worker process')) resolve();
    });
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const first = await Promise.race([up.then(() => 'up'), ended.then(() => 'ended')]);
  if (first === 'ended') {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`nginx did not start: ${errors}`);
  }
  return { origin: `https://127.0.0.1:${port}`, ca, errors: () => errors, stop };
}

/** A throwaway certificate for 127.0.0.1; its PEM is what a client has to trust. */
function selfSigned(folder: string): string {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const { status, stderr } = spawnSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'].concat(
      ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'],
      ['-keyout', key, '-out', certificate],
    ),
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`openssl made no certificate: ${stderr}`);
  return readFileSync(certificate, 'utf8');
}

const configuration = (folder: string, port: number, sites: readonly Site[]): string => `
daemon off;
pid ${folder}/nginx.pid;
error_log stderr notice;
worker_processes 1;
events { worker_connections 256; }
http {
  access_log off;
  client_max_body_size 20m;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  gzip on;
  gzip_proxied any;
  gzip_min_length 0;
  gzip_types application/json application/a2a+json text/event-stream;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/certificate.pem;
    ssl_certificate_key ${folder}/key.pem;
${sites.map(location).join('')}  }
}
`;

const location = ({ path, backend, readTimeoutSeconds }: Site): string => `
    location ${path} {
      proxy_pass ${backend}/;
      proxy_http_version 1.1;
      proxy_buffering on;
      proxy_read_timeout ${readTimeoutSeconds}s;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto https;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Prefix ${path.replace(/\/$/, '')};
    }
`;
