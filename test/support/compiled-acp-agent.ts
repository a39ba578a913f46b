// The misbehaving agent as one file of plain JavaScript, so that a test can start it hundreds of times.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export interface CompiledAgent {
  /** For `driver` of a workspace.json. */
  driver(flags?: readonly string[]): { name: 'acp'; command: string; args: string[] };
  remove(): void;
}

export function compileAcpAgent(): CompiledAgent {
  const folder = mkdtempSync(join(tmpdir(), 'acp-agent-'));
  const source = readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'acp-agent.ts'), 'utf8');
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const file = join(folder, 'acp-agent.mjs');
  writeFileSync(file, ts.transpileModule(source, { compilerOptions }).outputText);
  return {
    driver: (flags = []) => ({ name: 'acp', command: process.execPath, args: [file, ...flags] }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
