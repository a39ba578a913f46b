// The examples of the guide for authors, as files, and whether the types that plugins import accept them.
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const path = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

/** Files by name. */
export const examplesOf = (guide: string): ReadonlyMap<string, string> =>
  new Map(
    [...guide.matchAll(/^```ts\n\/\/ plugins\/([\w.-]+)\n([^]*?)^```$/gm)].map(([, name, text]) => [
      name as string,
      text as string,
    ]),
  );

/** What the compiler says about them, one line for each fault. */
export function typeFaults(files: ReadonlyMap<string, string>): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    types: ['node'],
    paths: {
      'a2a-switchboard': [path('src/authoring/authoring.ts')],
      'a2a-switchboard/testing': [path('plugins/executors/plugin-agents/test-kit/test-agent.ts')],
    },
  };
  const folder = path('plugins-of-the-guide');
  const host = ts.createCompilerHost(options);
  const textOf = (file: string): string | undefined =>
    file.startsWith(`${folder}/`) ? files.get(basename(file)) : undefined;
  const { getSourceFile, fileExists, readFile } = host;
  host.directoryExists = (name) => name === folder || ts.sys.directoryExists(name);
  host.fileExists = (file) => textOf(file) !== undefined || fileExists(file);
  host.readFile = (file) => textOf(file) ?? readFile(file);
  host.getSourceFile = (file, version, ...more) => {
    const text = textOf(file);
    return text === undefined ? getSourceFile(file, version, ...more) : ts.createSourceFile(file, text, version);
  };
  const names = [...files.keys()].map((name) => `${folder}/${name}`);
  const program = ts.createProgram(names, options, host);
  return names.flatMap((name) => {
    const faults = ts.getPreEmitDiagnostics(program, program.getSourceFile(name));
    return faults.map(({ messageText }) => `${basename(name)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  });
}
