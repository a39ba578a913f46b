// What plugins from outside may do on the bus. They may watch everything; what would make them part of the way of a prompt
// is the product's own. What they publish is checked, as everything that comes from outside.
import { z } from 'zod';
import { TOPIC_KINDS, type TopicKind, type TopicMap } from '../bus/topics.js';

const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be an id');
const words = z.string().min(1, 'must not be empty').max(4_000, 'must be at most 4000 characters');

/** A schema for each topic that they may publish. */
const PUBLISHABLE = {
  'owner.notified': z.strictObject({ workspace: z.string(), caller: z.string(), text: words, cid: id.optional() }),
  'agent.prompt.cancel': z.strictObject({
    cid: id,
    by: z.string(),
    reason: words.optional(),
    requestId: id.optional(),
  }),
} satisfies { [K in TopicKind]?: z.ZodType<TopicMap[K]> };

/** Acted on by the product alone: a second actor would do everything twice. */
const NOT_CONSUMABLE: readonly TopicKind[] = ['agent.prompt.request', 'agent.prompt.assigned'];

/** What is wrong with what a plugin declares; undefined when nothing is. */
export function declarationProblem(declared: {
  consumes: readonly string[];
  observes: readonly string[];
  produces: readonly string[];
}): string | undefined {
  const known = new Set<string>(TOPIC_KINDS);
  const all = [...declared.consumes, ...declared.observes, ...declared.produces];
  const unknown = all.find((topic) => !known.has(topic));
  if (unknown !== undefined) return `it declares the topic ${unknown}, which there is not`;
  const consumed = declared.consumes.find((topic) => NOT_CONSUMABLE.includes(topic as TopicKind));
  if (consumed !== undefined) return `only the switchboard itself consumes ${consumed}; observe it instead`;
  const produced = declared.produces.find((topic) => !(topic in PUBLISHABLE));
  if (produced === undefined) return undefined;
  return `only the switchboard itself produces ${produced}; plugins may produce ${Object.keys(PUBLISHABLE).join(', ')}`;
}

/** What is wrong with a payload; undefined when nothing is. */
export function payloadProblem(kind: TopicKind, payload: unknown): string | undefined {
  const schema: z.ZodType | undefined = (PUBLISHABLE as Partial<Record<TopicKind, z.ZodType>>)[kind];
  const result = schema?.safeParse(payload);
  if (!result || result.success) return undefined;
  return result.error.issues.map(({ path, message }) => `${path.join('.') || 'the payload'} ${message}`).join('; ');
}
