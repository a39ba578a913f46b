// The OpenAPI document, generated from the route table and its schemas. docs/openapi.json is its printed form.
import { z } from 'zod';
import { CALLERS_ANSWER, MINTED_KEY, MINTED_WEBHOOK_SECRET } from '../../../src/caller-wire.js';
import {
  AGENTS_ANSWER,
  CHAT_REQUEST,
  ERROR_ANSWER,
  INPUT_REQUEST,
  SESSIONS_ANSWER,
  TASK_VIEW,
  TASKS_ANSWER,
  WATCHES_ANSWER,
} from '../../../src/operator-wire.js';
import { PUSH_VIEW, PUSHES_ANSWER } from '../../../src/push-wire.js';
import { MAX_KEPT } from './idempotency.js';
import type { Route } from './route.js';

type Json = Record<string, unknown>;

const NAMED = new Map<z.ZodType, string>([
  [CHAT_REQUEST, 'ChatRequest'],
  [INPUT_REQUEST, 'InputRequest'],
  [TASK_VIEW, 'Task'],
  [TASKS_ANSWER, 'TaskList'],
  [SESSIONS_ANSWER, 'SessionList'],
  [AGENTS_ANSWER, 'AgentList'],
  [CALLERS_ANSWER, 'CallerList'],
  [WATCHES_ANSWER, 'WatchList'],
  [MINTED_KEY, 'MintedKey'],
  [PUSHES_ANSWER, 'WebhookList'],
  [PUSH_VIEW, 'Webhook'],
  [MINTED_WEBHOOK_SECRET, 'MintedWebhookSecret'],
  [ERROR_ANSWER, 'Error'],
]);

/** What any route may answer. */
const ALWAYS = [400, 401, 403, 429, 503];

const STATUS_TEXT: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted.',
  400: 'The request is not valid.',
  401: 'The key is missing or wrong.',
  403: 'The host name or the origin is not one that the operator surface serves.',
  404: 'There is no such agent, task, caller or webhook.',
  409: 'The state does not allow it; `busy` names the running task.',
  429: 'Too much at once; `Retry-After` says when.',
  502: 'The agent failed. The body is the task, with `error`.',
  503: 'Nothing was accepted; safe to retry.',
};

export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = `/api/a2a${route.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  const probe = (summary: string, statuses: number[]): Json => ({
    get: {
      summary,
      security: [],
      responses: Object.fromEntries(statuses.map((status) => [status, { description: summary }])),
    },
  });
  paths['/healthz'] = probe('The process is alive.', [200]);
  paths['/metrics'] = {
    get: {
      summary: 'Numbers for Prometheus, in its text format.',
      responses: {
        200: { description: STATUS_TEXT[200], content: { 'text/plain': { schema: { type: 'string' } } } },
        401: { description: STATUS_TEXT[401], content: content(ERROR_ANSWER) },
      },
    },
  };
  paths['/readyz'] = probe('Work is accepted; with the operator key, what is wrong in detail.', [200, 503]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'A2A Switchboard: operator API',
      version: '1',
      description: [
        'JSON only. Where a POST has an `Idempotency-Key`, the same key with another request is 400.',
        '`chat` and `delegate`: for a day, across restarts, the key names the message, and the task that took it first is',
        'the answer, as it is by then. Other POSTs: the answer of the first one that succeeded is given again for a day,',
        `as long as the process lives and no more than ${MAX_KEPT} keys came after it.`,
      ].join(' '),
    },
    security: [{ apiKey: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: Object.fromEntries([...NAMED].map(([schema, name]) => [name, jsonSchema(schema)])),
    },
  };
}

function operation(route: Route): Json {
  const refusals = [...new Set([...ALWAYS, ...(route.refusals ?? [])])].sort((a, b) => a - b);
  return {
    summary: route.summary,
    parameters: parameters(route),
    ...(route.body && { requestBody: { required: true, content: content(route.body) } }),
    responses: {
      [route.status]: { description: STATUS_TEXT[route.status], content: content(route.answer) },
      ...Object.fromEntries(
        refusals.map((status) => [
          status,
          { description: STATUS_TEXT[status], content: content(status === 502 ? route.answer : ERROR_ANSWER) },
        ]),
      ),
    },
  };
}

function parameters({ path, query, method }: Route): Json[] {
  const text = { type: 'string' };
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: text }));
  const properties = query ? (jsonSchema(query)['properties'] as Record<string, Json>) : {};
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description !== undefined && { description }),
    schema,
  }));
  return [
    ...inPath,
    ...inQuery,
    ...(method === 'post' ? [{ name: 'Idempotency-Key', in: 'header', schema: text }] : []),
  ];
}

const content = (schema: z.ZodType): Json => {
  const name = NAMED.get(schema);
  return {
    'application/json': { schema: name === undefined ? jsonSchema(schema) : { $ref: `#/components/schemas/${name}` } },
  };
};

function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _dialect, additionalProperties: _open, ...rest } = z.toJSONSchema(schema) as Json;
  return rest;
}
