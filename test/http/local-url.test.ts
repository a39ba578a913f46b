import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../../src/log.js';
import { Secrets } from '../../src/secrets/secrets.js';
import { localUrl } from '../../src/http/local-url.js';
import { createSwitchboard } from '../../src/main.js';
import { makeTestHome } from '../support/test-home.js';

describe('the address of a server', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:7420'],
    ['localhost', 'http://localhost:7420'],
    ['fd00::1', 'http://[fd00::1]:7420'],
    ['0.0.0.0', 'http://127.0.0.1:7420'],
    ['::', 'http://[::1]:7420'],
  ])('that listens on %s is %s', (address, url) => {
    expect(localUrl(address, 7420)).toBe(url);
  });

  it('on all interfaces is no card’s address; the operator is told to publish one', async () => {
    const home = makeTestHome();
    const lines: string[] = [];
    const log = createLogger('warn', new Secrets(), { write: (line) => void lines.push(line) });
    const switchboard = await createSwitchboard({ config: { home: home.path, host: '0.0.0.0', port: 0 }, log });
    try {
      const { url } = await switchboard.start();
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      const card = await (await fetch(`${url}/.well-known/agent-card.json`)).text();
      expect(card).toContain(`"${url}/a2a"`);
      expect(card).not.toContain('0.0.0.0');
      expect(lines.join('\n')).toContain('publicUrl');
    } finally {
      await switchboard.stop();
      home.remove();
    }
  });
});
