// The JSON of the operator API about callers, their keys and their webhook secrets.
import { z } from 'zod';
import { instant, name } from './operator-wire.js';

export const CALLERS_QUERY = z.object({ workspace: name.optional() });
export const CALLERS_ANSWER = z.object({
  problems: z
    .array(z.string())
    .optional()
    .describe('What is wrong with the files that were read: callers may be missing here.'),
  callers: z.array(
    z.object({
      id: z.string().describe('`<workspace>/<name>`.'),
      workspace: z.string(),
      name: z.string(),
      keys: z.array(
        z.object({
          id: z.string().describe("The first 16 hex digits of the key's SHA-256."),
          hint: z.string().describe('The last four characters.'),
          expiresAt: z.string().optional(),
          lastUsedAt: z.string().optional().describe('Absent: not used as far as is known. May be lost by a crash.'),
          requests: z.number().optional().describe('How many came with the key since it is known.'),
        }),
      ),
      note: z.string().optional(),
      agents: z.array(z.string()).optional(),
      skills: z.array(z.string()).optional(),
      createdAt: z.string().optional(),
      signsWebhooks: z.boolean().optional().describe('It has a webhook secret.'),
      liveTasks: z.number(),
    }),
  ),
});
export type CallersAnswer = z.infer<typeof CALLERS_ANSWER>;

export const NEW_CALLER = z.object({
  workspace: name,
  name,
  note: z.string().max(1000).optional(),
  agents: z.array(name).optional().describe('Agents it may use. Default: only the workspace itself.'),
  expiresAt: instant.optional(),
});
export const NEW_KEY = z.object({
  expiresAt: instant.optional(),
  oldKeysExpireAt: instant.optional().describe('From then on the keys that were there before are refused.'),
});
export const MINTED_KEY = z.object({ id: z.string(), key: z.string().describe('Shown this once.') });
export const NEW_CALLERS_KEY = MINTED_KEY.extend({
  unknownAgents: z
    .array(z.string())
    .optional()
    .describe('Agents it may use that nobody knows now; one that comes by that name counts.'),
});
export type NewCallersKey = z.infer<typeof NEW_CALLERS_KEY>;
export type MintedKey = z.infer<typeof MINTED_KEY>;
export const KEYS_QUERY = z.object({
  hint: z.string().min(1).optional().describe('Which key goes; without hint and id: all but the newest.'),
  id: z.string().min(1).optional().describe('Which key goes, by its id.'),
});
export const REMOVED_KEYS = z.object({ id: z.string(), removed: z.number() });
export type RemovedKeys = z.infer<typeof REMOVED_KEYS>;
export const REMOVED_CALLER = z.object({ id: z.string() });

export const MINTED_WEBHOOK_SECRET = z.object({
  id: z.string(),
  webhookSecret: z.string().describe('Shown this once. Signs webhooks by the rules of Standard Webhooks.'),
});
export type MintedWebhookSecret = z.infer<typeof MINTED_WEBHOOK_SECRET>;
