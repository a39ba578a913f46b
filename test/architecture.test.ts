// Everything that goes out over HTTP passes src/net, where addresses are checked.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = new URL('..', import.meta.url).pathname;
const CLIENTS = /^(?:undici(?:\/.*)?|(?:node:)?(?:http|https|http2|tls|dgram|dns|dns\/promises))$/;
/** What makes no connection, of modules that can. */
const HARMLESS = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'createServer']);
/** Globals that connect, under any of their names. */
const GLOBALS = new Set(['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']);
/** Programs that would connect in our place. */
const PROGRAMS = /^(?:\/usr\/bin\/)?(?:curl|wget|nc|ncat|socat|telnet|ssh|openssl)\b/;
/** Clients of packages use the global `fetch` unless they are given another: what they must be given. */
const OWN_FETCH = new Map(
  Object.entries({
    createOpenAICompatible: 'fetch',
    JsonRpcTransportFactory: 'fetchImpl',
    RestTransportFactory: 'fetchImpl',
    DefaultAgentCardResolver: 'fetchImpl',
    StreamableHTTPClientTransport: 'fetch',
    SSEClientTransport: 'fetch',
  }),
);

const sources = ['src', 'plugins'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`),
);

/** How a text could make a connection: modules it loads at run time, globals, programs, clients without a `fetch`. */
function waysOut(text: string): string[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const ways: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly) {
      const from = textOf(node.moduleSpecifier);
      if (CLIENTS.test(from)) ways.push(from);
      if (/^(?:node:)?net$/.test(from) && valuesOf(node).some((name) => !HARMLESS.has(name))) ways.push('net');
    }
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const callee = node.expression.getText();
      const [first] = node.arguments ?? [];
      const loads =
        node.expression.kind === ts.SyntaxKind.ImportKeyword || /^(?:require|\w+\.getBuiltinModule)$/.test(callee);
      if (loads && first && (CLIENTS.test(textOf(first)) || /^(?:node:)?net$/.test(textOf(first))))
        ways.push(textOf(first));
      const given = OWN_FETCH.get(callee);
      const options = node.arguments?.map((argument) => argument.getText()).join() ?? '';
      if (given !== undefined && !new RegExp(`\\b${given}\\b`).test(options)) ways.push(callee);
    }
    if (ts.isIdentifier(node) && GLOBALS.has(node.text) && isReference(node)) ways.push(node.text);
    if (
      ts.isPropertyAccessExpression(node) &&
      GLOBALS.has(node.name.text) &&
      /^(?:globalThis|global|window|self)$/.test(node.expression.getText())
    )
      ways.push(node.name.text);
    if (ts.isStringLiteralLike(node) && PROGRAMS.test(node.text)) ways.push(node.text);
    node.forEachChild(visit);
  };
  visit(source);
  return ways;
}

/** False where the name is that of a member, a parameter or the like, and not of the global. */
function isReference(name: ts.Identifier): boolean {
  const { parent } = name;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === name;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  return !('name' in parent && parent.name === name) && !ts.isImportSpecifier(parent) && !ts.isExportSpecifier(parent);
}

/** What an import brings at run time; `*` for everything. */
function valuesOf({ importClause }: ts.ImportDeclaration): string[] {
  const bindings = importClause?.namedBindings;
  if (!bindings || !ts.isNamedImports(bindings) || importClause.name) return ['*'];
  return bindings.elements
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ name, propertyName }) => (propertyName ?? name).text);
}

const textOf = (node: ts.Node): string => (ts.isStringLiteralLike(node) ? node.text : '');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('outbound HTTP', () => {
  it('is made in src/net alone; src/http listens, and the command line talks to its own server', () => {
    const users = sources.filter((file) => waysOut(read(file)).length > 0);
    expect(users).toContain('src/net/guarded-agent.ts');
    expect(users.filter((file) => !/^src\/(net|http|cli)\//.test(file))).toEqual([]);
  });

  it('is no client where only a server is wanted', () => {
    const http = sources.filter((file) => file.startsWith('src/http/'));
    for (const file of http) {
      const named = /import \{([^}]*)\} from 'node:https?'/.exec(read(file))?.[1] ?? '';
      expect(named).not.toMatch(/\b(request|get|Agent|ClientRequest)\b/);
    }
  });

  it('is left to no client of a package that makes connections of its own', () => {
    // Channels of gRPC are handed addresses, never names.
    const channels = sources.filter(
      (file) =>
        /from '@grpc\/grpc-js'/.test(read(file)) &&
        /\.(?:Client|Channel)\b|makeClientConstructor|new \w+Client\(/.test(read(file)),
    );
    for (const file of channels)
      expect([file, read(file)]).toEqual([file, expect.stringContaining('checkedAddresses')]);
  });

  it.each([
    ["import { request } from 'node:https';", ['node:https']],
    ["import * as net from 'net';", ['net']],
    ["import { connect, isIP } from 'node:net';", ['net']],
    ["import { isIP, type Socket } from 'node:net';", []],
    ["import { createServer } from 'node:net';", []],
    ["import { createServer, Socket } from 'node:net';", ['net']],
    ["import type { Agent } from 'undici';", []],
    ["await import('undici');", ['undici']],
    ["require('node:dns');", ['node:dns']],
    ["process.getBuiltinModule('node:tls');", ['node:tls']],
    ["fetch('https://a.example');", ['fetch']],
    ['const go = fetch;', ['fetch']],
    ['use({ fetchImpl: fetch });', ['fetch']],
    ['use({ fetch });', ['fetch']],
    ["globalThis.fetch('x'); window.fetch('x');", ['fetch', 'fetch']],
    ["new WebSocket('wss://a.example');", ['WebSocket']],
    ["spawn('curl', ['https://a.example']);", ['curl']],
    ["createOpenAICompatible({ name: 'x' });", ['createOpenAICompatible']],
    ["createOpenAICompatible({ name: 'x', fetch: core.net.fetch(policy) });", []],
    ['new JsonRpcTransportFactory();', ['JsonRpcTransportFactory']],
    ["core.net.fetch(policy)('x'); interface A { fetch(): typeof fetch }", []],
  ])('would be seen in: %s', (text, ways) => {
    expect(waysOut(text)).toEqual(ways);
  });
});
