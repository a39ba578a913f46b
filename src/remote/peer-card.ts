// An agent's card as this side uses it, whichever version of the protocol wrote it: pure 0.3, pure 1.0 or both in one.
// What is unknown is told; what is broken costs only itself.
import type { AgentSkill } from '../executors/contract.js';
import { isObject } from '../read-json.js';
import { keyPlaces, type KeyPlace } from './key-place.js';

export type BindingName = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
export type ProtocolVersion = '1.0' | '0.3';

/** One way to the agent. */
export interface PeerInterface {
  url: string;
  binding: BindingName;
  protocol: ProtocolVersion;
  /** Sent back with every request, exactly so. */
  tenant?: string;
}

export interface PeerCard {
  name: string;
  description?: string;
  version?: string;
  skills: AgentSkill[];
  /** 1.0 before 0.3, and else in the card's order. */
  interfaces: PeerInterface[];
  offers: { streaming: boolean; push: boolean; extendedCard: boolean };
  extensions: { uri: string; required: boolean }[];
  /** Where the key goes, the best place first; never empty. */
  keyPlaces: KeyPlace[];
  /** What of the card can't be used, one line each. */
  problems: string[];
}

const BINDINGS: ReadonlySet<string> = new Set<BindingName>(['JSONRPC', 'HTTP+JSON', 'GRPC']);
const MOST_INTERFACES = 32;
const MOST_SKILLS = 1000;

/** The card; undefined for what is none. Its interfaces may be none, too: who needs some looks. */
export function readPeerCard(raw: unknown): PeerCard | undefined {
  if (!isObject(raw) || typeof raw['name'] !== 'string') return undefined;
  const problems: string[] = [];
  const interfaces = readInterfaces(raw, problems);
  const capabilities = objectOf(raw['capabilities']);
  const extensions = listOf(capabilities['extensions']).flatMap((extension) =>
    isObject(extension) && typeof extension['uri'] === 'string'
      ? [{ uri: extension['uri'], required: extension['required'] === true }]
      : [],
  );
  return {
    name: raw['name'],
    ...text('description', raw['description']),
    ...text('version', raw['version']),
    skills: listOf(raw['skills']).slice(0, MOST_SKILLS).flatMap(readSkill),
    interfaces,
    offers: {
      streaming: capabilities['streaming'] === true,
      push: capabilities['pushNotifications'] === true,
      extendedCard: capabilities['extendedAgentCard'] === true || raw['supportsAuthenticatedExtendedCard'] === true,
    },
    extensions,
    keyPlaces: keyPlaces(raw),
    problems,
  };
}

function readInterfaces(raw: Record<string, unknown>, problems: string[]): PeerInterface[] {
  const found: PeerInterface[] = [];
  const add = (url: unknown, binding: unknown, version: unknown, tenant?: unknown): void => {
    if (typeof url !== 'string' || url === '' || found.length >= MOST_INTERFACES) return;
    const protocol = protocolOf(version);
    const shown = `${clip(binding)} of A2A ${clip(version)}`;
    if (!BINDINGS.has(binding as string) || protocol === undefined) {
      problems.push(`${shown} is not spoken here`);
      return;
    }
    const entry: PeerInterface = { url, binding: binding as BindingName, protocol };
    if (typeof tenant === 'string' && tenant !== '') entry.tenant = tenant;
    if (!found.some((other) => JSON.stringify(other) === JSON.stringify(entry))) found.push(entry);
  };
  const top = raw['protocolVersion'];
  for (const entry of listOf(raw['supportedInterfaces'])) {
    if (!isObject(entry)) continue;
    add(entry['url'], entry['protocolBinding'], entry['protocolVersion'] ?? '1.0', entry['tenant']);
  }
  // The older way to say it: one preferred interface and further ones, JSON-RPC where nothing is said.
  const legacy = typeof top === 'string' && protocolOf(top) === '1.0' ? top : (top ?? '0.3');
  if (typeof raw['url'] === 'string') add(raw['url'], raw['preferredTransport'] ?? 'JSONRPC', legacy);
  for (const entry of listOf(raw['additionalInterfaces'])) {
    if (isObject(entry)) add(entry['url'], entry['transport'], legacy);
  }
  return found.toSorted((a, b) => Number(a.protocol === '0.3') - Number(b.protocol === '0.3'));
}

/** The version by its first two numbers. What was before 0.3 had its methods and shapes already. */
function protocolOf(version: unknown): ProtocolVersion | undefined {
  if (typeof version !== 'string') return undefined;
  if (/^1\.0(\.|$)/.test(version) || version === '1') return '1.0';
  return /^0\.[23](\.|$)/.test(version) ? '0.3' : undefined;
}

function readSkill(raw: unknown): AgentSkill[] {
  if (!isObject(raw) || typeof raw['id'] !== 'string') return [];
  const { id, name, description, tags, examples } = raw;
  const texts = (value: unknown): string[] => listOf(value).filter((one) => typeof one === 'string');
  return [
    {
      id,
      name: typeof name === 'string' ? name : id,
      description: typeof description === 'string' ? description : '',
      tags: texts(tags),
      ...(Array.isArray(examples) && { examples: texts(examples) }),
    },
  ];
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const objectOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
const text = <K extends string>(name: K, value: unknown): Partial<Record<K, string>> =>
  typeof value === 'string' && value !== '' ? ({ [name]: value } as Record<K, string>) : {};
const clip = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 60) : 'an unnamed version');
