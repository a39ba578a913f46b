// docs/plugin-api.md and docs/topics.md, from the types themselves.
import ts from 'typescript';
import { fileURLToPath } from 'node:url';
import { TOPIC_KINDS, TOPIC_SUFFIX } from '../../src/bus/topics.js';

const path = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

/** What a file exports, by name, each with its declaration's text and the comment above it. */
function exportsOf(file: string): Map<string, string> {
  const name = path(file);
  const options = { noLib: true, noResolve: false, module: ts.ModuleKind.ESNext, skipLibCheck: true };
  const program = ts.createProgram([name], { ...options, moduleResolution: ts.ModuleResolutionKind.Bundler });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(name) as ts.SourceFile;
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol);
  return new Map(
    symbols.map((symbol) => {
      const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return [symbol.name, (real.declarations ?? []).map(textOf).join('\n')];
    }),
  );
}

function textOf(declaration: ts.Declaration): string {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const source = statement.getSourceFile();
  const comments = ts.getJSDocCommentsAndTags(statement).map((comment) => comment.getText(source));
  const body = ts.isFunctionDeclaration(statement) && statement.body;
  const end = body ? body.getStart(source) : statement.getEnd();
  const text = source.text.slice(statement.getStart(source), end).trimEnd();
  return [...comments, body ? `${text};` : text].join('\n');
}

const block = (text: string): string => ['```ts', text, '```'].join('\n');

const WRITE = 'node --import tsx test/support/write-plugin-documents.ts';

export function pluginApiDocument(): string {
  const sections = [...exportsOf('src/authoring/authoring.ts')].sort(([a], [b]) => (a < b ? -1 : 1));
  const testing = [...exportsOf('plugins/executors/plugin-agents/test-kit/test-agent.ts')];
  return [
    '# What plugins import',
    `Printed from the types by \`${WRITE}\`; a test keeps it current. [plugins.md](plugins.md) says how it is used.`,
    '## `a2a-switchboard`',
    ...sections.flatMap(([name, text]) => [`### ${name}`, block(text)]),
    '## `a2a-switchboard/testing`',
    ...testing.flatMap(([name, text]) => [`### ${name}`, block(text)]),
    '',
  ].join('\n\n');
}

export function topicsDocument(): string {
  const types = exportsOf('src/bus/topics.ts');
  const map = types.get('TopicMap') ?? '';
  const topics = TOPIC_KINDS.map((kind) => {
    const payload = new RegExp(`'${kind.replaceAll('.', '\\.')}': (\\w+);`).exec(map)?.[1];
    if (payload === undefined) throw new Error(`the payload of ${kind} is not named`);
    const suffix = TOPIC_SUFFIX[kind];
    return `| \`${kind}${suffix === null ? '' : `.<${suffix}>`}\` | [${payload}](#${payload.toLowerCase()}) |`;
  });
  const payloads = [...types].filter(([name]) => !/^(TOPIC|Topic)/.test(name));
  return [
    '# Topics',
    `Printed from \`src/bus/topics.ts\` by \`${WRITE}\`; a test keeps it current. Who publishes and reads what:
[flow.md](flow.md).`,
    ['| topic | payload |', '| --- | --- |', ...topics].join('\n'),
    ...payloads.flatMap(([name, text]) => [`## ${name}`, block(text)]),
    '',
  ].join('\n\n');
}
