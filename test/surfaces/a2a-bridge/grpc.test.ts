// The gRPC listener under bad input, with TLS, and at the server's stop.
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection as dialTcp, createServer, type AddressInfo, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { decodeErrorInfo, decodeStatus } from '@a2a-js/sdk/errors/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { grpcAddress } from '../../conformance/a2a/grpc-binding.js';
import { bindings, type Any, type Binding } from '../../conformance/a2a/binding.js';
import { LOOK_MS } from '../../../plugins/surfaces/a2a-bridge/grpc/tls-files.js';
import { FakeClock } from '../../support/fake-clock.js';
import { ManualAgent } from '../../support/manual-agent.js';
import { SelfSigned } from '../../support/self-signed.js';
import { BridgeServer, KEYS, OPERATOR_KEY, sendParams, useBridgeServer } from './bridge-server.js';

const server = useBridgeServer({ grpcPort: 0, maxBodyBytes: 100_000 });

function metadataOf(): Metadata {
  const metadata = new Metadata();
  metadata.set('a2a-version', '1.0');
  metadata.set('x-api-key', KEYS.bob);
  return metadata;
}

/** Sends bytes as they are; the status's code. */
function raw(client: Client, bytes: Uint8Array): Promise<number> {
  const metadata = metadataOf();
  return new Promise((resolve) => {
    const answer = (error: ServiceError | null): void => resolve(error?.code ?? status.OK);
    const asIs = (value: unknown): Buffer => Buffer.from(value as Uint8Array);
    client.makeUnaryRequest(A2AService.sendMessage.path, asIs, (sent: Buffer) => sent, bytes, metadata, answer);
  });
}

/** SendMessageRequest with one data part, whose google.protobuf.Value is given. */
function withData(value: Uint8Array): Uint8Array {
  const part = new BinaryWriter()
    .uint32((4 << 3) | 2)
    .bytes(value)
    .finish();
  const message = new BinaryWriter()
    .uint32((1 << 3) | 2)
    .string('raw-1')
    .uint32((4 << 3) | 0)
    .int32(1);
  return new BinaryWriter()
    .uint32((2 << 3) | 2)
    .bytes(
      message
        .uint32((5 << 3) | 2)
        .bytes(part)
        .finish(),
    )
    .finish();
}

/** Lists inside each other. */
function nested(depth: number): Uint8Array {
  let value = new Uint8Array();
  for (let n = 0; n < depth; n++) {
    const list =
      n === 0
        ? value
        : new BinaryWriter()
            .uint32((1 << 3) | 2)
            .bytes(value)
            .finish();
    value = new BinaryWriter()
      .uint32((6 << 3) | 2)
      .bytes(list)
      .finish() as Uint8Array<ArrayBuffer>;
  }
  return value;
}

describe('a gRPC message', () => {
  let client: Client;
  beforeAll(async () => {
    client = new Client(await grpcAddress(server), credentials.createInsecure());
  });
  afterAll(() => client.close());

  it.each<[string, Uint8Array, status]>([
    ['data that is as deep as JSON may be', withData(nested(50)), status.OK],
    ['bytes that are no message', Buffer.from('ffffffff', 'hex'), status.INVALID_ARGUMENT],
    ['data that is too deep', withData(nested(100)), status.INVALID_ARGUMENT],
    ['data so deep that no stack can hold it', withData(nested(12_000)), status.INVALID_ARGUMENT],
    [
      'a number that is none',
      withData(
        new BinaryWriter()
          .uint32((2 << 3) | 1)
          .double(NaN)
          .finish(),
      ),
      status.INVALID_ARGUMENT,
    ],
    ['more bytes than a request may have', withData(new Uint8Array(200_000)), status.RESOURCE_EXHAUSTED],
  ])('of %s is answered by its code', async (_what, bytes, code) => {
    expect(await raw(client, bytes)).toBe(code);
  });

  it.each([0, 1])(
    'that is too large is refused with the details of the other bindings (compression %i)',
    async (level) => {
      const metadata = metadataOf();
      const compressing = new Client(await grpcAddress(server), credentials.createInsecure(), {
        // 2: gzip, under which it is small on the wire.
        'grpc.default_compression_algorithm': level === 0 ? 0 : 2,
      });
      const error = await new Promise<ServiceError | null>((resolve) => {
        const { path } = A2AService.sendMessage;
        const asIs = (value: Buffer): Buffer => value;
        compressing.makeUnaryRequest(path, asIs, asIs, Buffer.alloc(200_000), metadata, (refusal) => resolve(refusal));
      });
      compressing.close();
      expect(error?.code).toBe(status.RESOURCE_EXHAUSTED);
      const [info] = decodeStatus(error?.metadata.get('grpc-status-details-bin')[0] as Buffer).details;
      expect(decodeErrorInfo(info?.value as Buffer)).toMatchObject({ reason: 'TOO_LARGE', domain: 'a2a-switchboard' });
      expect(error?.details).toBe('The message is larger than 100000 bytes.');
    },
  );
});

describe('the gRPC listener', () => {
  it('speaks TLS with the certificate of the settings, and nothing else then', async () => {
    const files = new SelfSigned();
    const { cert, key } = files;
    const secure = new BridgeServer();
    await secure.start({ grpcPort: 0, grpc: { cert, key } });
    const address = await grpcAddress(secure);
    const ssl = new Client(address, credentials.createSsl(readFileSync(cert)));
    const plain = new Client(address, credentials.createInsecure());
    try {
      expect(await raw(ssl, withData(nested(1)))).toBe(status.OK);
      expect(await raw(plain, withData(nested(1)))).toBe(status.UNAVAILABLE);
    } finally {
      ssl.close();
      plain.close();
      await secure.stop();
      files.remove();
    }
  });

  it('uses renewed files for new connections, and leaves open ones alone', async () => {
    const files = new SelfSigned();
    const { cert, key } = files;
    const first = files.pems;
    const clock = new FakeClock();
    const secure = new BridgeServer();
    secure.clock = clock;
    await secure.start({ grpcPort: 0, grpc: { cert, key } });
    const [host, port] = (await grpcAddress(secure)).split(':');
    const shown = async (): Promise<string> => {
      const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['h2'] });
      await once(socket, 'secureConnect');
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      return raw.toString('base64');
    };
    const of = ({ cert: pem }: { cert: Buffer }): string => new X509Certificate(pem).raw.toString('base64');
    const old = new Client(`${host}:${port}`, credentials.createSsl(first.cert));
    try {
      expect(await raw(old, withData(nested(1)))).toBe(status.OK);
      expect(await shown()).toBe(of(first));
      files.renew();
      const second = files.pems;
      // Half of it, as whoever copies file by file leaves it for a moment.
      writeFileSync(cert, first.cert);
      clock.advance(LOOK_MS);
      expect(await shown()).toBe(of(first));
      writeFileSync(cert, second.cert);
      clock.advance(LOOK_MS);
      expect(await shown()).toBe(of(second));
      expect(await raw(old, withData(nested(1)))).toBe(status.OK);
      rmSync(cert);
      clock.advance(LOOK_MS);
      expect(await shown()).toBe(of(second));
    } finally {
      old.close();
      await secure.stop();
      files.remove();
    }
  });

  it('whose key is not that of its certificate keeps the server from starting', async () => {
    const [one, other] = [new SelfSigned(), new SelfSigned()];
    const mistaken = new BridgeServer();
    const grpc = { cert: one.cert, key: other.key };
    await expect(mistaken.start({ grpcPort: 0, grpc })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('the key is not that of the certificate'),
    });
    await mistaken.stop();
    for (const files of [one, other]) files.remove();
  });

  it('ends its streams at the stop, and tells their readers to come again', async () => {
    const agent = new ManualAgent();
    const stopping = new BridgeServer();
    stopping.speaksGrpc = true;
    await stopping.start({ grpcPort: 0, drain: 0.1 }, [agent.plugin]);
    const grpc = bindings(stopping).find(({ name }) => name === 'gRPC') as Binding;
    const asked = await grpc.call('SendMessage', sendParams('ask x'));
    const stream = await grpc.open('SubscribeToTask', { id: (asked.result as Any).task.id });
    expect((await stream.next()).task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const cut = expect(stream.next()).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await stopping.stop();
    await cut;
  });

  it('closes connections beyond the limit, and counts them', async () => {
    const small = new BridgeServer();
    await small.start({ grpcPort: 0, connections: { max: 2 } });
    try {
      const { hostname, port } = new URL(`http://${await grpcAddress(small)}`);
      const dial = async (): Promise<Socket> => {
        const socket = dialTcp(Number(port), hostname);
        await once(socket, 'connect');
        return socket;
      };
      const held = [await dial(), await dial()];
      await once((await dial()).resume(), 'close');
      expect(held.map(({ destroyed }) => destroyed)).toEqual([false, false]);
      const metrics = await small.send('GET', '/metrics', { key: OPERATOR_KEY });
      expect(metrics.text).toContain('switchboard_grpc_connections_dropped_total 1');
      for (const socket of held) socket.destroy();
      const client = new Client(`${hostname}:${port}`, credentials.createInsecure());
      // The server may have to notice first, and the client then dials again.
      await new Promise((resolve) => client.waitForReady(Infinity, resolve));
      expect(await raw(client, withData(nested(1)))).toBe(status.OK);
      client.close();
    } finally {
      await small.stop();
    }
  });

  it('that finds its port taken keeps the server from starting, and says so', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const late = new BridgeServer();
    await expect(late.start({ grpcPort: port })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(`${port}`),
    });
    await late.stop();
    await new Promise((resolve) => other.close(resolve));
  });

  it('is declared with the address of the settings, with a tenant in the card of one agent, and not at all without a port', async () => {
    const grpcOf = async (from: BridgeServer, path: string): Promise<Any[]> =>
      (await from.send('GET', path, { key: '' })).json.supportedInterfaces.filter(
        ({ protocolBinding }: Any) => protocolBinding === 'GRPC',
      );
    const public_ = new BridgeServer();
    const silent = new BridgeServer();
    await public_.start({ grpcPort: 0, grpc: { publicAddress: 'grpc.example:443' } });
    await silent.start({});
    const declared = { url: 'grpc.example:443', protocolBinding: 'GRPC', protocolVersion: '1.0' };
    const old = { ...declared, protocolVersion: '0.3' };
    expect(await grpcOf(public_, '/.well-known/agent-card.json')).toEqual([declared, old]);
    expect(await grpcOf(public_, '/agents/beta/.well-known/agent-card.json')).toEqual([
      { ...declared, tenant: 'beta' },
    ]);
    expect(await grpcOf(silent, '/.well-known/agent-card.json')).toEqual([]);
    await public_.stop();
    await silent.stop();
  });
});
