import { readFileSync } from 'node:fs';
import { silentLogger } from '../src/log.js';
import { createSwitchboard } from '../src/main.js';
import { declarations, flowDocument } from './support/flow-document.js';
import { makeTestHome } from './support/test-home.js';

const words = (text: string): string => text.replaceAll(/[\s|-]+/g, ' ');

describe('the declarations on the bus', () => {
  it('leave requests to the dispatcher alone, and assignments to the host alone', () => {
    const consumers = (kind: string) =>
      declarations().filter(({ consumes }) => (consumes as readonly string[]).includes(kind));
    expect(consumers('agent.prompt.request').map(({ name }) => name)).toEqual(['dispatcher']);
    expect(consumers('agent.prompt.assigned').map(({ name }) => name)).toEqual(['executor-host']);
  });

  it('let the ledger alone say what happened to a task', () => {
    const producers = declarations().filter(({ produces }) => (produces as readonly string[]).includes('task.updated'));
    expect(producers.map(({ name }) => name)).toEqual(['ledger']);
  });

  it('are those of everybody who joins the bus of a real server, each once', async () => {
    const home = makeTestHome();
    const switchboard = await createSwitchboard({ config: { home: home.path, port: 0 }, log: silentLogger(), env: {} });
    try {
      const joined = switchboard.bus.declarations.map(({ name }) => name);
      expect(joined.sort()).toEqual(
        declarations()
          .map(({ name }) => name)
          .sort(),
      );
    } finally {
      await switchboard.stop();
      home.remove();
    }
  });

  it('are what docs/flow.md shows', () => {
    const shown = readFileSync(new URL('../docs/flow.md', import.meta.url), 'utf8');
    expect(words(shown)).toBe(words(flowDocument()));
  });
});
