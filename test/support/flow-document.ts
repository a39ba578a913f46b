// docs/flow.md, from what the bus's participants declare. Nothing is installed for it.
import { PLUGINS } from '../../plugins/index.js';
import type { Declaration } from '../../src/bus/bus.js';
import { TOPIC_KINDS, TOPIC_SUFFIX, type TopicKind } from '../../src/bus/topics.js';
import { HOST_DECLARATION } from '../../src/executors/host.js';
import { PROMPTS_DECLARATION } from '../../src/executors/prompts.js';
import { FAULTS_DECLARATION } from '../../src/installation/watch-faults.js';
import { LEDGER_DECLARATION } from '../../src/ledger/bus-events.js';

/** Everybody on the bus, in flow order. */
export const declarations = (): readonly Declaration[] => [
  PROMPTS_DECLARATION,
  ...PLUGINS({} as Parameters<typeof PLUGINS>[0]),
  HOST_DECLARATION,
  LEDGER_DECLARATION,
  FAULTS_DECLARATION,
];

const named = (list: readonly Declaration[]): string => list.map(({ name }) => `\`${name}\``).join(', ') || '–';
const topicName = (kind: TopicKind): string => (TOPIC_SUFFIX[kind] === null ? kind : `${kind}.<${TOPIC_SUFFIX[kind]}>`);

export function flowDocument(participants = declarations()): string {
  const who = (role: 'consumes' | 'observes' | 'produces', kind: TopicKind): readonly Declaration[] =>
    participants.filter((participant) => participant[role].includes(kind));
  const arrows = participants.flatMap((from) =>
    from.produces.flatMap((kind) => who('consumes', kind).map((to) => `  ${from.name} -- ${kind} --> ${to.name}`)),
  );
  const watching = participants.flatMap((from) =>
    from.produces.flatMap((kind) => who('observes', kind).map((to) => `  ${from.name} -. ${kind} .-> ${to.name}`)),
  );
  const rows = TOPIC_KINDS.map(
    (kind) =>
      `| \`${topicName(kind)}\` | ${named(who('produces', kind))} | ${named(who('consumes', kind))} | ${named(who('observes', kind))} |`,
  );
  return `# The flow

Drawn from the declarations of the bus's participants by \`node --import tsx test/support/write-flow.ts\`; a test keeps it
current. Solid arrows act on what they get, dotted ones only watch. \`plugin.failed\` comes from the bus itself.

\`\`\`mermaid
flowchart LR
${[...arrows, ...watching].join('\n')}
\`\`\`

| topic | published by | acted on by | watched by |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
