import { describe, expect, it } from '@jest/globals';
import { DEFAULTS, type Config } from '../../src/config.js';
import { hostCheck } from '../../src/http/host-check.js';

const ask = (settings: Partial<Config>, host: string | undefined, origin?: string, forwarded = host): string =>
  hostCheck({ ...DEFAULTS, ...settings })({ host, forwarded, origin }) === undefined ? 'served' : 'refused';

describe('the host of a request for the operator surface', () => {
  it.each([
    'localhost',
    'localhost:7420',
    'LOCALHOST',
    'localhost.',
    'app.localhost:80',
    '127.0.0.1:7420',
    '127.8.9.1',
    '[::1]:7420',
  ])('%s is one that nobody else can own', (host) => {
    expect(ask({}, host)).toBe('served');
  });

  it.each([
    'evil.example',
    'evil.example:7420',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'notlocalhost',
    '10.0.0.1',
    '[::2]',
    '0.0.0.0',
    '',
    'localhost@evil.example',
    'evil.example, localhost',
    'evil.example#localhost',
    undefined,
  ])('%s is refused on a loopback address', (host) => {
    expect(ask({}, host)).toBe('refused');
  });

  it('may be the public one, or one that the configuration names', () => {
    const settings = { publicUrl: 'https://agents.example/base', operatorHosts: ['desk.internal'] };
    expect([ask(settings, 'agents.example'), ask(settings, 'desk.internal:8080')]).toEqual(['served', 'served']);
    expect(ask(settings, 'other.internal')).toBe('refused');
  });

  it('may be any where the server listens to the network and names none; addresses always', () => {
    expect([ask({ host: '0.0.0.0' }, 'box.lan'), ask({ host: '0.0.0.0' }, '10.0.0.7:7420')]).toEqual([
      'served',
      'served',
    ]);
    const named = { host: '0.0.0.0', operatorHosts: ['box.lan'] };
    expect([ask(named, 'box.lan'), ask(named, '[fd00::1]'), ask(named, 'evil.example')]).toEqual([
      'served',
      'served',
      'refused',
    ]);
  });

  it('counts as the connection and as a trusted proxy tell it: both must be ours', () => {
    const settings = { publicUrl: 'https://agents.example' };
    expect(ask(settings, '127.0.0.1:7420', undefined, 'agents.example')).toBe('served');
    expect(ask(settings, 'evil.example', undefined, 'agents.example')).toBe('refused');
    expect(ask(settings, '127.0.0.1:7420', undefined, 'evil.example')).toBe('refused');
  });
});

describe('the origin of a request for the operator surface', () => {
  it.each([
    ['http://localhost:7420', 'served'],
    ['http://localhost:9999', 'refused'],
    ['http://evil.example', 'refused'],
    ['null', 'refused'],
    ['', 'refused'],
    ['file://', 'refused'],
  ])('%s, at localhost:7420, is %s', (origin, answer) => {
    expect(ask({}, 'localhost:7420', origin)).toBe(answer);
  });

  it('may be the public one, that of the proxy in front, or one that CORS allows', () => {
    expect(ask({ publicUrl: 'https://agents.example' }, '127.0.0.1', 'https://agents.example')).toBe('served');
    expect(ask({ operatorHosts: ['desk.internal'] }, '127.0.0.1', 'https://desk.internal', 'desk.internal')).toBe(
      'served',
    );
    expect(ask({ corsOrigins: ['https://console.example'] }, 'localhost', 'https://console.example')).toBe('served');
    expect(ask({ corsOrigins: ['*'] }, 'localhost', 'https://any.example')).toBe('served');
  });
});
