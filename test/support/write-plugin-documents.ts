// Writes docs/plugin-api.md and docs/topics.md anew.
import { writeFileSync } from 'node:fs';
import { pluginApiDocument, topicsDocument } from './plugin-documents.js';

writeFileSync(new URL('../../docs/plugin-api.md', import.meta.url), pluginApiDocument());
writeFileSync(new URL('../../docs/topics.md', import.meta.url), topicsDocument());
