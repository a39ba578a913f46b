// Agents of plugin files, as their authors and callers meet them: the real server, its operator's surface, real files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { TaskView } from '../../src/operator-wire.js';
import { PluginHome } from '../support/plugin-home.js';

/** One plugin that is one agent with this body. */
const agent = (name: string, body: string, more = ''): string => `
import { defineAgent } from 'a2a-switchboard';
export default defineAgent({
  name: '${name}', description: 'a test', ${more}
  async run(prompt: { text: string }, { ask, once, requireAuth, artifact, call, progress, history, caller, signal }) { ${body} },
} as never);`;

describe('an agent in a plugin file', () => {
  it('answers with text, knows who asks, and shows files', async () => {
    const server = await PluginHome.start({
      'echo.ts': agent('echo', `artifact({ name: 'a.csv', text: 'a,b' }); return caller.id + ': ' + prompt.text;`),
    });
    const view = await server.chat('echo', 'hello');
    expect(view).toMatchObject({ taskState: 'completed', response: 'operator: hello' });
    expect(view.artifacts).toMatchObject([{ name: 'a.csv', parts: [{ mediaType: 'text/csv', filename: 'a.csv' }] }]);
  });

  it('may show a file that lies elsewhere, and none without content', async () => {
    const link = `{ name: 'report.txt', url: 'https://files.example/report.txt' }`;
    const server = await PluginHome.start({
      'linker.ts': agent('linker', `artifact(${link});`),
      'empty.ts': agent('empty', `artifact({ name: 'empty.txt' });`),
    });
    expect((await server.chat('linker', 'x')).artifacts).toMatchObject([
      { name: 'report.txt', parts: [{ url: 'https://files.example/report.txt', filename: 'report.txt' }] },
    ]);
    expect(await server.chat('empty', 'x')).toMatchObject({ taskState: 'failed' });
  });

  it('changes no task by what it does to what it was given', async () => {
    const server = await PluginHome.start({
      'made.ts': agent('made', `artifact({ name: 'd', data: { n: 1 } }); return [{ data: { n: 1 } }];`),
      'clumsy.ts': agent(
        'clumsy',
        `const made: any = await call('made', 'x');
         made.parts[0].data.n = made.artifacts[0].parts[0].data.n = 2;
         (caller as any).id = 'somebody';
         return made.taskId;`,
      ),
    });
    const { response, taskId } = await server.chat('clumsy', 'x');
    const { ledger } = server.switchboard.core;
    expect(ledger.get(response)?.task.artifacts.map(({ parts }) => parts)).toEqual([
      [{ data: { n: 1 } }],
      [{ data: { n: 1 } }],
    ]);
    expect(ledger.get(taskId)?.envelope.caller.id).toBe('operator');
    expect((await server.chat('clumsy', 'again')).taskState).toBe('completed');
  });

  it('decides by the message whether it answers with a message or with a task, and a mistake makes it a task', async () => {
    // Both are methods, and mean their object by `this`.
    const body = `if (this.name !== 'chooser') throw new Error('lost'); return 'ask' in handle ? 'task' : 'message';`;
    const replies = `replies({ parts: [{ text }] }) { if (text === 'x' || !this.name) throw new Error('no idea'); return text; },`;
    const server = await PluginHome.start({
      'chooser.js': `import { defineAgent } from 'a2a-switchboard';
        export default defineAgent({ name: 'chooser', description: 'a test', ${replies} run(prompt, handle) { ${body} } });`,
    });
    for (const [text, answer] of [
      ['task', 'task'],
      ['message', 'message'],
      ['x', 'task'],
    ] as const)
      expect(await server.chat('chooser', text)).toMatchObject({ taskState: 'completed', response: answer });
  });

  it('asks, and runs again with the answer, after a restart too; once keeps what was done', async () => {
    const server = await PluginHome.start({
      'asker.js': agent(
        'asker',
        `const n = await once('count', async () => { (await import('node:fs')).appendFileSync(prompt.text, 'x'); return { at: 1 }; });
         const name = await ask('name', 'Who are you?');
         const age = await ask('age', 'How old?');
         return name + ' ' + age + ' ' + n.at;`,
      ).replaceAll(/: \{ text: string \}| as never/g, ''),
    });
    const marks = join(server.home.path, 'marks');
    const asked = await server.chat('asker', marks);
    expect(asked).toMatchObject({ taskState: 'input-required', question: 'Who are you?' });
    await server.restart();
    expect(await server.input(asked.cid, { answer: 'Ann' })).toMatchObject({ question: 'How old?' });
    const done = await server.input(asked.cid, { answer: '7' });
    expect(done).toMatchObject({ taskState: 'completed', response: 'Ann 7 1' });
    expect(readFileSync(marks, 'utf8')).toBe('x');
  });

  it('waits for the operator where it says so: approved it goes on, declined it is rejected', async () => {
    const server = await PluginHome.start({
      'deployer.ts': agent('deployer', `await requireAuth('go', 'May I?'); return 'deployed';`),
    });
    const first = await server.chat('deployer', 'x');
    expect(first).toMatchObject({ taskState: 'auth-required', question: 'May I?' });
    expect(await server.input(first.cid, { decision: 'approve' })).toMatchObject({ response: 'deployed' });
    const second = await server.chat('deployer', 'y');
    expect(await server.input(second.cid, { decision: 'decline' })).toMatchObject({ taskState: 'rejected' });
  });

  it('is found out when it swallows its own question, and what it did then counts for nothing', async () => {
    const server = await PluginHome.start({
      'greedy.ts': agent(
        'greedy',
        `try { await ask('q', 'Why?'); } catch { await once('effect', () => 1).catch(() => 0); artifact({ name: 'x', text: 'x' }); }
         return 'I carried on';`,
      ),
    });
    const view = await server.chat('greedy', 'x');
    expect(view).toMatchObject({ taskState: 'failed', error: { code: 'question-lost' } });
    expect(view.artifacts).toBeUndefined();
    expect(server.report('greedy')).toMatchObject({ faults: 1, lastFault: expect.stringContaining("ask('q')") });
  });

  it('calls another agent in its own name, once for each call however often it runs', async () => {
    const server = await PluginHome.start({
      'boss.ts': agent(
        'boss',
        `const [a, b] = await Promise.all([call('demo', 'say one'), call('demo', 'say two')]);
         await ask('more', 'More?');
         return [a.text, b.text].join(' ');`,
      ),
    });
    const asked = await server.chat('boss', 'x');
    const done = await server.input(asked.cid, { answer: 'yes' });
    expect(done.response).toBe('one two');
    const { tasks } = server.switchboard.core.ledger.list({ caller: 'plugin/boss', pageSize: 10 });
    expect(tasks).toHaveLength(2);
  });

  it('makes the same call once, also when it runs again in another process', async () => {
    const server = await PluginHome.start({
      'boss.ts': agent(
        'boss',
        `const { text } = await call('demo', 'say one');
         return text + ' ' + (await ask('more', 'More?'));`,
      ),
    });
    const asked = await server.chat('boss', 'x');
    await server.restart();
    expect(await server.input(asked.cid, { answer: 'two' })).toMatchObject({ response: 'one two' });
    const { tasks } = server.switchboard.core.ledger.list({ caller: 'plugin/boss', pageSize: 10 });
    expect(tasks).toHaveLength(1);
  });

  it('begins nothing any more once its function has returned, and what it does too late is told in the log', async () => {
    const body = `if (prompt.text === 'x') { first = { call, artifact, once }; return 'done'; }
      first.artifact({ name: 'late.txt', text: 'x' });
      const late = [() => first.call('helper', 'late'), () => first.once('late', () => 1)];
      return (await Promise.allSettled(late.map((begin) => begin()))).map(({ reason }) => reason.message).join();`;
    const server = await PluginHome.start({
      'helper.ts': agent('helper', `return prompt.text;`),
      'hasty.ts': `let first: any;${agent('hasty', body)}`,
    });
    const { taskId } = await server.chat('hasty', 'x');
    const over = 'the run is over: nothing can be begun any more';
    expect((await server.chat('hasty', 'late')).response).toBe(`${over},${over}`);
    const { ledger } = server.switchboard.core;
    expect(ledger.get(taskId)?.task.artifacts.map(({ artifactId }) => artifactId)).toEqual(['response']);
    expect(ledger.list({ agent: 'helper', pageSize: 1 }).total).toBe(0);
    expect(server.logged).toContainEqual(
      expect.objectContaining({ plugin: 'hasty', cid: taskId, msg: expect.stringContaining('wait for it with await') }),
    );
  });

  it('takes what it called along when it is canceled', async () => {
    const server = await PluginHome.start({
      'slow.ts': agent(
        'slow',
        `await new Promise((resolve) => signal.addEventListener('abort', resolve)); return 'x';`,
      ),
      'boss.ts': agent('boss', `return (await call('slow', 'work')).text;`),
    });
    const { core } = server.switchboard;
    const { cid } = await server.chat('boss', 'x', { returnImmediately: true });
    const called = await new Promise<string>((resolve) => {
      const look = (): void => {
        const [row] = core.ledger.list({ caller: 'plugin/boss', pageSize: 1 }).tasks;
        if (row) resolve(row.record.taskId);
        else setImmediate(look);
      };
      look();
    });
    await server.call('POST', `/api/a2a/task/${cid}/cancel`);
    const { body } = await server.call<TaskView>('GET', `/api/a2a/task/${called}?wait=5`);
    expect(body.taskState).toBe('canceled');
    expect(core.ledger.get(called)?.envelope.chain).toHaveLength(1);
  });

  it('is told what is wrong with a call, an artifact, a part or a progress, and nothing of it is stored', async () => {
    const loop = '(() => { const round = {}; round.round = round; return round; })()';
    const wrongs = [
      `call('demo', 'x', { contextId: {} })`,
      `call('demo', 'x', { subject: {} })`,
      `call('demo', 'x', { taskId: 5 })`,
      `call({}, 'x')`,
      `call('demo', '')`,
      `call('demo', [{ data: 1n }])`,
      `call('demo', [{ url: 'https://files.example/x', filename: {} }])`,
      `artifact(null)`,
      `artifact({ name: 'x'.repeat(300), text: 'x' })`,
      `artifact({ name: 'x', text: 'x', mediaType: 'text/plain\\r\\nX: y' })`,
      `artifact({ name: 'x', text: 'x', description: {} })`,
      `artifact({ name: 'x', data: ${loop} })`,
      `progress(NaN)`,
      `progress({})`,
      `progress(101)`,
      `once(undefined, () => 1)`,
    ];
    const tries = wrongs.map((wrong) => `async () => ${wrong}`).join(', ');
    const server = await PluginHome.start({
      'wrong.ts': agent(
        'wrong',
        `let told = 0;
         for (const go of [${tries}]) await Promise.resolve().then(go).catch((error) => { if (error.message !== '') told++; });
         return told + ' of ${wrongs.length}';`,
      ),
      'parts.ts': agent('parts', `return [{ bytes: Buffer.from('x'), mediaType: 5 }];`),
    });
    expect((await server.chat('wrong', 'x')).response).toBe(`${wrongs.length} of ${wrongs.length}`);
    await server.chat('parts', 'x');
    expect(server.report('parts')?.lastFault).toMatch(/a mediaType must look like text\/plain/);
    await server.restart();
    const { tasks } = (await server.call<{ tasks: { agent: string }[] }>('GET', '/api/a2a/tasks')).body;
    expect(tasks.map((task) => task.agent).sort()).toEqual(['parts', 'wrong']);
    expect(
      server.logged.filter(({ msg }) => /storing failed|could not be written|trying again/.test(String(msg))),
    ).toEqual([]);
  });

  it('may try what it does once again after it threw at once', async () => {
    const body = `let tries = 0;
      const work = () => { if (++tries < 3) throw new Error('not yet'); return tries; };
      for (;;) { try { return 'try ' + (await once('work', work)); } catch {} }`;
    const server = await PluginHome.start({ 'again.ts': agent('again', body) });
    expect((await server.chat('again', 'x')).response).toBe('try 3');
  });

  it.each(['async () => "message"', 'async () => { throw new Error("later"); }', '() => 5'])(
    'that does not decide at once how it replies makes a task, and is told so: %s',
    async (replies) => {
      const server = await PluginHome.start({ 'slow.ts': agent('slow', `return 'done';`, `replies: ${replies},`) });
      expect((await server.chat('slow', 'x')).response).toBe('done');
      expect(server.report('slow')).toMatchObject({ faults: 1, lastFault: expect.stringMatching(/and at once/) });
    },
  );

  it('cannot call itself in a circle, and learns why', async () => {
    const server = await PluginHome.start({
      'loop.ts': agent('loop', `return (await call('loop', prompt.text)).text;`),
    });
    expect(await server.chat('loop', 'round')).toMatchObject({
      taskState: 'failed',
      error: { code: 'call-failed', message: expect.stringContaining('came back') },
    });
  });

  it('sees what was said before in the conversation', async () => {
    const server = await PluginHome.start({
      'memory.ts': agent('memory', `return history().map((m) => m.parts[0].text).join('|');`),
    });
    const first = await server.chat('memory', 'one');
    const second = await server.chat('memory', 'two', { contextId: first.contextId });
    expect(second.response).toBe('one|one|two');
  });

  it('may need its prompts approved, by skill', async () => {
    const server = await PluginHome.start({
      'careful.ts': agent(
        'careful',
        `return 'ran ' + prompt.text;`,
        `skills: [{ id: 'drop' }, { id: 'look' }], approval: ['drop'],`,
      ),
    });
    const { core } = server.switchboard;
    const send = (skill: string) =>
      core.prompts.submit({
        agent: 'careful',
        skill,
        caller: { id: 'plugin/test', scope: 'operator' },
        message: { messageId: skill, role: 'ROLE_USER', parts: [{ text: skill }] },
        chain: [],
        surface: 'plugin',
      });
    const { taskId } = await send('drop');
    expect(await server.call('GET', `/api/a2a/task/${taskId}?wait=5`)).toMatchObject({
      body: { taskState: 'auth-required' },
    });
    expect(await server.input(taskId, { decision: 'approve' })).toMatchObject({ response: 'ran drop' });
    const free = await send('look');
    expect(await server.call('GET', `/api/a2a/task/${free.taskId}?wait=5`)).toMatchObject({
      body: { response: 'ran look' },
    });
  });
});
