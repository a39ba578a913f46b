// An agent in a process of its own that does what the message says, misbehaviour included. It speaks the protocol in raw
// lines, without the library that the driver uses, and stands alone so that it starts fast (see compiled-acp-agent.ts).
//
// Arguments: --store <file> and --store-in <folder> keep conversations; --load, --resume, --http say what it can do; --images, --embeds what a
// prompt may hold; --hanging <file> is made when a turn hangs; --protocol <n>, --no-list, --login, --silent, --die, --noise, --complain <bytes> how it misbehaves.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Rpc {
  id?: number | string;
  method?: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- raw lines of every shape
  params?: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- raw lines of every shape
  result?: any;
}
interface Block {
  type: string;
  text?: string;
  uri?: string;
  mimeType?: string;
  resource?: { text?: string };
}
interface Server {
  url: string;
  headers: { name: string; value: string }[];
}

const args = process.argv.slice(2);
const has = (flag: string): boolean => args.includes(flag);
const valueOf = (flag: string): string | undefined => (has(flag) ? args[args.indexOf(flag) + 1] : undefined);
/** With `--store-in <folder>` a file per conversation, for many at a time. */
const folder = valueOf('--store-in');
const store = valueOf('--store');

const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (sessionId: string, body: object): void =>
  send({ method: 'session/update', params: { sessionId, update: body } });
const chunk = (sessionId: string, text: string): void =>
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

let calls = 0;
const answers = new Map<unknown, (message: Rpc) => void>();
const request = (method: string, params: object): Promise<Rpc> =>
  new Promise((resolve) => {
    const id = `agent-${++calls}`;
    answers.set(id, resolve);
    send({ id, method, params });
  });

const inMemory: Record<string, string[]> = {};
const fileOf = (sessionId: string): string =>
  folder === undefined ? (store ?? '') : `${folder}/said-${sessionId}.json`;
/** What was said, by conversation. */
const conversations = (sessionId: string): Record<string, string[]> => {
  try {
    return JSON.parse(readFileSync(fileOf(sessionId), 'utf8')) as Record<string, string[]>;
  } catch {
    return {};
  }
};
const remember = (sessionId: string, text?: string): void => {
  const all = conversations(sessionId);
  (inMemory[sessionId] ??= all[sessionId] ?? []).push(...(text === undefined ? [] : [text]));
  const file = fileOf(sessionId);
  if (file !== '') writeFileSync(file, JSON.stringify({ ...all, [sessionId]: inMemory[sessionId] }));
};

const servers = new Map<string, Server>();
const mcpSessions = new Map<string, string>();
async function mcp(sessionId: string, body: object): Promise<Rpc | undefined> {
  const server = servers.get(sessionId);
  if (!server) return undefined;
  const known = mcpSessions.get(sessionId);
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...Object.fromEntries(server.headers.map(({ name, value }) => [name, value])),
      ...(known !== undefined && { 'mcp-session-id': known }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
  });
  const id = response.headers.get('mcp-session-id');
  if (id !== null) mcpSessions.set(sessionId, id);
  const data = /^data: (\{.*)$/m.exec(await response.text())?.[1];
  return data === undefined ? undefined : (JSON.parse(data) as Rpc);
}

async function connectTools(sessionId: string, list: Server[]): Promise<void> {
  if (list[0] === undefined) return;
  servers.set(sessionId, list[0]);
  if (has('--no-list')) return;
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'agent', version: '1' } };
  await mcp(sessionId, { id: 1, method: 'initialize', params });
  await mcp(sessionId, { method: 'notifications/initialized' });
  await mcp(sessionId, { id: 2, method: 'tools/list' });
}

interface Prompt {
  id: Rpc['id'];
  sessionId: string;
  cancelled: boolean;
  cancel(): void;
  cancelling: Promise<void>;
}
let current: Prompt | undefined;
const MARKS = ['All that follows is the message.]\n\n', /\[In answer to your question: [^\n]*\]\n\n/];

async function prompt(id: Rpc['id'], sessionId: string, blocks: Block[]): Promise<void> {
  const whole = blocks[0]?.text ?? '';
  remember(sessionId, whole);
  let cancel = (): void => undefined;
  const cancelling = new Promise<void>((resolve) => (cancel = resolve));
  const mine: Prompt = { id, sessionId, cancelled: false, cancelling, cancel };
  current = mine;
  const framed = MARKS.reduce<string>((text, mark) => text.split(mark).at(-1) ?? '', whole);
  const paragraphs = framed.split('\n\n').filter((paragraph) => !paragraph.startsWith('[file: inbox/'));
  const message = paragraphs.at(-1) ?? '';
  let stopReason = 'end_turn';
  // A decision that came too late for the request itself: what was approved is tried again.
  const approved = /asks for permission: (.*)"\nThe operator has approved/.exec(whole)?.[1];
  const steps = approved === undefined ? message : `permit ${approved}`;
  for (const step of steps.split(';').map((part) => part.trim())) {
    if (mine.cancelled) break;
    const [verb = '', ...rest] = step.split(' ');
    const end = await perform(verb, rest.join(' '), mine, blocks, whole);
    if (end === 'answered') return;
    if (end !== undefined) stopReason = end;
  }
  send({ id, result: { stopReason: mine.cancelled ? 'cancelled' : stopReason, usage: { totalTokens: 7 } } });
}

/** A stop reason, `answered` when the prompt's answer is out, or nothing. */
async function perform(
  verb: string,
  text: string,
  mine: Prompt,
  blocks: Block[],
  whole: string,
): Promise<string | undefined> {
  const { sessionId, id } = mine;
  const say = (words: string): void => chunk(sessionId, words);
  switch (verb) {
    case 'say':
      return void say(text);
    case 'chunks':
      for (let n = 1; n <= Number(text); n++) say(`${n} `);
      return undefined;
    case 'think':
      return void update(sessionId, { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });
    case 'plan':
      return void update(sessionId, {
        sessionUpdate: 'plan',
        entries: [
          { content: 'look', priority: 'high', status: 'completed' },
          { content: text, priority: 'high', status: 'in_progress' },
        ],
      });
    case 'tool': {
      const call = { toolCallId: `t${++calls}`, title: `${text} --with arguments`, name: text, kind: 'execute' };
      update(sessionId, { sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
      return void update(sessionId, { sessionUpdate: 'tool_call_update', ...call, status: 'completed' });
    }
    case 'permit-both': {
      const [one = '', two = ''] = text.split(' ');
      await Promise.all([one, two].map((title) => perform('permit', title, mine, blocks, whole)));
      return undefined;
    }
    case 'permit': {
      const toolCall = { toolCallId: `t${++calls}`, title: text, kind: 'execute', rawInput: { command: text } };
      const options = ['allow_once', 'allow_always', 'reject_once'].map((kind) => ({
        optionId: `my-${kind}`,
        name: kind,
        kind,
      }));
      const { result } = await request('session/request_permission', { sessionId, toolCall, options });
      if (result?.outcome?.outcome === 'cancelled') return mine.cancelled ? 'cancelled' : void say('no decision');
      return void say(`${text}: ${result?.outcome?.optionId}`);
    }
    case 'ask':
    case 'ask-on': {
      await mcp(sessionId, {
        id: 3,
        method: 'tools/call',
        params: { name: 'request_input', arguments: { question: text } },
      });
      return verb === 'ask' ? undefined : void (await mine.cancelling);
    }
    case 'call': {
      const [name, ...json] = text.split(' ');
      const params = { name, arguments: JSON.parse(json.join(' ') || '{}') as unknown };
      const reply = await mcp(sessionId, { id: 4, method: 'tools/call', params });
      return void say(String(reply?.result?.content?.[0]?.text));
    }
    case 'recall':
      return void say(JSON.stringify(inMemory[sessionId]));
    case 'seen':
      return void say(whole);
    case 'blocks':
      return void say(
        blocks.map(({ type, uri, resource }) => [type, resource?.text ?? uri].filter(Boolean).join('=')).join(' '),
      );
    case 'env':
      return void say(JSON.stringify(process.env));
    case 'cwd':
      return void say(process.cwd());
    case 'bytes': {
      const content = { type: 'text', text };
      const params = { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } };
      const line = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params });
      for (const byte of Buffer.from(`${line}\n`)) {
        await new Promise((resolve) => process.stdout.write(Uint8Array.of(byte), resolve));
      }
      return undefined;
    }
    case 'hang':
      writeFileSync(valueOf('--hanging') ?? '/dev/null', '');
      return void (await mine.cancelling);
    case 'deaf':
      return new Promise(() => undefined);
    case 'fork': {
      const child = spawn('sleep', ['1000'], { detached: text === 'detached', stdio: 'inherit' });
      return void say(String(child.pid));
    }
    case 'pid':
      return void say(String(process.pid));
    case 'exit':
      process.stderr.write('the secret of the agent is out\n');
      process.stdout.write('', () => process.exit(Number(text)));
      return new Promise(() => undefined);
    case 'close-output':
      process.stdout.end();
      return new Promise(() => undefined);
    case 'noise':
      process.stdout.write('x'.repeat(Number(text)) + '\nnot json\n[1]\n');
      return undefined;
    case 'big':
      return void say('x'.repeat(Number(text)));
    case 'odd':
      update(sessionId, { sessionUpdate: 'from_the_future', content: 7 });
      update(sessionId, { sessionUpdate: 'agent_message_chunk' });
      update('another-session', { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'not mine' } });
      send({ method: 'session/update', params: null });
      send({ method: 'vendor/notice', params: {} });
      send({ id: 987, result: {} });
      return void (await request('vendor/question', {}));
    case 'image': {
      const data = Buffer.from('png').toString('base64');
      const content = { type: 'image', mimeType: 'image/png', data };
      return void update(sessionId, { sessionUpdate: 'agent_message_chunk', content });
    }
    case 'stop':
      return text;
    case 'error':
      send({ id, error: { code: -32603, message: text, data: { details: 'inside' } } });
      return 'answered';
    default:
      return void say(`you said: ${[verb, text].join(' ').trim()}`);
  }
}

let sessions = 0;
async function handle({ id, method, params, ...answer }: Rpc): Promise<void> {
  switch (method) {
    case undefined:
      return answers.get(id)?.({ id, ...answer });
    case 'initialize':
      if (has('--silent')) return;
      return send({
        id,
        result: {
          protocolVersion: Number(valueOf('--protocol') ?? 1),
          agentCapabilities: {
            loadSession: has('--load'),
            sessionCapabilities: has('--resume') ? { resume: {} } : {},
            mcpCapabilities: { http: has('--http') },
            promptCapabilities: { image: has('--images'), embeddedContext: has('--embeds') },
          },
        },
      });
    case 'session/new': {
      if (has('--login')) return send({ id, error: { code: -32000, message: 'Authentication required' } });
      const sessionId = `s-${process.pid}-${++sessions}`;
      remember(sessionId);
      await connectTools(sessionId, params.mcpServers);
      return send({ id, result: { sessionId } });
    }
    case 'session/load':
    case 'session/resume': {
      const { sessionId } = params;
      const said = conversations(sessionId)[sessionId];
      if (!said) return send({ id, error: { code: -32002, message: 'Resource not found' } });
      remember(sessionId);
      await connectTools(sessionId, params.mcpServers);
      if (method === 'session/load') for (const text of said) chunk(sessionId, `replayed ${text}`);
      return send({ id, result: {} });
    }
    case 'session/prompt':
      return prompt(id, params.sessionId, params.prompt);
    case 'session/cancel':
      if (current) {
        current.cancelled = true;
        current.cancel();
      }
      return;
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: 'no such method' } });
  }
}

if (has('--die')) process.exit(3);
if (has('--noise')) process.stdout.write('Welcome to the agent!\n\n{not json either\n');
if (has('--complain')) process.stderr.write('e'.repeat(Number(valueOf('--complain'))));
createInterface({ input: process.stdin }).on('line', (line) => void handle(JSON.parse(line) as Rpc));
if (has('--stubborn')) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 60_000);
}
