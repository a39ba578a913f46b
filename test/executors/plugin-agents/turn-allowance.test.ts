// How much one turn of a plugin's agent may show, with the functions of authors that know no end.
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { AgentHandle } from '../../../src/authoring/agent-definition.js';
import { defineAgent } from '../../../src/authoring/define-agent.js';
import { testAgent } from '../../../plugins/executors/plugin-agents/test-kit/test-agent.js';
import {
  MOST_CHARACTERS,
  MOST_FILE_BYTES,
  MOST_STEPS,
  TurnAllowance,
} from '../../../plugins/executors/plugin-agents/turn-allowance.js';

type Body = (handle: AgentHandle) => unknown;

const run = async (body: Body) => {
  const agent = await testAgent(
    defineAgent({ name: 'wild', description: 'a test', run: (_prompt, handle) => body(handle) as Promise<string> }),
  );
  return agent.send('x');
};
const TEXT = 'x'.repeat(MOST_CHARACTERS / 8);

describe('a turn that shows more than it may', () => {
  it.each<[string, Body]>([
    [
      'progress',
      ({ progress }) => {
        for (;;) progress(1);
      },
    ],
    [
      'text in progress',
      ({ progress }) => {
        for (;;) progress(TEXT);
      },
    ],
    [
      'data in artifacts',
      ({ artifact }) => {
        for (;;) artifact({ name: 'same', data: TEXT });
      },
    ],
    ['parts of its answer', () => Array.from({ length: MOST_STEPS + 1 }, () => ({ text: 'x' }))],
    [
      'progress, and swallows that it is stopped',
      ({ progress }) => {
        for (let at = 0; at <= MOST_STEPS; at++)
          try {
            progress(1);
          } catch {
            // It goes on.
          }
        return 'done';
      },
    ],
  ])('of %s is stopped, and its plugin named', async (_what, body) => {
    const done = await run(body);
    expect(done).toMatchObject({ state: 'failed', text: 'The agent wild showed too much and was stopped.' });
    expect(done.faults).toEqual([expect.stringContaining('its agent wild was stopped')]);
    expect(done.events.length).toBeLessThanOrEqual(MOST_STEPS + 3);
  });

  it('ends at once, and its function hears so', async () => {
    let heard = false;
    const done = await run(async ({ progress, signal }) => {
      signal.addEventListener('abort', () => (heard = true));
      await turn();
      for (let at = 0; at <= MOST_STEPS; at++)
        try {
          progress(1);
        } catch {
          // It goes on, for ever.
        }
      return new Promise(() => undefined);
    });
    expect(done.state).toBe('failed');
    expect(heard).toBe(true);
  });
});

describe('the allowance of a turn', () => {
  it('is for files, too, and what is just enough passes', () => {
    const allowance = new TurnAllowance('wild');
    allowance.file(MOST_FILE_BYTES);
    expect(allowance.tooMuch.aborted).toBe(false);
    expect(() => allowance.file(1)).toThrow('too much');
    expect(() => allowance.text('')).toThrow('too much');
  });
});

describe('a name that is too long for a file', () => {
  const long = `${'é'.repeat(300)}.csv`;

  it('is shortened in parts of the answer', async () => {
    const done = await run(() => [
      { bytes: new Uint8Array(1), filename: long },
      { url: 'https://files.example/x', filename: long },
    ]);
    expect(done.state).toBe('completed');
    const parts = done.events.flatMap((event) =>
      'artifactUpdate' in event ? event.artifactUpdate.artifact.parts : [],
    );
    for (const part of parts) expect(part).toMatchObject({ filename: expect.stringMatching(/^é{20,}\.csv$/) });
    expect(parts).toHaveLength(2);
  });

  it('is shortened in artifacts, and those that differ only further on stay apart', async () => {
    const done = await run(({ artifact }) => {
      for (const name of [long, `${long}2`, long]) artifact({ name, text: name.slice(-3) });
    });
    expect(done.state).toBe('completed');
    const ids = done.events.flatMap((event) =>
      'artifactUpdate' in event ? event.artifactUpdate.artifact.artifactId : [],
    );
    expect(new Set(ids).size).toBe(2);
    expect(Object.keys(done.artifacts).every((name) => name.length < 256)).toBe(true);
  });
});
