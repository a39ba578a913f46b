// Writes docs/flow.md anew.
import { writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { flowDocument } from './flow-document.js';

writeFileSync(
  new URL('../../docs/flow.md', import.meta.url),
  await format(flowDocument(), { parser: 'markdown', printWidth: 120 }),
);
