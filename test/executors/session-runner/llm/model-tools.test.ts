// The tools of one turn as a model calls them, whatever it makes of that.
import { jsonSchema } from 'ai';
import { ModelTools } from '../../../../plugins/executors/session-runner/drivers/llm/model-tools.js';

describe('calls of tools', () => {
  it('are taken up to a number, known or not, and the next one fails the turn', () => {
    const run = {
      tools: [],
      call: () => Promise.resolve({ ok: true, text: '' }),
      emit: () => undefined,
      signal: new AbortController().signal,
    };
    const tools = new ModelTools(run, jsonSchema);
    for (let n = 0; n < 1_000; n++) tools.reached(`call-${n}`);
    expect(() => tools.reached('one-more')).toThrow(expect.objectContaining({ code: 'model-answer' }));
  });
});
