// Whole exchanges of both versions over both bindings, kept in files: any change on the wire shows as a difference. What
// the files hold is checked by strict schemas that know nothing of this product.
// `GOLDEN=write npm test -- golden` writes them anew.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { format } from 'prettier';
import type { z } from 'zod';
import { frames, useBridgeServer } from '../../surfaces/a2a-bridge/bridge-server.js';
import { normalised } from '../a2a/binding.js';
import { rest03, rest10, rpc03, rpc10, type Exchange, type Recorder } from './talks.js';
import { REST_ERROR_0_3, REST_RESULTS_0_3, RPC_0_3, RPC_ERROR_0_3, RPC_RESULTS_0_3 } from './schema-0-3.js';
import { REST_ERROR_1_0, RESULTS_1_0, RPC_1_0, RPC_ERROR_1_0 } from './schema-1-0.js';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const server = useBridgeServer({ publicUrl: 'https://agents.example' });

function recorder(version: string): Recorder {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    async record(operation, request) {
      const { method, path, body } = request;
      const headers = { 'A2A-Version': version };
      const { status, headers: received, json, text } = await server.send(method, path, { headers, body });
      const type = received.get('content-type');
      const events = type === 'text/event-stream' ? frames(text).map(({ event }) => event) : undefined;
      exchanges.push({ operation, request, response: { status, type, ...(events ? { events } : { body: json }) } });
      return json ?? events?.[0];
    },
  };
}

interface Wire {
  version: '1.0' | '0.3';
  talk(recorder: Recorder): Promise<void>;
  results: Readonly<Record<string, z.ZodType>>;
  wrap(result: z.ZodType): z.ZodType;
  error: z.ZodType;
  /** Members that belong to the other version alone. */
  foreign: readonly string[];
}

const OF_0_3 = ['kind', 'final', 'file', 'bytes', 'mimeType', 'preferredTransport', 'additionalInterfaces', 'security'];
const OF_1_0 = [
  'mediaType',
  'filename',
  'raw',
  'supportedInterfaces',
  'securityRequirements',
  'protocolBinding',
  'extendedAgentCard',
];
const plain = (result: z.ZodType): z.ZodType => result;

const WIRES: [string, Wire][] = [
  [
    '1.0-json-rpc',
    { version: '1.0', talk: rpc10, results: RESULTS_1_0, wrap: RPC_1_0, error: RPC_ERROR_1_0, foreign: OF_0_3 },
  ],
  [
    '1.0-http-json',
    { version: '1.0', talk: rest10, results: RESULTS_1_0, wrap: plain, error: REST_ERROR_1_0, foreign: OF_0_3 },
  ],
  [
    '0.3-json-rpc',
    {
      version: '0.3',
      talk: rpc03,
      results: RPC_RESULTS_0_3,
      wrap: RPC_0_3,
      error: RPC_ERROR_0_3,
      foreign: [...OF_1_0, 'statusUpdate', 'artifactUpdate', 'task'],
    },
  ],
  [
    '0.3-http-json',
    { version: '0.3', talk: rest03, results: REST_RESULTS_0_3, wrap: plain, error: REST_ERROR_0_3, foreign: OF_1_0 },
  ],
];

describe.each(WIRES)('the wire of %s', (name, wire) => {
  const file = join(FOLDER, `${name}.json`);
  const stored = (): Exchange[] => JSON.parse(readFileSync(file, 'utf8')) as Exchange[];

  it('is what the golden file holds', async () => {
    const recording = recorder(wire.version);
    await wire.talk(recording);
    const exchanges = normalised(recording.exchanges);
    if (process.env['GOLDEN'] === 'write') {
      writeFileSync(file, await format(JSON.stringify(exchanges), { parser: 'json', printWidth: 120 }));
    }
    expect(exchanges).toEqual(stored());
  });

  it('is accepted by the schemas of its version', () => {
    for (const { operation, response } of stored()) {
      const result = wire.wrap(wire.results[operation] as z.ZodType);
      const failed = response.status >= 400 || (response.body as { error?: unknown } | undefined)?.error !== undefined;
      const schema = failed ? wire.error : result;
      for (const body of response.events ?? [response.body]) {
        expect([operation, body, schema.safeParse(body).error?.issues]).toEqual([operation, body, undefined]);
      }
    }
  });

  it('has no member that belongs to the other version', () => {
    const keys = new Set<string>();
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, child] of Object.entries(value)) {
        if (!Array.isArray(value)) keys.add(key);
        if (key !== 'metadata' && key !== 'securitySchemes') walk(child);
      }
    };
    for (const { response } of stored()) walk(response.body ?? response.events);
    expect([...keys].filter((key) => wire.foreign.includes(key))).toEqual([]);
  });
});
