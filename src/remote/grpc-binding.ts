// gRPC of 1.0 and 0.3 as a client speaks it: a version's service on a channel of our own, which dials only addresses that
// were checked and uses no proxy of the environment.
import { isIP } from 'node:net';
import type * as Grpc from '@grpc/grpc-js';
import type { GuardedFetch } from '../net/guarded-fetch.js';
import type { Binding, BindingOptions } from './binding.js';
import type { Credentials } from './credentials.js';
import type { ProtocolVersion } from './peer-card.js';
import type { PeerFaults } from './peer-faults.js';
import type { Answer } from './read-answer.js';
import type { Clock } from '../clock.js';
import { parseStrict } from '../strict-json.js';
import { grpcCodecs, type GrpcCodecs, type GrpcMethod } from './grpc-codecs.js';
import type { Route } from './interface-route.js';
import { RequestPatience } from './request-patience.js';
import type { Operation, OperationName } from './write-request.js';

interface GrpcOptions {
  net: Pick<GuardedFetch, 'checkedAddresses'>;
  clock: Clock;
  faults: PeerFaults;
  credentials: Credentials;
  protocol: ProtocolVersion;
  route: Route;
  tenant?: string;
}

const CONNECT_MS = 5_000;
const MAX_BYTES = 64 * 1024 * 1024;

export class GrpcBinding implements Binding {
  private client: Grpc.Client | undefined;

  constructor(private readonly options: GrpcOptions) {}

  async call(operation: Operation, options: BindingOptions): Promise<Answer> {
    const patience = this.patience(options);
    try {
      const codecs = await this.codecs();
      const method = this.method(codecs, operation.name);
      const client = await this.connected(codecs, patience);
      const bytes = await new Promise<Buffer>((resolve, reject) => {
        const call = client.makeUnaryRequest(
          method.path,
          method.write,
          asItIs,
          this.params(codecs, operation),
          this.metadata(codecs, options),
          (error: Grpc.ServiceError | null, answer?: Buffer) => (error ? reject(error) : resolve(answer as Buffer)),
        );
        patience.signal.addEventListener('abort', () => call.cancel(), { once: true });
      });
      return this.answer(codecs, method, bytes);
    } catch (error) {
      throw await this.failure(error, patience);
    } finally {
      patience.end();
    }
  }

  async *subscribe(taskId: string, options: BindingOptions): AsyncGenerator<Answer> {
    const patience = this.patience(options);
    let call: Grpc.ClientReadableStream<unknown> | undefined;
    try {
      const codecs = await this.codecs();
      const method = this.method(codecs, 'SubscribeToTask');
      const client = await this.connected(codecs, patience);
      const stream = client.makeServerStreamRequest(
        method.path,
        method.write,
        asItIs,
        this.params(codecs, { name: 'SubscribeToTask', params: { id: taskId } }),
        this.metadata(codecs, options),
      );
      call = stream;
      patience.signal.addEventListener('abort', () => stream.cancel(), { once: true });
      for await (const bytes of stream as AsyncIterable<Buffer>) {
        // While a reader is slow, the peer is not silent.
        patience.pause();
        yield this.answer(codecs, method, bytes);
        patience.heard();
      }
    } catch (error) {
      throw await this.failure(error, patience);
    } finally {
      // A call that was canceled still tells so, to nobody.
      call?.on('error', () => undefined);
      call?.cancel();
      patience.end();
    }
  }

  close(): void {
    this.client?.close();
    this.client = undefined;
  }

  /** A channel to the checked addresses that is connected, so that what fails before has not been sent. */
  private async connected({ grpc }: GrpcCodecs, patience: RequestPatience): Promise<Grpc.Client> {
    const client = (this.client ??= await this.dial(grpc));
    const channel = client.getChannel();
    const { READY, TRANSIENT_FAILURE, SHUTDOWN } = grpc.connectivityState;
    const until = Date.now() + CONNECT_MS;
    for (let state = channel.getConnectivityState(true); state !== READY;) {
      // Failing at once: the channel would go on trying by itself.
      if (state === TRANSIENT_FAILURE || state === SHUTDOWN) throw new NotConnected(await lastError(client));
      const before = state;
      await new Promise<void>((resolve, reject) => {
        patience.signal.addEventListener('abort', () => reject(new NotConnected()), { once: true });
        channel.watchConnectivityState(before, until, (error) => (error ? reject(new NotConnected()) : resolve()));
      });
      state = channel.getConnectivityState(true);
    }
    return client;
  }

  private async dial(grpc: typeof Grpc): Promise<Grpc.Client> {
    const { net, route } = this.options;
    const { protocol, hostname, port } = new URL(route.url);
    const number = port || (protocol === 'https:' ? '443' : '80');
    const policy = { purpose: 'remote-agent', trusted: route.trusted } as const;
    const found = await net.checkedAddresses(policy, route.url);
    const family = found.some((address) => isIP(address) === 4) ? 4 : 6;
    const addresses = found.filter((address) => isIP(address) === family);
    const target = addresses.map((address) => (family === 4 ? `${address}:${number}` : `[${address}]:${number}`));
    const host = hostname.replace(/^\[|\]$/g, '');
    const credentials = protocol === 'https:' ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
    return new grpc.Client(`ipv${family}:${target.join(',')}`, credentials, {
      'grpc.enable_http_proxy': 0,
      'grpc.default_authority': `${hostname}:${number}`,
      'grpc.max_receive_message_length': MAX_BYTES,
      'grpc.primary_user_agent': 'a2a-switchboard',
      ...(protocol === 'https:' && isIP(host) === 0 && { 'grpc.ssl_target_name_override': host }),
    });
  }

  private codecs(): Promise<GrpcCodecs> {
    return grpcCodecs(this.options.protocol);
  }

  private method({ methods }: GrpcCodecs, name: OperationName): GrpcMethod {
    const { faults, protocol } = this.options;
    const method = methods[name];
    if (!method) throw faults.unsupported(`${name} in A2A ${protocol}`);
    return method;
  }

  private params({ params }: GrpcCodecs, operation: Operation): Record<string, unknown> {
    const { tenant } = this.options;
    return { ...(tenant !== undefined && { tenant }), ...params(operation) };
  }

  private metadata({ grpc }: GrpcCodecs, { headers }: BindingOptions): Grpc.Metadata {
    const { route, credentials } = this.options;
    const metadata = new grpc.Metadata();
    const all = { ...headers, ...(route.withKey && credentials.metadata()) };
    for (const [name, value] of Object.entries(all)) metadata.set(name, value);
    return metadata;
  }

  /** As JSON that came by HTTP is read: without the key, and not nested deeper. */
  private answer({ doubleData }: GrpcCodecs, method: GrpcMethod, bytes: Buffer): Answer {
    const { credentials, faults } = this.options;
    const unread = new Set<string>();
    const finite = (_name: string, value: unknown): unknown => {
      if (typeof value === 'number' && !Number.isFinite(value)) unread.add('a number that is not finite');
      return value;
    };
    try {
      const text = JSON.stringify(method.read(bytes), finite);
      const { value } = parseStrict(credentials.redactBytes(Buffer.from(text)));
      return { value, unread: [...unread], doubleData };
    } catch (error) {
      throw faults.broken('sent a message that is none of the protocol', error);
    }
  }

  private async failure(error: unknown, patience: RequestPatience): Promise<Error> {
    const { faults } = this.options;
    const reason = patience.reason();
    if (reason || error instanceof NotConnected) this.close();
    if (reason) return reason;
    if (error instanceof NotConnected) {
      const refused = /certificate|altnames/i.test(error.message);
      const [why, code] = refused
        ? ['its certificate is not accepted', 'CERTIFICATE']
        : ['no connection could be made', 'NOT_CONNECTED'];
      return faults.unreachable(why, code, error);
    }
    if (!isServiceError(error)) return faults.transport(error);
    // The next call resolves and checks the name again.
    if (error.code === UNAVAILABLE) this.close();
    if (error.code === UNAVAILABLE || error.code === CANCELLED) return faults.cut(error);
    const { detailsOf } = await this.codecs();
    return faults.refused({ grpc: error.code, message: error.details, details: detailsOf(error) });
  }

  private patience({ signal, timeoutMs }: BindingOptions): RequestPatience {
    const { clock, faults } = this.options;
    if (signal?.aborted) throw faults.aborted();
    return new RequestPatience(clock, faults, signal, timeoutMs);
  }
}

class NotConnected extends Error {}

/** Messages are read here rather than by the library, which takes one that can't be read for an error of the server's. */
const asItIs = (bytes: Buffer): Buffer => bytes;

/** Why the channel does not connect: a channel that fails tells it to calls alone. This one changes nothing anywhere. */
const lastError = (client: Grpc.Client): Promise<string> =>
  new Promise((resolve) => {
    const nothing = (): Buffer => Buffer.alloc(0);
    const told = (error: Grpc.ServiceError | null): void => resolve(error?.details ?? '');
    const deadline = Date.now() + CONNECT_MS;
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', nothing, nothing, undefined, { deadline }, told);
  });

const CANCELLED = 1;
const UNAVAILABLE = 14;

const isServiceError = (error: unknown): error is Grpc.ServiceError =>
  error instanceof Error && 'metadata' in error && typeof (error as Grpc.ServiceError).code === 'number';
