import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULTS, loadConfig } from '../src/config.js';
import { AppError } from '../src/errors.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'switchboard-config-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const settings = (content: unknown): void =>
  writeFileSync(join(home, 'switchboard.json'), typeof content === 'string' ? content : JSON.stringify(content));
const load = (env: Record<string, string> = {}) => loadConfig({ env: { SWITCHBOARD_HOME: home, ...env } });
const problemsOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).code).toBe('config');
    return (error as AppError).message;
  }
  throw new Error('expected the configuration to be refused');
};

describe('loadConfig', () => {
  it('is complete with no file and no variables', () => {
    expect(load()).toMatchObject({ config: { ...DEFAULTS, home }, warnings: [] });
    expect(loadConfig({ env: {} }).config.home).toBe(join(process.cwd(), 'home'));
  });

  it('fits a part of the full size in base64 into a body', () => {
    expect(DEFAULTS.maxBodyBytes).toBeGreaterThan((DEFAULTS.maxPartBytes * 4) / 3 + 65_536);
  });

  it('lets variables win over the file and overrides over both', () => {
    settings({ v: 1, port: 1000, host: '::1', logLevel: 'warn' });
    const env = { SWITCHBOARD_HOME: home, SWITCHBOARD_PORT: '2000', SWITCHBOARD_HOST: '0.0.0.0' };
    const { config } = loadConfig({ env, overrides: { port: 0 } });
    expect(config).toMatchObject({ host: '0.0.0.0', port: 0, logLevel: 'warn' });
  });

  it('lets flags win over variables, and checks them alike', () => {
    const env = { SWITCHBOARD_HOME: '/nowhere', SWITCHBOARD_PORT: '2000' };
    const { config } = loadConfig({ env, flags: { SWITCHBOARD_HOME: home, SWITCHBOARD_PORT: '3000' } });
    expect(config).toMatchObject({ home, port: 3000 });
    expect(problemsOf(() => loadConfig({ env, flags: { SWITCHBOARD_PORT: '-1' } }))).toContain('- SWITCHBOARD_PORT ');
  });

  it('takes limits for tasks and questions, each with a default', () => {
    expect(load().config).toMatchObject({ expireQuestionsSeconds: 604_800, retention: { days: 90 } });
    settings({ expireQuestions: '12h', retention: { maxTasks: 5 } });
    expect(load().config).toMatchObject({ expireQuestionsSeconds: 43_200, retention: { days: 90, maxTasks: 5 } });
    settings({ expireQuestions: 0, retention: { days: 0, maxTasks: -1 } });
    const problems = problemsOf(load);
    for (const field of ['expireQuestions', 'retention.days', 'retention.maxTasks']) expect(problems).toContain(field);
  });

  it('treats an empty variable as not set', () => {
    expect(load({ SWITCHBOARD_PORT: '', SWITCHBOARD_FAILPOINT: '' }).config).toEqual({ ...DEFAULTS, home });
  });

  it('reads a list of private targets from the file, and separated by commas from the variable', () => {
    settings({ allowPrivate: ['10.0.0.0/8'] });
    expect(load().config.allowPrivate).toEqual(['10.0.0.0/8']);
    const env = { SWITCHBOARD_ALLOW_PRIVATE: '127.0.0.1, build.example,,fd00::/8' };
    expect(load(env).config.allowPrivate).toEqual(['127.0.0.1', 'build.example', 'fd00::/8']);
    expect(load({ SWITCHBOARD_ALLOW_PRIVATE: '*' }).config.allowPrivate).toEqual(['*']);
    expect(problemsOf(() => load({ SWITCHBOARD_ALLOW_PRIVATE: 'a.example,10.0.0.0/99' }))).toContain(
      '- SWITCHBOARD_ALLOW_PRIVATE must be a host, an address, a range',
    );
  });

  it('reads durations in seconds and with a unit', () => {
    settings({ sessionIdle: 90, turnDeadline: '2h' });
    expect(load().config).toMatchObject({ sessionIdleSeconds: 90, turnDeadlineSeconds: 7200 });
  });

  it('reads limits of streams, connections and wrong keys, and names as hosts have them', () => {
    settings({
      streams: { perCaller: 5 },
      lockout: { failures: 3 },
      drain: '1m',
      operatorHosts: ['Desk.internal', '[::1]'],
    });
    const { config } = load();
    expect(config).toMatchObject({
      streams: { ...DEFAULTS.streams, perCaller: 5 },
      lockout: { ...DEFAULTS.lockout, failures: 3 },
      connections: DEFAULTS.connections,
      drainSeconds: 60,
      operatorHosts: ['desk.internal', '[::1]'],
    });
    settings({ operatorHosts: ['desk.internal:80'], connections: { headersSeconds: 0 } });
    expect(() => load()).toThrow(
      /connections\.headersSeconds must be above 0[\s\S]*operatorHosts\[0\].*without a port/,
    );
  });

  it('reads where gRPC is spoken and what signs cards, files relative to the home', () => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', d: 'x' };
    settings({ grpc: { cert: 'tls/cert.pem', key: '/tls/key.pem' }, cardKeys: ['keys/a.pem', jwk] });
    expect(load({ SWITCHBOARD_GRPC_PORT: '7421' }).config).toMatchObject({
      grpcPort: 7421,
      grpc: { cert: join(home, 'tls/cert.pem'), key: '/tls/key.pem' },
      cardKeys: [join(home, 'keys/a.pem'), jwk],
    });
    settings({ grpcPort: 70_000, grpc: { cert: 'cert.pem', publicAddress: 'https://x' }, cardKeys: [3] });
    const problems = problemsOf(load);
    for (const field of ['grpcPort', 'grpc.publicAddress', 'cardKeys[0]']) expect(problems).toContain(field);
    settings({ grpc: { cert: 'cert.pem' } });
    expect(problemsOf(load)).toContain('grpc must name both cert and key');
  });

  it('fills in what a partial rate or quota leaves out', () => {
    settings({ rate: { burst: 5 }, quota: { concurrentTurns: 2 } });
    expect(load().config).toMatchObject({
      rate: { perMinute: 60, burst: 5 },
      quota: { ...DEFAULTS.quota, concurrentTurns: 2 },
    });
  });

  it('cuts trailing slashes off the public URL', () => {
    expect(load({ SWITCHBOARD_PUBLIC_URL: 'https://a.example/base//' }).config.publicUrl).toBe(
      'https://a.example/base',
    );
  });

  it('tolerates a byte order mark', () => {
    settings('\uFEFF{"port": 1}');
    expect(load().config.port).toBe(1);
  });

  it('hands a failpoint through', () => {
    expect(load({ SWITCHBOARD_FAILPOINT: 'journal:2' }).config.failpoint).toBe('journal:2');
  });

  it('is frozen all the way down', () => {
    const { config } = load();
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
    expect(() => Object.assign(config.quota, { liveTasks: 1 })).toThrow(TypeError);
    expect(() => config.corsOrigins.push('*')).toThrow('not extensible');
  });

  it('lists every problem of file and variables in one error', () => {
    settings({
      maxHops: 0,
      rate: { burst: 'lots' },
      corsOrigins: ['https://ok.example', 'nonsense'],
      turnDeadline: '1 h',
    });
    const message = problemsOf(() => load({ SWITCHBOARD_PORT: '99999', SWITCHBOARD_DURABILITY: 'eternal' }));
    const path = join(home, 'switchboard.json');
    for (const line of [
      `${path}: maxHops must be above 0`,
      `${path}: rate.burst `,
      `${path}: corsOrigins[1] must be an origin`,
      `${path}: turnDeadline must be a number of seconds`,
      'SWITCHBOARD_PORT must be 0 to 65535',
      'SWITCHBOARD_DURABILITY must be process or power',
    ]) {
      expect(message).toContain(`\n- ${line}`);
    }
    expect(message).not.toContain('corsOrigins[0]');
  });

  it.each([
    ['SWITCHBOARD_PORT', 'http'],
    ['SWITCHBOARD_LOG_LEVEL', 'loud'],
    ['SWITCHBOARD_PUBLIC_URL', 'ftp://a.example'],
    ['SWITCHBOARD_PUBLIC_URL', 'https://user:pw@a.example'],
    ['SWITCHBOARD_PUBLIC_URL', 'not a url'],
    ['SWITCHBOARD_OPERATOR_KEY', 'with space'],
  ])('refuses %s=%s and names the variable', (variable, value) => {
    expect(problemsOf(() => load({ [variable]: value }))).toContain(`- ${variable} `);
  });

  it.each([['10.0.0.0/33'], ['10.0.0'], ['fe80::/200'], ['everyone']])('refuses the trusted proxy %s', (proxy) => {
    settings({ trustedProxies: ['loopback', '10.0.0.0/8', '::1', proxy] });
    expect(problemsOf(() => load())).toContain('trustedProxies[3] ');
  });

  it('refuses a file of a newer version', () => {
    settings({ v: 2 });
    expect(problemsOf(() => load())).toContain('v was written by a newer version');
  });

  it.each([
    ['{"operatorKey": "hush-hush",\n  "port": }', 'line 2, column 11'],
    ['{"port": 1,}', 'line 1, column 12'],
    ['{"port": 1} x', 'line 1, column 13'],
    ['', 'line 1, column 1'],
    ['{"host": "a\nb"}', 'line 1, column 10'],
    ['[1, 2,, 3]', 'line 1, column 7'],
  ])('names the place where %j stops being JSON, without quoting it', (content, place) => {
    settings(content);
    const message = problemsOf(() => load());
    expect(message).toContain(`${join(home, 'switchboard.json')}: not valid JSON at ${place}`);
    expect(message).not.toContain('hush');
  });

  it('refuses a file that is JSON but no object, or can not be read', () => {
    settings('[]');
    expect(problemsOf(() => load())).toContain('must hold one JSON object');
    rmSync(join(home, 'switchboard.json'));
    mkdirSync(join(home, 'switchboard.json'));
    expect(problemsOf(() => load())).toContain(`${join(home, 'switchboard.json')}: `);
  });

  it('warns of settings and variables that nothing reads', () => {
    settings({ prot: 1 });
    expect(load({ SWITCHBOARD_PROT: '1' }).warnings).toEqual([
      'there is no variable SWITCHBOARD_PROT',
      `${join(home, 'switchboard.json')}: there is no setting prot`,
    ]);
  });
});
