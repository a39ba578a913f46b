// Writes docs/refusals.md anew.
import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { refusalsDocument } from './refusals-document.js';

const file = 'docs/refusals.md';
writeFileSync(file, await format(refusalsDocument(), { ...(await resolveConfig(file)), filepath: file }));
