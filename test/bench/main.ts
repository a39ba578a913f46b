// `npm run bench [-- --json] [--only NAME] [--seconds S] [--rounds N]`: this server against the SDK's own, as it is.
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../support/compiled-server.js';
import type { Figure, Group } from './figure.js';
import { freshFolder, removeFolders } from './fresh-folder.js';
import { listGroup } from './figures/list.js';
import { pushGroup } from './figures/push.js';
import { quietStreamGroup } from './figures/quiet-stream.js';
import { sendGroup } from './figures/send.js';
import { soakGroup } from './figures/soak.js';
import { startGroup } from './figures/start.js';
import { streamGroup } from './figures/stream.js';

const GROUPS: readonly Group[] = [
  sendGroup,
  streamGroup,
  listGroup,
  startGroup,
  pushGroup,
  quietStreamGroup,
  soakGroup,
];

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
  },
});

/** Three digits that matter. */
const short = (value: number | null): string =>
  value === null ? '-' : value.toLocaleString('en', { maximumSignificantDigits: 4, useGrouping: false });

function show(figure: Figure): void {
  const { note, ...line } = figure;
  if (values.json) {
    console.log(JSON.stringify(line));
    return;
  }
  const ratio = line.ratio === null ? '-' : `${line.ratio.toFixed(2)}x`;
  const columns = [
    line.name.padEnd(20),
    short(line.ours).padStart(9),
    short(line.theirs).padStart(9),
    ratio.padStart(8),
  ];
  console.log(`${columns.join(' ')}  ${line.goal.padEnd(22)} ${line.ok ? 'ok   ' : 'SHORT'}  ${note}`);
}

const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
if (!(seconds > 0) || !(rounds >= 1)) throw new Error('--seconds and --rounds take numbers above 0');
const wanted = GROUPS.filter((group) =>
  values.only === undefined ? group.byDefault : group.name === values.only || group.figures.includes(values.only),
);
if (wanted.length === 0) {
  console.error(
    `no figure ${values.only}; there are ${GROUPS.flatMap((group) => [group.name, ...group.figures]).join(', ')}`,
  );
  process.exit(2);
}

ensureBuilt();
console.error(`  a new file costs ${freshFolder().microsPerFile.toFixed(0)} µs here`);
if (!values.json)
  console.log(`${'figure'.padEnd(20)} ${'ours'.padStart(9)} ${'theirs'.padStart(9)} ${'ratio'.padStart(8)}  goal`);
let missed = 0;
try {
  for (const group of wanted) {
    const figures = await group.run({ seconds, rounds, say: (text) => console.error(`  ${text}`) });
    for (const figure of figures) {
      if (values.only !== undefined && group.name !== values.only && figure.name !== values.only) continue;
      if (!figure.ok) missed += 1;
      show(figure);
    }
  }
} finally {
  removeFolders();
}
if (!values.json) console.log(missed === 0 ? 'every goal is met' : `${missed} of the goals not met`);
