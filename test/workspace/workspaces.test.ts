import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { TempWorkspaces } from '../support/temp-workspaces.js';

const DEFAULTS = {
  driver: { name: 'scripted' },
  exposed: true,
  publicCard: true,
  extendedCard: true,
  approval: { skills: [] },
  queue: 0,
  retention: {},
  quota: {},
  tools: { shell: false, writeStanding: false },
  callAgents: [],
};

describe('the folders', () => {
  test('are the workspaces, sorted, as they are at each call', () => {
    const home = new TempWorkspaces('b', 'a');
    expect(home.workspaces.names()).toEqual(['a', 'b']);
    expect(home.workspaces.has('c')).toBe(false);
    mkdirSync(home.path('c'));
    expect(home.workspaces.has('c')).toBe(true);
    expect(home.workspaces.names()).toEqual(['a', 'b', 'c']);
    rmSync(home.path('a'), { recursive: true });
    expect(home.workspaces.has('a')).toBe(false);
    expect(home.workspaces.names()).toEqual(['b', 'c']);
  });

  test('may be missing altogether: then there are no workspaces', () => {
    const { workspaces } = new TempWorkspaces();
    expect(workspaces.names()).toEqual([]);
    expect(workspaces.has('a')).toBe(false);
    expect(workspaces.problems()).toEqual([]);
  });

  test('with a bad name, links and files are none; what may be meant as one is reported', () => {
    const home = new TempWorkspaces('a');
    mkdirSync(home.path('My Agent'));
    mkdirSync(home.path('operator'));
    mkdirSync(home.path('.git'));
    writeFileSync(home.path('notes'), '');
    symlinkSync(home.path('a'), home.path('linked'));
    expect(home.workspaces.names()).toEqual(['a']);
    for (const name of ['My Agent', 'operator', '.git', 'notes', 'linked', '..', '', 'a/../a'])
      expect([name, home.workspaces.has(name)]).toEqual([name, false]);
    expect(home.workspaces.problems().map(({ workspace, problem }) => [workspace, problem.slice(0, 38)])).toEqual([
      ['linked', 'is no workspace: it is a symbolic link'],
      ['My Agent', 'is no workspace: its name must be 1 to'],
      ['operator', 'is no workspace: its name is reserved'],
    ]);
    rmSync(home.path('linked'));
    rmSync(home.path('My Agent'), { recursive: true });
    rmSync(home.path('operator'), { recursive: true });
    expect(home.workspaces.problems()).toEqual([]);
  });

  test.each(['..', 'a/b', 'operator', '', '.'])('have no path under the name %j', (name) => {
    const { workspaces } = new TempWorkspaces('a');
    expect(() => workspaces.path(name)).toThrow(expect.objectContaining({ code: 'not-found' }));
    expect(workspaces.settings(name).exposed).toBe(false);
  });
});

describe('settings', () => {
  test('are the defaults without a file', () => {
    const { workspaces } = new TempWorkspaces('a');
    expect(workspaces.settings('a')).toEqual(DEFAULTS);
  });

  test('are what the file says, at once, with defaults for the rest', () => {
    const home = new TempWorkspaces('a');
    home.write('a', 'workspace.json', {
      v: 1,
      driver: { name: 'other', model: 'm' },
      timeZone: 'Europe/Berlin',
      queue: 3,
      retention: { maxTasks: 10 },
      quota: { liveTasks: 5 },
      tools: { shell: true },
      callAgents: ['b'],
      approval: { skills: ['pay'] },
      own: { thing: 1 },
    });
    expect(home.workspaces.settings('a')).toEqual({
      ...DEFAULTS,
      driver: { name: 'other', model: 'm' },
      timeZone: 'Europe/Berlin',
      queue: 3,
      retention: { maxTasks: 10 },
      quota: { liveTasks: 5 },
      tools: { shell: true, writeStanding: false },
      callAgents: ['b'],
      approval: { skills: ['pay'] },
    });
    for (let queue = 0; queue < 10; queue += 1) {
      home.write('a', 'workspace.json', { queue });
      expect(home.workspaces.settings('a').queue).toBe(queue);
    }
  });

  test.each([
    ['{', /is not valid JSON at line 1, column 2; the last good settings stay in force/],
    ['{"v":2}', /format version 2/],
    ['[]', /must hold a JSON object/],
    ['{"queue":-1,"exposed":"no"}', /"exposed" is not valid, "queue" is not valid/],
    ['{"timeZone":"Mars/Base"}', /"timeZone" is not valid/],
    ['{"expireQuestions":"soon"}', /"expireQuestions" is not valid/],
    ['{"expireQuestions":"0d"}', /"expireQuestions" is not valid/],
    ['{"driver":{}}', /"driver.name" is not valid/],
    ['{"retention":{"days":0}}', /"retention.days" is not valid/],
  ])('stay the last good ones while the file reads %j, with one warning', (text, problem) => {
    const home = new TempWorkspaces('a');
    home.write('a', 'workspace.json', { queue: 7 });
    expect(home.workspaces.settings('a').queue).toBe(7);
    home.write('a', 'workspace.json', text);
    for (const _ of [1, 2, 3]) expect(home.workspaces.settings('a').queue).toBe(7);
    expect(home.workspaces.problems()).toEqual([
      { workspace: 'a', file: 'workspace.json', problem: expect.stringMatching(problem) as string },
    ]);
    expect(home.warnings()).toHaveLength(1);
    home.write('a', 'workspace.json', { queue: 8 });
    expect(home.workspaces.settings('a').queue).toBe(8);
    expect(home.workspaces.problems()).toEqual([]);
  });

  test('that were never readable keep the workspace closed, until they are', () => {
    const home = new TempWorkspaces('a');
    home.write('a', 'workspace.json', '{"exposed": true,');
    expect(home.workspaces.settings('a')).toEqual({ ...DEFAULTS, exposed: false, publicCard: false, unknown: true });
    expect(home.warnings()).toEqual([expect.stringMatching(/stays closed/)]);
    home.write('a', 'workspace.json', '{}');
    expect(home.workspaces.settings('a')).toEqual(DEFAULTS);
  });

  test('of a workspace that was removed and made again start afresh', () => {
    const home = new TempWorkspaces('a');
    home.write('a', 'workspace.json', { queue: 7 });
    expect(home.workspaces.settings('a').queue).toBe(7);
    rmSync(home.path('a'), { recursive: true });
    expect(home.workspaces.names()).toEqual([]);
    expect(home.workspaces.settings('a').exposed).toBe(false);
    mkdirSync(home.path('a', '.a2a'), { recursive: true });
    home.write('a', 'workspace.json', '{');
    expect(home.workspaces.settings('a')).toMatchObject({ queue: 0, exposed: false });
  });
});

describe('the card', () => {
  const FALLBACK = { name: 'a', description: 'The assistant a.', version: '1.0.0', skills: [] };

  test('is a fallback without a file, and needs no warning', () => {
    const home = new TempWorkspaces('a');
    expect(home.workspaces.card('a')).toEqual(FALLBACK);
    expect(home.workspaces.problems()).toEqual([]);
  });

  test('is what the file says, with what a skill needs filled in', () => {
    const home = new TempWorkspaces('a');
    home.write('a', 'card.json', {
      v: 1,
      name: 'Anna',
      description: 'Adds.',
      skills: [{ id: 'sum' }, { id: 'mul', name: 'Multiply', description: 'x*y', tags: ['math'], examples: ['2*3'] }],
      provider: { url: 'https://example.com', organization: 'Example' },
      iconUrl: 'https://example.com/i.png',
      url: 'https://evil.example.com',
      supportedInterfaces: [],
    });
    expect(home.workspaces.card('a')).toEqual({
      name: 'Anna',
      description: 'Adds.',
      version: '1.0.0',
      skills: [
        { id: 'sum', name: 'sum', description: 'sum', tags: [] },
        { id: 'mul', name: 'Multiply', description: 'x*y', tags: ['math'], examples: ['2*3'] },
      ],
      provider: { url: 'https://example.com', organization: 'Example' },
      iconUrl: 'https://example.com/i.png',
    });
  });

  test.each(['{', '{"name":5}', '{"iconUrl":"javascript:alert(1)"}', '{"skills":[{}]}', '{"v":3}'])(
    'falls back with one warning while the file reads %j',
    (text) => {
      const home = new TempWorkspaces('a');
      home.write('a', 'card.json', { name: 'Anna' });
      expect(home.workspaces.card('a').name).toBe('Anna');
      home.write('a', 'card.json', text);
      for (const _ of [1, 2]) expect(home.workspaces.card('a')).toEqual(FALLBACK);
      expect(home.warnings()).toEqual([expect.stringMatching(/^card\.json of a: .*fallback card/)]);
    },
  );

  test('shows a skill that is there twice once', () => {
    const home = new TempWorkspaces('a');
    home.write('a', 'card.json', {
      skills: [
        { id: 's', name: 'one' },
        { id: 's', name: 'two' },
      ],
    });
    expect(home.workspaces.card('a').skills.map(({ name }) => name)).toEqual(['one']);
    expect(home.workspaces.problems()).toHaveLength(1);
  });
});

describe("a driver's file", () => {
  test('is its text as of now, without a byte order mark; undefined when missing', () => {
    const home = new TempWorkspaces('a');
    expect(home.workspaces.driverFile('a', 'script.json')).toBeUndefined();
    for (const text of ['{"a":1}', 'not json', '']) {
      home.write('a', 'script.json', `\uFEFF${text}`);
      expect(home.workspaces.driverFile('a', 'script.json')).toBe(text);
    }
  });

  test.each(['../AGENTS.md', 'tasks/x.json', '', '..', '.hidden', 'a\0b'])('is never %j', (file) => {
    const home = new TempWorkspaces('a');
    expect(() => home.workspaces.driverFile('a', file)).toThrow(expect.objectContaining({ code: 'config' }));
  });

  test('that can not be read is an error with the reason', () => {
    const home = new TempWorkspaces('a');
    mkdirSync(home.path('a', '.a2a', 'script.json'));
    expect(() => home.workspaces.driverFile('a', 'script.json')).toThrow('script.json is not a regular file');
  });
});

describe('making a workspace', () => {
  test('puts AGENTS.md and .a2a/ there, and a card if one was given', () => {
    const home = new TempWorkspaces();
    home.workspaces.create('demo', { card: { name: 'Demo', skills: [] }, agentsMd: 'Be kind.\n' });
    home.workspaces.create('plain');
    expect(home.workspaces.names()).toEqual(['demo', 'plain']);
    expect(readFileSync(home.path('demo', 'AGENTS.md'), 'utf8')).toBe('Be kind.\n');
    expect(JSON.parse(readFileSync(home.path('demo', '.a2a', 'card.json'), 'utf8'))).toMatchObject({ v: 1 });
    expect(home.workspaces.card('demo').name).toBe('Demo');
    expect(readdirSync(home.path('plain')).sort()).toEqual(['.a2a', 'AGENTS.md']);
    expect(statSync(home.path('plain', '.a2a')).mode & 0o777).toBe(0o700);
  });

  test('is refused for a name that is taken, and nothing is left behind', () => {
    const home = new TempWorkspaces('a');
    mkdirSync(home.path('empty'));
    symlinkSync('/nowhere', home.path('link'));
    for (const name of ['a', 'empty', 'link'])
      expect(() => home.workspaces.create(name)).toThrow(expect.objectContaining({ code: 'invalid-params' }));
    expect(readdirSync(home.path()).sort()).toEqual(['a', 'empty', 'link']);
  });

  test.each(['../x', 'X', '', 'tasks'])('is refused for the name %j', (name) => {
    const home = new TempWorkspaces();
    expect(() => home.workspaces.create(name)).toThrow(expect.objectContaining({ code: 'invalid-params' }));
    expect(existsSync(home.path())).toBe(false);
  });
});
