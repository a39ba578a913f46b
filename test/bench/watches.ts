// `node --expose-gc --import tsx test/bench/watches.ts [count]`: so many tasks at an agent elsewhere are followed by one
// process. Prints the memory of a watch, how the questions to the agent are spread, also after a restart, and how long that
// takes to look at all of them again. The agent is a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '../../src/log.js';
import { createSwitchboard, type Switchboard } from '../../src/main.js';
import { MisbehavingPeer } from '../support/peers/misbehaving-peer.js';
import { makeTestHome } from '../support/test-home.js';

const AT_ONCE = 50;
const WATCH_SECONDS = 60;

async function measure(count: number): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['peer'], { execArgv: ['--import', 'tsx'] });
  const [url] = (await once(child, 'message')) as [string];
  const asked = async (): Promise<number> => {
    child.send('asked');
    return ((await once(child, 'message')) as [number])[0];
  };
  const home = makeTestHome({ settings: { agents: [{ name: 'far', url }], followSeconds: 0 } });
  const open = async (): Promise<Switchboard> => {
    const switchboard = await createSwitchboard({ config: { home: home.path, port: 0 }, log: silentLogger() });
    await switchboard.ready();
    return switchboard;
  };
  try {
    let switchboard = await open();
    const before = heap();
    for (let n = 0; n < count; n += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => send(switchboard, n + i)));
    }
    while (following(switchboard) < count) await sleep(100);
    await sleep(2_000);
    const bytesPerWatch = Math.round((heap() - before) / count);
    const questions = await perSecond(asked, async (second) => second < WATCH_SECONDS);
    await switchboard.stop();
    const begun = performance.now();
    const known = await asked();
    switchboard = await open();
    const readyMs = Math.round(performance.now() - begun);
    const afterRestart = await perSecond(asked, async () => (await asked()) < known + count);
    const lookedAtMs = Math.round(performance.now() - begun);
    const watches = following(switchboard);
    await switchboard.stop();
    const figures = { count, bytesPerWatch, questions, readyMs, afterRestart, lookedAtMs, watches };
    console.log(JSON.stringify(figures));
  } finally {
    child.kill();
    home.remove();
  }
}

/** Questions to the agent in each second, for as long as `goOn` says. */
async function perSecond(
  asked: () => Promise<number>,
  goOn: (second: number) => Promise<boolean>,
): Promise<{ median: number; most: number }> {
  const counts: number[] = [];
  for (let last = await asked(); await goOn(counts.length);) {
    await sleep(1_000);
    const now = await asked();
    counts.push(now - last);
    last = now;
  }
  counts.sort((a, b) => a - b);
  return { median: counts[Math.floor(counts.length / 2)] ?? 0, most: counts.at(-1) ?? 0 };
}

function send({ core }: Switchboard, n: number): Promise<unknown> {
  return core.prompts.submit({
    agent: 'far',
    caller: { id: 'operator', scope: 'operator' },
    message: { messageId: `w${n}`, role: 'ROLE_USER', parts: [{ text: 'work' }] },
    chain: [],
    surface: 'operator',
  });
}

const following = ({ core }: Switchboard): number =>
  core.ledger.watches.all().filter(({ state }) => state === 'following').length;

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

if (process.argv[2] === 'peer') {
  const peer = await new MisbehavingPeer().start();
  peer.card = { capabilities: { streaming: false, pushNotifications: false } };
  process.on('message', () => process.send?.(peer.calls('GetTask').length));
  process.send?.(peer.url);
} else await measure(Number(process.argv[2] ?? 5_000));
