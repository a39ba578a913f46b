// Many conversations, each with a process of its own: opened, left idle until they are closed, taken up again. Nothing of
// them may stay behind in the server.
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileAcpAgent } from '../support/compiled-acp-agent.js';
import { startSwitchboard } from '../support/compiled-server.js';
import { makeTestHome, OPERATOR_KEY } from '../support/test-home.js';

/** Conversations at a time, and seconds after which an idle one is closed. */
const AT_ONCE = 6;
const IDLE_SECONDS = 3;

interface Footprint {
  children: number;
  /** Descriptors: sockets, pipes and the like, and files of the home, which the journal opens as it needs them. */
  other: number;
  files: string[];
}

export async function manySessions(count: number, saw: (what: string, right: boolean, more?: unknown) => void) {
  const agent = compileAcpAgent();
  const home = makeTestHome({ settings: { sessionIdle: IDLE_SECONDS } });
  const driver = agent.driver(['--http', '--resume', '--store-in', home.path]);
  const settings = join(home.path, 'workspaces', 'demo', '.a2a', 'workspace.json');
  writeFileSync(settings, JSON.stringify({ v: 1, driver }));
  const server = await startSwitchboard({ home: home.path });
  const say = async (n: number, message: string): Promise<string> => {
    const headers = { 'X-API-Key': OPERATOR_KEY, 'Content-Type': 'application/json', Connection: 'close' };
    const body = JSON.stringify({ agent: 'demo', message, contextId: `c${n}` });
    const answer = await fetch(`${server.url}/api/a2a/chat`, { method: 'POST', headers, body });
    return ((await answer.json()) as { response: string }).response;
  };
  try {
    await say(0, 'say first');
    await quiet(server.pid);
    const before = footprint(server.pid);
    const opened = await each(count, async (n) => (await say(n, `say this is ${n}`)) === `this is ${n}`);
    saw(`${count} conversations are opened`, opened === count, opened);
    await quiet(server.pid);
    saw('idle ones are closed, and nothing of them stays', isWithin(footprint(server.pid), before), [
      before,
      footprint(server.pid),
    ]);
    const resumed = await each(count, async (n) => (await say(n, 'recall')).includes(`say this is ${n}"`));
    saw(`${count} conversations are taken up again`, resumed === count, resumed);
    await quiet(server.pid);
    saw('and closed again, and nothing of them stays', isWithin(footprint(server.pid), before), [
      before,
      footprint(server.pid),
    ]);
  } finally {
    await server.stop();
    home.remove();
    agent.remove();
  }
}

/** How many of 1 … count went well. */
async function each(count: number, act: (n: number) => Promise<boolean>): Promise<number> {
  let next = 1;
  let well = 0;
  const worker = async (): Promise<void> => {
    while (next <= count) if (await act(next++)) well++;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return well;
}

const isWithin = (now: Footprint, before: Footprint): boolean =>
  now.children === 0 && now.other <= before.other && now.files.length <= before.files.length + 1;

/** Waits, for a bounded time, until the server has no children and its descriptors are what they stay. */
async function quiet(pid: number): Promise<void> {
  let last = '';
  for (let tries = 0; tries < 60; tries++) {
    const now = footprint(pid);
    if (now.children === 0 && JSON.stringify(now) === last) return;
    last = JSON.stringify(now);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

function footprint(pid: number): Footprint {
  const folder = `/proc/${pid}/fd`;
  const links = readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(join(folder, fd));
    } catch {
      return '';
    }
  });
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return {
    children: children === '' ? 0 : children.split(' ').length,
    other: links.filter((link) => !link.startsWith('/')).length,
    files: links.filter((link) => link.startsWith('/')).map((link) => link.split('/').slice(-3).join('/')),
  };
}
