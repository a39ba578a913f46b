// The stub of 0.3 that the SDK generated from its schema, on a channel to the server of a test.
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { Client, credentials, Metadata, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll } from '@jest/globals';
import type { BridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import type { Any } from './binding.js';
import { grpcAddress } from './grpc-binding.js';

export type LegacyMethod = keyof typeof LegacyA2AService;

export const USER = 1;
export const text = (value: string): Any => ({ part: { $case: 'text', value } });

let messages = 0;
/** A send with these parts; `more` goes into its message. */
export const said = (content: Any[], more: Any = {}): Any => ({
  request: {
    messageId: `lg-${++messages}`,
    contextId: '',
    taskId: '',
    role: USER,
    content,
    metadata: undefined,
    extensions: [],
    ...more,
  },
});
export const say = (value: string, more: Any = {}): Any => said([text(value)], more);

export class LegacyStub {
  private client!: Client;

  constructor(private readonly key: string) {}

  async connect(server: BridgeServer): Promise<void> {
    this.client = new Client(await grpcAddress(server), credentials.createInsecure());
  }

  close(): void {
    this.client.close();
  }

  /** One call; rejects with the status. `entries` are metadata beside the key or instead of it, `initial` gets the server's. */
  call(method: LegacyMethod, request: Any, entries: Record<string, string> = {}, initial?: Metadata): Promise<Any> {
    const { path, requestSerialize, responseDeserialize } = LegacyA2AService[method];
    return new Promise((resolve, reject) => {
      const answer = (error: ServiceError | null, value?: unknown): void => (error ? reject(error) : resolve(value));
      const metadata = this.metadata(entries);
      this.client
        .makeUnaryRequest(path, requestSerialize as never, responseDeserialize, request, metadata, answer)
        .on('metadata', (sent) => initial?.merge(sent));
    });
  }

  open(method: LegacyMethod, request: Any, entries: Record<string, string> = {}): ClientReadableStream<Any> {
    const { path, requestSerialize, responseDeserialize } = LegacyA2AService[method];
    return this.client.makeServerStreamRequest(
      path,
      requestSerialize as never,
      responseDeserialize as never,
      request,
      this.metadata(entries),
    );
  }

  /** The payloads of a whole stream. */
  async events(method: LegacyMethod, request: Any): Promise<Any[]> {
    const all: Any[] = [];
    for await (const { payload } of this.open(method, request)) all.push(payload);
    return all;
  }

  private metadata(entries: Record<string, string>): Metadata {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries({ 'x-api-key': this.key, ...entries })) {
      if (value !== '') metadata.set(name, value);
    }
    return metadata;
  }
}

/** A stub for all tests of the file. */
export function useLegacyStub(server: BridgeServer, key: string): LegacyStub {
  const stub = new LegacyStub(key);
  beforeAll(() => stub.connect(server));
  afterAll(() => stub.close());
  return stub;
}

/** The status that a call ends with. */
export const refusal = (work: Promise<unknown>): Promise<ServiceError> =>
  work.then(
    () => Promise.reject(new Error('was not refused')),
    (error: ServiceError) => error,
  );
