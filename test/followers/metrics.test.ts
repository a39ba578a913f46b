import { describe, expect, it } from '@jest/globals';
import { GUARDS } from '../../plugins/dispatcher/dispatcher.js';
import { RULES } from '../../plugins/followers/metrics/metrics.js';

describe('the rules that refusals are counted under', () => {
  it('are the guards, and what stops a request after them', () => {
    expect(RULES).toEqual([...GUARDS.map(({ name }) => name), 'admission']);
  });
});
