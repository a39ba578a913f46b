// Who is to blame for what nobody caught: a plugin where it names one or nobody, the switchboard where it names its code.
import { describe, expect, it } from '@jest/globals';
import { culprit } from '../../src/cli/crash-watch.js';
import { PluginReports } from '../../src/installation/plugin-reports.js';
import { silentLogger } from '../../src/log.js';

const OWN = ['/opt/switchboard/dist/'];

function reports(...names: string[]): PluginReports {
  const plugins = new PluginReports(silentLogger(), (text) => text);
  for (const name of names) {
    plugins.found(`plugins/${name}.js`);
    plugins.named(`plugins/${name}.js`, name, `/home/plugins/${name}.js`);
    plugins.running(name);
  }
  return plugins;
}
const withStack = (stack: string | undefined, more = {}): Error => Object.assign(new Error('x'), { stack, ...more });

describe('what nobody caught', () => {
  const frame = (file: string): string => `Error: x\n    at go (${file}:3:7)`;

  it('is the fault of the plugin that its trace names', () => {
    expect(culprit(withStack(frame('/home/plugins/b.js')), reports('a', 'b'), OWN)).toBe('b');
  });

  it('is a defect where its trace names the code of the switchboard', () => {
    expect(culprit(withStack(frame('file:///opt/switchboard/dist/src/main.js')), reports('a'), OWN)).toBeUndefined();
  });

  it.each([
    ['a stream that nobody listens to', withStack('Error: ENOENT: no such file', { syscall: 'open' })],
    ["a file beside the plugin's", withStack(frame('/home/plugins/shared/part.js'))],
    ['an error without a trace', withStack(undefined)],
    [
      'an error whose trace can not be read',
      Object.defineProperty(new Error('x'), 'stack', {
        get: () => {
          throw new Error('hostile');
        },
      }),
    ],
    ['no error at all', null],
  ])('is the fault of one of the plugins that run where it is %s', (_what, thrown) => {
    expect(culprit(thrown, reports('a', 'b'), OWN)).toBe('a or b');
    expect(culprit(thrown, reports(), OWN)).toBeUndefined();
  });

  it('is no plugin’s where nobody reads the log any more: to log that would fail again', () => {
    const closed = withStack('Error: write EPIPE', { syscall: 'write' });
    expect(culprit(closed, reports('a'), OWN)).toBeUndefined();
  });
});
