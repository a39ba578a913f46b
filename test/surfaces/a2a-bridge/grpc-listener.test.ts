// The port of gRPC closes whatever its clients do.
import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Server } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { listenGrpc, serverOptions, type GrpcConfig } from '../../../plugins/surfaces/a2a-bridge/grpc/grpc-listener.js';
import { silentLogger } from '../../../src/log.js';
import { FakeClock } from '../../support/fake-clock.js';

const config = {
  host: '127.0.0.1',
  grpc: {},
  maxBodyBytes: 1_000_000,
  heartbeatSeconds: 15,
  connections: { max: 100 },
} as GrpcConfig;
const told = { log: silentLogger(), dropped: () => undefined };

describe('the listener of gRPC', () => {
  it('closes although a client keeps its connection open and says nothing', async () => {
    const clock = new FakeClock();
    const listener = await listenGrpc(new Server(serverOptions(config)), 0, config, { clock, ...told });
    const silent = connect({ port: Number(listener.address.split(':')[1]), host: '127.0.0.1' });
    // The server's side of the connection is there once it has said which settings it wants.
    await once(silent, 'data');
    const gone = once(silent, 'close');
    const closed = listener.close(2_000);
    clock.advance(2_000);
    await closed;
    await gone;
  });

  it('says which address it can not have', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const tried = listenGrpc(new Server(), port, config, { clock: new FakeClock(), ...told });
    await expect(tried).rejects.toThrow(new RegExp(`can't be spoken at 127.0.0.1:${port}: .*EADDRINUSE`));
    taken.close();
  });
});
