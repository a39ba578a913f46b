// Writes docs/openapi.json from the route table: `node --import tsx test/support/write-openapi.ts`.
import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { operatorDocument } from './operator-document.js';

const file = 'docs/openapi.json';
const style = await resolveConfig(file);
writeFileSync(file, await format(JSON.stringify(operatorDocument()), { ...style, filepath: file }));
