// What a card.json document says; a workspace without a usable one still has a card, named after itself.
import { z } from 'zod';
import type { Reading } from './owner-json.js';
import type { CardSource } from './settings.js';

const link = z.url({ protocol: /^https?$/ });
const words = z.array(z.string());
const skillSchema = z
  .object({
    id: z.string().min(1),
    name: z.string().min(1).optional(),
    description: z.string().optional(),
    tags: words.default([]),
    examples: words.optional(),
    inputModes: words.optional(),
    outputModes: words.optional(),
  })
  .transform((skill) => ({ ...skill, name: skill.name ?? skill.id, description: skill.description ?? skill.id }));

const schema = z.object({
  name: z.string().min(1).optional(),
  description: z.string().min(1).optional(),
  version: z.string().min(1).optional(),
  skills: z.array(skillSchema).default([]),
  iconUrl: link.optional(),
  documentationUrl: link.optional(),
  provider: z.object({ url: link, organization: z.string().min(1) }).optional(),
});

export interface CardReading {
  card: CardSource;
  problems: string[];
}

/** The card of a workspace that has written none. */
export const fallbackCard = (workspace: string): CardSource => ({
  name: workspace,
  description: `The assistant ${workspace}.`,
  version: '1.0.0',
  skills: [],
});

/** Of skills with the same id the first counts. */
export function readCard(workspace: string, { document, problem }: Reading): CardReading {
  const fallback = fallbackCard(workspace);
  if (problem === undefined && !document) return { card: fallback, problems: [] };
  const parsed = schema.safeParse(document ?? {});
  if (problem !== undefined || !parsed.success) {
    const why = problem ?? parsed.error?.issues.map(({ path }) => `"${path.join('.')}" is not valid`).join(', ') ?? '';
    return { card: fallback, problems: [`${why}; a fallback card is shown`] };
  }
  const { skills, ...rest } = parsed.data;
  const unique = skills.filter(({ id }, at) => skills.findIndex((other) => other.id === id) === at);
  const problems = skills
    .filter((skill) => !unique.includes(skill))
    .map(({ id }) => `skill "${id}" is there twice; the second is skipped`);
  return { card: { ...fallback, ...(rest as Partial<CardSource>), skills: unique as CardSource['skills'] }, problems };
}
