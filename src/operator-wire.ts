// The JSON of the operator API: what its routes accept and answer. The routes validate with these schemas, the OpenAPI
// document is generated from them, and the command line reads answers by their types.
import { z } from 'zod';
import { shortState, TASK_STATES } from './a2a-model.js';
import { CONTEXT_ID, NAME, NAME_RULE } from './workspace/names.js';

export const name = z.string().regex(NAME, NAME_RULE);
const id = z.string().min(1).max(200);
export const instant = z.iso.datetime({ error: 'must be a date and time such as 2026-01-31T12:00:00Z', offset: true });

/** The longest a request may wait for a task, in seconds. */
export const MAX_WAIT_SECONDS = 30;
const waitSeconds = z
  .number()
  .min(0, 'must not be negative')
  .describe(`Seconds to wait for the task to settle; more than ${MAX_WAIT_SECONDS} counts as ${MAX_WAIT_SECONDS}.`);

const PART = z
  .object({
    text: z.string().optional(),
    raw: z.string().optional().describe('Bytes of a file in base64.'),
    url: z.string().optional(),
    data: z.unknown().optional().describe('Any JSON.'),
    filename: z.string().max(1000).optional(),
    mediaType: z.string().max(200).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  })
  .refine((part) => ['text', 'raw', 'url', 'data'].filter((member) => member in part).length === 1, {
    error: 'must have exactly one of text, raw, url and data',
  })
  .describe('A part of a message: exactly one of `text`, `raw`, `url` and `data`.');
export type WirePart = z.infer<typeof PART>;

const contextId = z.string().regex(CONTEXT_ID, 'must be 1 to 100 characters of A-Z, a-z, 0-9, _ and -');

export const CHAT_REQUEST = z.object({
  agent: name.optional().describe('Default: the configured default agent.'),
  message: z.string().min(1, 'must not be empty').optional(),
  parts: z.array(PART).min(1, 'must not be empty').optional().describe('Instead of `message`.'),
  contextId: contextId.optional().describe('Continue this conversation; absent starts one.'),
  taskId: id.optional().describe('Continue this task, which waits for input.'),
  skill: z.string().min(1).max(200).optional(),
  workspace: name.optional().describe('In whose agents.json the name is looked up first.'),
  returnImmediately: z.boolean().optional(),
  waitSeconds: waitSeconds.optional(),
});
export type ChatRequest = z.infer<typeof CHAT_REQUEST>;

export const INPUT_REQUEST = z.object({
  cid: id,
  requestId: id.optional().describe('The question that is answered; refused when another one is open by now.'),
  answer: z.string().min(1, 'must not be empty').optional().describe('For a question (`input-required`).'),
  parts: z.array(PART).min(1, 'must not be empty').optional().describe('An answer with files, instead of `answer`.'),
  decision: z.enum(['approve', 'decline']).optional().describe('For an approval (`auth-required`).'),
  returnImmediately: z.boolean().optional(),
  waitSeconds: waitSeconds.optional(),
});
export type InputAnswer = z.infer<typeof INPUT_REQUEST>;

export const CANCEL_REQUEST = z.object({ reason: z.string().min(1).max(1000).optional() });

export const POLL_QUERY = z.object({ wait: z.coerce.number().pipe(waitSeconds).optional() });

const SHORT_STATES = TASK_STATES.map(shortState);
export const taskState = z.enum(SHORT_STATES);

const usage = z
  .object({ inputTokens: z.number(), outputTokens: z.number(), totalTokens: z.number() })
  .partial()
  .describe('Tokens, as far as the agent reports them.');

const artifact = z.object({
  artifactId: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  parts: z.array(PART),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

const ERROR_BODY = z.object({
  code: z.string(),
  message: z.string(),
  violations: z.array(z.object({ field: z.string(), description: z.string() })).optional(),
  retryAfter: z.number().optional().describe('Seconds.'),
  taskId: z.string().optional(),
});
export const ERROR_ANSWER = z.object({ error: ERROR_BODY });

export const TASK_VIEW = z.object({
  cid: z.string(),
  taskId: z.string(),
  contextId: z.string().optional(),
  agent: z.string().optional(),
  taskState: z.enum([...SHORT_STATES, 'unknown']).describe('`unknown` only for what never existed or was purged.'),
  done: z.boolean().describe('The task is in a terminal state.'),
  pending: z.boolean().describe('The task is submitted or working: poll again.'),
  response: z.string().describe("The agent's last message; the reason when it failed or was rejected."),
  parts: z.array(PART).describe('The parts of that message, file bytes included.'),
  artifacts: z.array(artifact).optional().describe('What else the task produced.'),
  question: z.string().optional().describe('What the task waits for.'),
  requestId: z.string().optional().describe('Names the open question.'),
  usage: usage.optional(),
  error: ERROR_BODY.optional(),
  pollUrl: z.string(),
});
export type TaskView = z.infer<typeof TASK_VIEW>;

export const page = {
  pageSize: z.coerce.number().int().min(1, 'must be 1 to 100').max(100, 'must be 1 to 100').default(50),
  cursor: z.string().max(500).optional().describe('`nextCursor` of the previous page.'),
};

export const TASKS_QUERY = z.object({
  caller: z.string().optional(),
  agent: z.string().optional(),
  contextId: z.string().optional(),
  state: taskState.optional(),
  since: instant.optional().describe('Only tasks whose state changed at or after this time.'),
  ...page,
});

const TASK_ROW = z.object({
  cid: z.string(),
  taskId: z.string(),
  contextId: z.string(),
  agent: z.string(),
  caller: z.string(),
  taskState,
  done: z.boolean(),
  pending: z.boolean(),
  updatedAt: z.string().describe('When the state last changed.'),
  pollUrl: z.string(),
});
export type WireTaskRow = z.infer<typeof TASK_ROW>;
export const TASKS_ANSWER = z.object({
  tasks: z.array(TASK_ROW),
  total: z.number(),
  nextCursor: z.string().optional(),
});
export type TasksAnswer = z.infer<typeof TASKS_ANSWER>;

export const SESSIONS_QUERY = z.object({ caller: z.string().optional(), agent: z.string().optional(), ...page });
export const SESSIONS_ANSWER = z.object({
  sessions: z.array(
    z.object({
      caller: z.string(),
      agent: z.string(),
      contextId: z.string(),
      tasks: z.number(),
      lastTask: TASK_ROW,
    }),
  ),
  nextCursor: z.string().optional(),
});

const remote = z
  .object({
    url: z.string(),
    workspace: z.string().optional().describe('Whose agents.json names it; the list of the home when absent.'),
    reachable: z.enum(['yes', 'no', 'unknown']).describe('`unknown` until it was first asked.'),
    lastSeen: z.string().optional(),
    leftAloneUntil: z.string().optional().describe('It failed too often in a row, and is not asked before then.'),
    problem: z.string().optional().describe('Why the last call did not work.'),
    protocols: z.array(z.string()).optional(),
    bindings: z.array(z.string()).optional(),
  })
  .describe('What is known of an agent elsewhere.');

export const AGENTS_QUERY = z.object({
  workspace: name
    .optional()
    .describe('The agents that this workspace may name; those of the home and of all workspaces when absent.'),
  probe: z.enum(['true', 'false']).optional().describe('`true`: agents elsewhere are asked now.'),
});

export const AGENT_TEST = z.object({
  workspace: name.optional().describe('In whose agents.json the name is looked up first.'),
  message: z.string().min(1).max(1000).optional(),
  waitSeconds: waitSeconds.optional(),
});

export const AGENTS_ANSWER = z.object({
  problems: z
    .array(z.string())
    .optional()
    .describe('What is wrong with the files that were read: agents may be missing here, or be shown as they were.'),
  agents: z.array(
    z.object({
      remote: remote.optional(),
      name: z.string(),
      kind: z.enum(['workspace', 'remote', 'plugin']),
      executor: z.string(),
      description: z.string().optional(),
      exposed: z.boolean().describe('False: nobody but the operator reaches it.'),
      skills: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
      cardUrl: z.string(),
    }),
  ),
});
export type AgentsAnswer = z.infer<typeof AGENTS_ANSWER>;

export const PLUGINS_ANSWER = z.object({
  plugins: z.array(
    z.object({
      name: z.string(),
      source: z.string().describe("Below the home's folder, or a package."),
      state: z.enum(['loading', 'running', 'failed']),
      problem: z.string().optional().describe('Why it does not run.'),
      adds: z.array(z.string()).describe('What it added, e.g. `agent weather`.'),
      faults: z.number().describe('How often something of it went wrong while it ran.'),
      lastFault: z.string().optional(),
    }),
  ),
});
export type PluginsAnswer = z.infer<typeof PLUGINS_ANSWER>;
export const WATCHES_QUERY = z.object({
  agent: z.string().optional(),
  caller: z.string().optional(),
  state: z.enum(['sending', 'following']).optional(),
  ...page,
});
export const WATCHES_ANSWER = z.object({
  watches: z.array(
    z.object({
      watchId: z.string(),
      cid: z.string(),
      agent: z.string(),
      caller: z.string(),
      state: z.enum(['sending', 'following']).describe('`sending`: whether the message arrived is not known.'),
      remoteTaskId: z.string().optional(),
      since: z.string(),
      taskState,
      pollUrl: z.string(),
    }),
  ),
  total: z.number(),
  nextCursor: z.string().optional(),
});
export type WatchesAnswer = z.infer<typeof WATCHES_ANSWER>;
