// The table of rules that the conformance tests hold: made of their titles, `[row] rule (§section)`, and of nothing else.

/** What of jest's JSON report the table is made of. */
export interface TestReport {
  testResults: { assertionResults: { status: string; title: string; ancestorTitles: string[] }[] }[];
}

export interface Line {
  row: string;
  rule: string;
  section: string;
  /** Where it was shown: the bindings, `all` for what belongs to no single one, or `client` for the other side. */
  shown: Set<string>;
}

const BINDINGS = ['JSON-RPC', 'HTTP+JSON', 'gRPC'];
/** Around all tests of what the client does. */
const CLIENT = 'the client';
const TITLE = /^((?:\[\w+\])+) (.*) \((§?[^()]*)\)$/;

/** The lines of all passed tests, by row. Throws for a test of this suite without a proper title. */
export function tableOf(report: TestReport): Line[] {
  const lines = new Map<string, Line>();
  for (const { status, title, ancestorTitles } of report.testResults.flatMap(
    ({ assertionResults }) => assertionResults,
  )) {
    const match = TITLE.exec(title);
    if (!match) throw new Error(`not a title of a rule: ${title}`);
    if (status !== 'passed') continue;
    const [, rows = '', rule = '', section = ''] = match;
    const binding = ancestorTitles.find((name) => BINDINGS.includes(name)) ?? 'all';
    const shown = ancestorTitles.includes(CLIENT) ? 'client' : binding;
    for (const [, row = ''] of rows.matchAll(/\[(\w+)\]/g)) {
      const key = `${shown === 'client'} ${row} ${rule}`;
      const line = lines.get(key) ?? { row, rule, section, shown: new Set() };
      lines.set(key, line);
      line.shown.add(shown);
    }
  }
  return [...lines.values()].sort((a, b) => order(a.row) - order(b.row) || (a.rule < b.rule ? -1 : 1));
}

/** Rows with a letter come after the rest. */
const order = (row: string): number => (/^\d/.test(row) ? Number(row) : 1000 + Number(row.slice(1)));

export function tableDocument(all: readonly Line[]): string {
  const lines = all.filter(({ shown }) => !shown.has('client'));
  const client = all.filter(({ shown }) => shown.has('client'));
  const count = (of: readonly Line[]): number => new Set(of.map(({ row }) => row)).size;
  const rowOf = (cells: string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const mark = ({ shown }: Line, binding: string): string => (shown.has(binding) || shown.has('all') ? 'yes' : '–');
  return [
    '# Conformance',
    '',
    'What the A2A specification asks of a server and this one is tested for, on the wire. The table is made of the titles of',
    `passed tests by \`npm run conformance\`; it has ${count(lines)} rows. Numbers with a C are about clients of A2A 0.3.`,
    '',
    '| row | rule | section | JSON-RPC | HTTP+JSON | gRPC |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines.map((line) => {
      return rowOf([line.row, line.rule, line.section, ...BINDINGS.map((binding) => mark(line, binding))]);
    }),
    '',
    ...(client.length === 0
      ? []
      : [
          '## The client',
          '',
          `What it asks of a client, and the one that calls other agents is tested for: ${count(client)} rows.`,
          '',
          '| row | rule | section |',
          '| --- | --- | --- |',
          ...client.map(({ row, rule, section }) => rowOf([row, rule, section])),
          '',
        ]),
  ].join('\n');
}

/** The rows that a document lists. */
export const rowsOf = (document: string): string[] => [
  ...new Set([...document.matchAll(/^\| (C?\d+) +\|/gm)].map(([, row]) => row as string)),
];
