// What `plugin new` writes: an agent that works as it is, and its test.

export const pluginTemplate = (name: string): string => `// An agent of the switchboard in one function.
import { defineAgent } from 'a2a-switchboard';

export default defineAgent({
  name: '${name}',
  description: 'Writes a greeting into a file.',
  skills: [{ id: 'greet', name: 'Greet', description: 'Greets whoever is named.', tags: ['example'] }],
  async run(prompt, { ask, artifact, progress }) {
    const name = await ask('name', 'Whom shall I greet?');
    progress('writing');
    artifact({ name: 'greeting.txt', text: \`\${prompt.text}, \${name}!\` });
    return \`I greeted \${name}.\`;
  },
});
`;

export const pluginTestTemplate = (name: string): string => `// Run with: switchboard plugin test ${name}
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from 'a2a-switchboard/testing';
import plugin from './${name}.ts';

test('it asks whom to greet, and greets them in a file', async () => {
  const agent = await testAgent(plugin);
  const asked = await agent.send('Good morning');
  assert.equal(asked.state, 'input-required');
  assert.equal(asked.question, 'Whom shall I greet?');
  const done = await asked.answer('Ann');
  assert.equal(done.state, 'completed');
  assert.equal(String(done.artifacts['greeting.txt']), 'Good morning, Ann!');
});
`;
