// Writes docs/conformance.md anew from a report of the conformance tests: `write-table.ts <report.json>`.
import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { tableDocument, tableOf, type TestReport } from './table.js';

const report = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as TestReport;
writeFileSync(
  new URL('../../docs/conformance.md', import.meta.url),
  await format(tableDocument(tableOf(report)), { parser: 'markdown', printWidth: 120 }),
);
