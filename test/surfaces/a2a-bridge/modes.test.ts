import { describe, expect, it } from '@jest/globals';
import { acceptsInput } from '../../../plugins/surfaces/a2a-bridge/input-modes.js';
import { acceptedArtifacts, acceptedEvent, outputModes } from '../../../plugins/surfaces/a2a-bridge/output-modes.js';
import type { Part, StreamEvent } from '../../../src/a2a-model.js';

const PARTS: Part[] = [
  { text: 'plain' },
  { text: '# md', mediaType: 'text/markdown', metadata: { k: 1 } },
  { data: { a: 1 } },
  { blob: 'b', size: 1, mediaType: 'image/png', filename: 'p.png' },
  { blob: 'c', size: 1 },
];
const shaped = (...modes: string[]): readonly Part[] | undefined =>
  acceptedArtifacts([{ artifactId: 'a', parts: PARTS }], outputModes(modes))[0]?.parts;

describe('an answer', () => {
  it('is whole for who wishes nothing, everything, or all that is there', () => {
    for (const modes of [[], [''], ['*/*'], ['text/*', 'application/*', 'Image/*']])
      expect(shaped(...modes)).toEqual(PARTS);
  });

  it('as text has data as text, and no files', () => {
    const expected = [
      { text: 'plain' },
      { text: '# md', mediaType: 'text/plain', metadata: { k: 1 } },
      { text: '{"a":1}', mediaType: 'text/plain' },
    ];
    expect(shaped('text/plain')).toEqual(expected);
    expect(shaped('TEXT/plain; charset=utf-8')).toEqual(expected);
  });

  it('as any text, also in the word of old clients, keeps its kinds of text', () => {
    expect(shaped('text')).toEqual([PARTS[0], PARTS[1], { text: '{"a":1}', mediaType: 'text/plain' }]);
  });

  it('as JSON has text as strings', () => {
    expect(shaped('application/json')?.map((part) => ('data' in part ? part.data : part))).toEqual([
      'plain',
      '# md',
      { a: 1 },
    ]);
  });

  it('as images has images alone, and an artifact without one is not there', () => {
    expect(shaped('image/*')).toEqual([PARTS[3]]);
    expect(shaped('audio/*')).toBeUndefined();
  });

  it('in a stream is shaped event by event', () => {
    const update = { taskId: 't', contextId: 'c', append: true, lastChunk: false };
    const event: StreamEvent = { artifactUpdate: { ...update, artifact: { artifactId: 'a', parts: PARTS } } };
    expect(acceptedEvent(event, undefined)).toBe(event);
    expect(acceptedEvent(event, ['image/png'])).toEqual({
      artifactUpdate: { ...update, artifact: { artifactId: 'a', parts: [PARTS[3]] } },
    });
    expect(acceptedEvent(event, ['audio/*'])).toBeUndefined();
    const status = { state: 'TASK_STATE_WORKING', timestamp: '' } as const;
    const other: StreamEvent = { statusUpdate: { taskId: 't', contextId: 'c', status } };
    expect(acceptedEvent(other, ['audio/*'])).toBe(other);
  });
});

describe('a part of a message', () => {
  const skills = () => [{ id: 'open' }, { id: 'images', inputModes: ['image/*'] }, { id: 'odd', inputModes: ['x/y'] }];
  it.each([
    ['text/plain', undefined, true],
    ['text/plain', 'open', true],
    ['text/plain', 'images', false],
    ['image/png', 'images', true],
    ['x/y', undefined, true],
    ['x/y', 'odd', true],
    ['x/y', 'open', false],
    ['x/y', 'unheard-of', false],
    ['x/z', undefined, false],
  ])('of type %s for the skill %s is accepted: %s', (type, skill, accepted) => {
    expect(acceptsInput(type, skill, skills)).toBe(accepted);
  });
});
