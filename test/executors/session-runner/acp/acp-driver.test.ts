// The driver against an agent made of the protocol's own library, in this process, with time moved by hand.
import type { NewSessionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { pino } from 'pino';
import { AcpDriver } from '../../../../plugins/executors/session-runner/drivers/acp/acp-driver.js';
import type { AgentLink } from '../../../../plugins/executors/session-runner/drivers/acp/agent-link.js';
import type { Runner } from '../../../../plugins/executors/session-runner/runner.js';
import { ToolListener } from '../../../../plugins/executors/session-runner/mcp/tool-listener.js';
import { silentLogger } from '../../../../src/log.js';
import { Secrets } from '../../../../src/secrets/secrets.js';
import { runInProcess, type InProcessAgent, type Prompted } from '../../../support/in-process-agent.js';
import { FakeHome, promptFor, Recorder } from '../fake-core.js';

const HTTP = { mcpCapabilities: { http: true } };

describe('the acp driver', () => {
  let home: FakeHome;
  let runner: Runner;
  const links: (AgentLink & { killed: boolean })[] = [];
  const logged: Record<string, unknown>[] = [];
  const clients: Client[] = [];
  beforeEach(() => {
    home = new FakeHome();
    home.settings = { ...home.settings, driver: { name: 'acp', command: 'in-process' } };
    logged.length = links.length = 0;
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    await runner.sessions.stop();
    home.remove();
  });

  function use(agent: InProcessAgent): void {
    const log = pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) });
    const driver = new AcpDriver({
      tools: new ToolListener({ log: silentLogger(), secrets: new Secrets() }),
      newId: () => 'id',
      log,
      homeMark: 'test',
      launch: () => {
        const link = runInProcess(agent);
        links.push(link);
        return Promise.resolve(link);
      },
    });
    // The contexts' logger is silent; the driver's own is what is looked at.
    runner = home.runner([{ name: 'acp', open: (context, signal) => driver.open({ ...context, log }, signal) }]);
  }

  /** Lets what is under way run until the condition holds. */
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve));
  };
  const ask = (text: string, more: object = {}) => home.run({ text, ...more }, runner);

  it('shows every update that came before the answer, in order, and none that came after', async () => {
    let late = (): Promise<void> => Promise.resolve();
    use({
      capabilities: {},
      async prompt({ say }: Prompted) {
        // Nobody waits for these: they are on the wire before the answer all the same.
        for (let n = 1; n <= 200; n++) void say(`${n} `);
        late = () => say('late');
        return 'end_turn';
      },
    });
    const { shown } = await ask('count');
    expect(shown.slice(0, -1)).toEqual(Array.from({ length: 200 }, (_, n) => `${n + 1} `));
    expect(shown.at(-1)).toBe('/');
    await late();
    expect((await ask('again', { cid: 'task-2' })).shown).not.toContain('late');
  });

  it('gives up on an agent that does not answer, and ends it', async () => {
    use({ prompt: () => Promise.resolve('end_turn') });
    const running = ask('hello');
    await until(() => links.length > 0 && home.clock.pending > 0);
    home.clock.advance(60_000);
    await expect(running).rejects.toThrow('The agent did not answer "initialize" within 60 s.');
    expect(links[0]?.over).toBe(true);
  });

  it('stops opening when the turn is cancelled', async () => {
    use({ prompt: () => Promise.resolve('end_turn') });
    const handle = new Recorder();
    const running = runner.run(promptFor({ text: 'hello' }), handle);
    await until(() => links.length > 0 && home.clock.pending > 0);
    handle.controller.abort();
    await expect(running).rejects.toThrow('cancelled');
    expect(links[0]?.over).toBe(true);
    expect(home.clock.pending).toBe(0);
  });

  it('mentions its tools once the agent has fetched the list, and warns while it has not', async () => {
    let opened: NewSessionRequest | undefined;
    use({
      capabilities: HTTP,
      opened: (request) => (opened = request),
      async prompt({ text, say }) {
        await say(text.includes('request_input') ? 'has tools' : 'has none');
        return 'end_turn';
      },
    });
    const running = ask('hello');
    await until(() => opened !== undefined && home.clock.pending === 1);
    home.clock.advance(3_000);
    expect((await running).shown[0]).toBe('has none');
    expect(JSON.stringify(logged)).toContain('has not asked for the session tools');

    const server = opened?.mcpServers[0] as { url: string; headers: { name: string; value: string }[] };
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
    const client = new Client({ name: 'c', version: '1' });
    clients.push(client);
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));
    await client.listTools();
    expect((await ask('hello', { cid: 'task-2' })).shown[0]).toBe('has tools');
    const between = await client.callTool({ name: 'send', arguments: { text: 'unasked' } });
    expect(between).toMatchObject({ isError: true, content: [{ text: 'No message is being answered now.' }] });
  });

  it('ends an agent that does not obey a cancel, and opens another one for the next turn', async () => {
    let deaf = true;
    use({
      capabilities: {},
      async prompt({ say }) {
        await say('working');
        if (deaf) await new Promise(() => undefined);
        return 'end_turn';
      },
    });
    const handle = new Recorder();
    const running = runner.run(promptFor({ text: 'go' }), handle);
    await until(() => handle.shown.length > 0);
    handle.controller.abort();
    await until(() => home.clock.pending === 1);
    home.clock.advance(3_000);
    expect((await running).kind).toBe('failed');
    expect(links[0]?.killed).toBe(true);
    deaf = false;
    expect((await ask('again', { cid: 'task-2' })).outcome.kind).toBe('completed');
    expect(links).toHaveLength(2);
  });

  it('answers a permission that is pending at a cancel as cancelled', async () => {
    let outcome: unknown;
    use({
      capabilities: {},
      async prompt({ client, sessionId, cancelled, say }) {
        const toolCall = { toolCallId: 't', title: 'dig' };
        const options = [{ optionId: 'yes', name: 'yes', kind: 'allow_once' as const }];
        const answer = await client.request('session/request_permission', { sessionId, toolCall, options });
        outcome = (answer as RequestPermissionResponse).outcome;
        await cancelled;
        await say('never shown');
        return 'cancelled';
      },
    });
    const first = await ask('dig');
    expect(first.outcome).toMatchObject({ kind: 'question', from: 'operator' });
    // The task was given up meanwhile; another one of the conversation comes instead of the decision.
    const next = ask('something else', { cid: 'task-2' });
    await until(() => outcome !== undefined);
    expect(outcome).toEqual({ outcome: 'cancelled' });
    expect((await next).shown).not.toContain('never shown');
  });

  it('stops an agent that talks without end, and goes on with it once it obeys', async () => {
    let stopped = false;
    use({
      capabilities: {},
      async prompt({ text, say, cancelled }) {
        if (text.includes('again')) return say('fine').then(() => 'end_turn' as const);
        void cancelled.then(() => (stopped = true));
        while (!stopped) await say('x'.repeat(50_000));
        return 'cancelled';
      },
    });
    const { outcome, shown } = await ask('talk');
    expect(outcome).toMatchObject({ kind: 'failed', code: 'too-much' });
    expect(shown.slice(0, -1).join('').length).toBe(2_000_000);
    expect((await ask('again', { cid: 'task-2' })).shown[0]).toBe('fine');
    expect(links).toHaveLength(1);
  });

  it('keeps little of what an agent says while it waits for a decision', async () => {
    let filled = false;
    use({
      capabilities: {},
      async prompt({ client, sessionId, say }) {
        const toolCall = { toolCallId: 't', title: 'dig' };
        const options = [{ optionId: 'yes', name: 'yes', kind: 'allow_once' as const }];
        const asking = client.request('session/request_permission', { sessionId, toolCall, options });
        await until(() => waiting);
        for (let n = 0; n < 50; n++) await say(`${n} ${'x'.repeat(100_000)}`);
        filled = true;
        await asking;
        await say('done');
        return 'end_turn';
      },
    });
    let waiting = false;
    const { outcome } = await ask('dig');
    waiting = true;
    await until(() => filled);
    const { question } = outcome as { question: string };
    const answers = [{ question, answer: 'approved', from: 'operator' as const }];
    const { shown } = await home.run({ turn: 2, opening: 'dig', answers }, runner);
    expect(shown.map((text) => text.split(' ', 1)[0])).toEqual([...'012345678', 'done', '/']);
  });

  it('closes the agent of an idle conversation and opens one again when it goes on', async () => {
    use({
      capabilities: {},
      async prompt({ text, say }) {
        await say(text.includes('assistant: first answer') ? 'was told' : 'first answer');
        return 'end_turn';
      },
    });
    expect((await ask('hello')).shown[0]).toBe('first answer');
    home.clock.advance(1_800_000);
    expect(links[0]?.over).toBe(true);
    const line = { taskId: 'task-1', n: 1, turn: 1, at: 0, role: 'assistant' as const, text: 'first answer' };
    home.transcripts.set('ann_c1', [line]);
    expect((await ask('and now?', { cid: 'task-2' })).shown[0]).toBe('was told');
  });
});
