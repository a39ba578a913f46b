// The JSON of the operator API about webhooks; see operator-wire.ts.
import { z } from 'zod';
import { instant, page, taskState } from './operator-wire.js';

const pushState = z
  .enum(['pending', 'retrying', 'disabled', 'dead', 'delivered'])
  .describe('`retrying`: has failed and is tried again; `dead`: nothing is owed, but there are dead letters.');

export const PUSHES_QUERY = z.object({
  state: z
    .enum(['pending', 'retrying', 'disabled', 'dead'])
    .optional()
    .describe('`dead`: all with dead letters, whatever else they are owed.'),
  task: z.string().optional().describe('Shows all webhooks of that task, delivered ones included.'),
  config: z.string().optional(),
  caller: z.string().optional(),
  ...page,
});

const PUSH_ROW = z.object({
  taskId: z.string(),
  configId: z.string(),
  caller: z.string(),
  agent: z.string(),
  url: z.string().describe('Scheme and host: what follows them may be a secret.'),
  version: z.enum(['1.0', '0.3']),
  state: pushState,
  disabledBy: z.enum(['gone', 'operator']).optional().describe('`gone`: it answered 410.'),
  owed: z.number().describe('Changes of state that it is to be told of.'),
  dead: z.number().describe('Changes that no try could tell.'),
  attempts: z.number().describe('Failed tries of the first change that is owed.'),
  nextAttemptAt: z.string().optional(),
});
export type PushRow = z.infer<typeof PUSH_ROW>;
export const PUSHES_ANSWER = z.object({ pushes: z.array(PUSH_ROW), nextCursor: z.string().optional() });
export type PushesAnswer = z.infer<typeof PUSHES_ANSWER>;

const change = { seq: z.number().describe('The position of the change in its task.'), state: taskState };
const cause = {
  reason: z.string().optional().describe('Why it failed: `status`, or why no answer was had.'),
  status: z.number().optional().describe("The answer's HTTP status."),
};
export const PUSH_VIEW = PUSH_ROW.extend({
  owedChanges: z.array(z.object({ ...change, at: z.string() })),
  deadLetters: z.array(z.object({ ...change, ...cause, at: z.string(), attempts: z.number(), redriven: z.boolean() })),
  tries: z
    .array(z.object({ ...change, ...cause, at: z.string(), attempt: z.number(), durationMs: z.number() }))
    .describe('The latest, newest first. Older ones are forgotten.'),
});
export type PushView = z.infer<typeof PUSH_VIEW>;

export const REDRIVE_ONE = z.object({
  seq: z.number().int().optional().describe('Only the dead letter of this change.'),
});
export const REDRIVE_SINCE = z.object({
  since: instant.describe('Dead letters that were given up at or after this time.'),
});
export const REDRIVEN = z.object({
  redriven: z.number().describe('Dead letters that are owed again.'),
  more: z.boolean().describe('There are more: ask again.'),
});
export type Redriven = z.infer<typeof REDRIVEN>;
