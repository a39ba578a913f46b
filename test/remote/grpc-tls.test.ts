// gRPC over TLS to an agent elsewhere: who signed its certificate decides.
import type { Server } from '@grpc/grpc-js';
import { afterAll, describe, expect, test } from '@jest/globals';
import { SelfSigned } from '../support/self-signed.js';

const known = new SelfSigned();
const unknown = new SelfSigned();
afterAll(() => {
  for (const files of [known, unknown]) files.remove();
});

// Read by the library as it is loaded.
process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'] = known.cert;
const { Server: GrpcServer, ServerCredentials } = await import('@grpc/grpc-js');
const { A2AService } = await import('@a2a-js/sdk/server/grpc');
const { Task } = await import('@a2a-js/sdk');
const { MisbehavingPeer } = await import('../support/peers/misbehaving-peer.js');
const { closeAfter, RemoteHome } = await import('../support/remote-home.js');

/** An agent whose card names its gRPC over TLS; it knows every task. */
async function connectTo(files: SelfSigned) {
  const server: Server = new GrpcServer();
  const asked: string[] = [];
  server.addService({ getTask: A2AService.getTask }, {
    getTask: ({ request: { id } }: { request: { id: string } }, callback: (error: null, task: unknown) => void) => {
      asked.push(id);
      callback(null, Task.fromJSON({ id, contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } }));
    },
  } as never);
  const { cert, key } = files.pems;
  const ssl = ServerCredentials.createSsl(null, [{ cert_chain: cert, private_key: key }]);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ssl, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  closeAfter({ stop: () => server.forceShutdown() });
  const card = closeAfter(await new MisbehavingPeer().start());
  const url = `https://127.0.0.1:${port}`;
  card.card = { supportedInterfaces: [{ url, protocolBinding: 'GRPC', protocolVersion: '1.0' }] };
  return { asked, remote: await new RemoteHome().connect({ url: card.url }) };
}

describe('gRPC over TLS', () => {
  test('is spoken with a certificate that a known authority has signed', async () => {
    const { asked, remote } = await connectTo(known);
    expect(await remote.get('t-1')).toMatchObject({ id: 't-1', status: { state: 'TASK_STATE_COMPLETED' } });
    expect(asked).toEqual(['t-1']);
  });

  test('is refused with one that signed itself, and that is said; nothing was sent', async () => {
    const { asked, remote } = await connectTo(unknown);
    await expect(remote.get('t-1')).rejects.toMatchObject({
      fault: 'unreachable',
      sent: false,
      message: expect.stringContaining('its certificate is not accepted'),
    });
    expect(asked).toEqual([]);
  });
});
