import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RememberedSession } from '../../../../plugins/executors/session-runner/drivers/acp/remembered-session.js';

describe('an agent’s id of a conversation', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'remembered-'));
    mkdirSync(join(directory, '.a2a'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const memory = (agent: unknown[] = ['agent', []]) => new RememberedSession(directory, 'ann_c1', agent);
  const file = () => join(directory, '.a2a', 'acp', 'ann_c1.json');

  it('is found again by the same agent, is its owner’s alone, and leaves nothing half-written behind', () => {
    expect(memory().read()).toBeUndefined();
    memory().write('first');
    memory().write('second');
    expect(memory().read()).toBe('second');
    expect(memory(['agent', ['--other']]).read()).toBeUndefined();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(directory, '.a2a', 'acp'))).toEqual(['ann_c1.json']);
  });

  it.each(['', 'null', '{', '[]', '{"v":2}', '{"v":1,"sessionId":7}', '\0'])(
    'is none in a file that says %j',
    (text) => {
      memory().write('known');
      writeFileSync(file(), text);
      expect(memory().read()).toBeUndefined();
    },
  );

  it('is none when it is longer than an id can be', () => {
    memory().write('known');
    writeFileSync(file(), readFileSync(file(), 'utf8').replace('known', 'x'.repeat(1_001)));
    expect(memory().read()).toBeUndefined();
  });

  it('does not bring back a workspace that was taken away', () => {
    rmSync(directory, { recursive: true });
    expect(() => memory().write('lost')).toThrow('ENOENT');
    expect(statSync(directory, { throwIfNoEntry: false })).toBeUndefined();
  });
});
