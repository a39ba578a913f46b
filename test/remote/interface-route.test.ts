import { describe, expect, test } from '@jest/globals';
import { routeOf } from '../../src/remote/interface-route.js';

const OWN = 'https://agent.example/base';

describe('the route to an interface', () => {
  test.each([
    ['its own origin', 'https://agent.example/a2a?x=1#f', OWN, 'https://agent.example/a2a?x=1', true, true],
    ['http behind TLS', 'http://agent.example/a2a', OWN, 'https://agent.example/a2a', true, true],
    ['localhost', 'http://localhost:8080/a2a', OWN, 'https://agent.example/a2a', true, true],
    ['a loopback address', 'http://127.0.0.2/a2a', OWN, 'https://agent.example/a2a', true, true],
    ['any address', 'http://0.0.0.0:1/a2a', OWN, 'https://agent.example/a2a', true, true],
    ['any address of IPv6', 'http://[::]:9/a2a', 'http://10.0.0.1:99', 'http://10.0.0.1:99/a2a', true, true],
    ['any address, at home', 'http://[::]:9/a2a', 'http://127.0.0.1:99', 'http://127.0.0.1:99/a2a', true, true],
    ['another port', 'https://agent.example:8443/a2a', OWN, 'https://agent.example:8443/a2a', false, true],
    ['another port, less protected', 'http://agent.example:8080/', OWN, 'http://agent.example:8080/', false, true],
    ['another host', 'https://evil.example/a2a', OWN, 'https://evil.example/a2a', false, false],
    ['a private host', 'http://10.1.2.3/a2a', OWN, 'http://10.1.2.3/a2a', false, false],
    ['another port at home', 'http://127.0.0.1:2/', 'http://127.0.0.1:1', 'http://127.0.0.1:2/', false, true],
  ])('that names %s', (_name, url, configured, to, withKey, trusted) => {
    expect(routeOf({ url, binding: 'JSONRPC' }, configured)).toEqual({ url: to, withKey, trusted });
  });

  test.each(['', 'nothing', 'file:///etc/passwd', 'https://user:pw@agent.example/', 'ftp://agent.example'])(
    'is none for %j',
    (url) => expect(routeOf({ url, binding: 'HTTP+JSON' }, OWN)).toBeUndefined(),
  );

  test.each([
    ['agent.example:50051', OWN, 'https://agent.example:50051', true],
    ['dns:///agent.example:50051', OWN, 'https://agent.example:50051', true],
    ['127.0.0.1:50051', 'http://127.0.0.1:8000', 'http://127.0.0.1:50051', true],
    ['localhost:50051', OWN, 'https://agent.example:50051', true],
    ['[::]:50051', OWN, 'https://agent.example:50051', true],
    ['other.example:443', OWN, 'https://other.example', false],
  ])('over gRPC, %s, has a port of its own and the host’s key', (url, configured, to, withKey) => {
    expect(routeOf({ url, binding: 'GRPC' }, configured)).toEqual({ url: to, withKey, trusted: withKey });
  });

  test('over gRPC is never less protected than the configured address', () => {
    expect(routeOf({ url: 'http://agent.example:50051', binding: 'GRPC' }, OWN)).toBeUndefined();
  });
});
