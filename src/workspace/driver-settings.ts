// What `driver` of a workspace.json may say: the settings of the drivers that have some, with every default filled in.
// A driver's name that is not known here keeps whatever it says.
import { z } from 'zod';
import { AppError } from '../errors.js';
import { secretsIn, secretsOfArguments } from '../secrets/secret-values.js';
import { NAME } from './names.js';
import { parseUrl } from '../net/parse-url.js';

const count = z.number().int().positive();

const baseUrl = z
  .string()
  .refine((text) => {
    const url = parseUrl(text);
    return (
      url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === ''
    );
  }, 'not an http or https URL without user, query or fragment')
  .transform((text) => text.replace(/\/+$/, ''));

const variable = z.string().regex(/^(?!switchboard_)[A-Za-z_][A-Za-z0-9_]*$/i, 'not the name of a variable');

export const LLM_SETTINGS = z.object({
  name: z.literal('llm'),
  /** Where the endpoint's `/chat/completions` is. */
  baseUrl,
  model: z.string().min(1),
  /** The environment variable that holds the key; none is sent when absent. */
  keyEnv: variable.optional(),
  /** Requests to the model in one turn, at most. */
  maxSteps: count.max(200).default(20),
  maxOutputTokens: count.optional(),
  temperature: z.number().min(0).max(2).optional(),
  /** How much of the conversation so far goes along, in tokens by a rule of thumb. */
  historyTokens: z.number().int().nonnegative().default(16_000),
  /** Whether the model can call tools. */
  toolCalls: z.boolean().default(true),
  /** Whether the model takes images. */
  images: z.boolean().default(false),
  /** Bytes of one text file that the model is given with the message; larger ones it reads itself. */
  inlineBytes: z.number().int().nonnegative().max(1_048_576).default(32_768),
  /** Seconds without a sign of the endpoint after which a turn fails. */
  patienceSeconds: z.number().positive().max(290).default(120),
});

export type LlmSettings = z.infer<typeof LLM_SETTINGS>;

export const ACP_SETTINGS = z.object({
  name: z.literal('acp'),
  /** The agent's program: a path, or a name that is looked up. */
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** Environment variables that the agent is given beyond the few that every program needs. */
  env: z.array(variable).default([]),
  /** What becomes of its requests for permission; `ask` leaves them to the operator. */
  permissions: z.enum(['allow', 'deny', 'ask']).default('ask'),
  /** Conversations that keep their process while nobody talks in them; beyond that the longest idle one is ended. */
  idleProcesses: count.max(1000).default(8),
  /** As the agent names them; its own choice when absent. */
  model: z.string().min(1).optional(),
  mode: z.string().min(1).optional(),
});

export type AcpSettings = z.infer<typeof ACP_SETTINGS>;

/** By the driver's name. */
const KNOWN: Readonly<Record<string, z.ZodType<{ name: string }>>> = { acp: ACP_SETTINGS, llm: LLM_SETTINGS };

export const driverSettings = z.looseObject({ name: z.string().regex(NAME) }).transform((driver, context) => {
  const schema = Object.hasOwn(KNOWN, driver.name) ? KNOWN[driver.name] : undefined;
  if (!schema) return driver;
  const parsed = schema.safeParse(driver);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues)
    context.issues.push({ code: 'custom', input: driver, path, message });
  return z.NEVER;
});

/** What is secret in `driver` as it was read, valid or not: keys that should not be there, and those on command lines. */
export function secretsOfDriver(driver: unknown): string[] {
  const { args } = (driver ?? {}) as { args?: unknown };
  return [...secretsIn(driver), ...(Array.isArray(args) ? secretsOfArguments(args) : [])];
}

/** Throws `invalid-params` that names what can't be used. */
export function checkDriver(driver: unknown): void {
  const parsed = driverSettings.safeParse(driver);
  if (parsed.success) return;
  const problems = parsed.error.issues.map(({ path, message }) => `"${path.join('.')}" is ${message}`);
  throw new AppError('invalid-params', `The driver's settings can't be used: ${problems.join(', ')}.`);
}
