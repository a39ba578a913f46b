// Everything that goes out over HTTP passes src/net, where addresses are checked.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = new URL('..', import.meta.url).pathname;
const CLIENTS = /^(?:undici(?:\/.*)?|(?:node:)?(?:http|https|http2|tls|dgram|dns|dns\/promises))$/;

const sources = ['src', 'plugins'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`),
);

/** How a file could make a request: modules it loads at run time, and uses of the global `fetch`. */
function waysOut(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const ways: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly) ways.push(textOf(node.moduleSpecifier));
    if (ts.isCallExpression(node)) {
      if (node.expression.kind === ts.SyntaxKind.ImportKeyword) ways.push(textOf(node.arguments[0] as ts.Node));
      if (ts.isIdentifier(node.expression) && node.expression.text === 'fetch') ways.push('fetch');
    }
    if (ts.isPropertyAccessExpression(node) && /^globalThis\.fetch$/.test(node.getText())) ways.push('fetch');
    node.forEachChild(visit);
  };
  visit(source);
  return ways.filter((way) => way === 'fetch' || CLIENTS.test(way));
}

const textOf = (node: ts.Node): string => (ts.isStringLiteralLike(node) ? node.text : '');

describe('outbound HTTP', () => {
  it('is made in src/net alone; src/http listens, and the command line talks to its own server', () => {
    const users = sources.filter((file) => waysOut(file).length > 0);
    expect(users).toContain('src/net/guarded-agent.ts');
    expect(users.filter((file) => !/^src\/(net|http|cli)\//.test(file))).toEqual([]);
  });

  it('is no client where only a server is wanted', () => {
    const http = sources.filter((file) => file.startsWith('src/http/'));
    for (const file of http) {
      const named = /import \{([^}]*)\} from 'node:https?'/.exec(readFileSync(join(ROOT, file), 'utf8'))?.[1] ?? '';
      expect(named).not.toMatch(/\b(request|get|Agent|ClientRequest)\b/);
    }
  });
});
