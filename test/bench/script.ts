// The scripts that the bench runs as processes of their own, transpiled to plain JavaScript once, so that no loader
// stands between Node and what is measured.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { PROJECT } from '../support/compiled-server.js';

export type ScriptName = 'sdk-server' | 'load-client' | 'plain-streams' | 'memory-probe' | 'stream-holder';

/** Path of the JavaScript made from `test/bench/<name>.ts`. The script must import packages only, no project files. */
export function compiledScript(name: ScriptName): string {
  const source = readFileSync(join(PROJECT, 'test', 'bench', `${name}.ts`), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  // Below the project, so that its packages are found.
  const folder = join(PROJECT, '.bench');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, outputText);
  return file;
}
