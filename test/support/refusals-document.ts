// docs/refusals.md: every refusal there is and what each binding makes of it, from the guards' list and the error table.
import { GUARD_REFUSALS } from '../../plugins/dispatcher/refusals.js';
import type { ErrorCode } from '../../src/errors.js';
import { ERROR_TABLE } from '../../src/http/error-table.js';

/** What refuses besides the guards. Complete by type: a new code has to be explained here. */
const ELSEWHERE: Record<ErrorCode, string | undefined> = {
  unauthenticated: 'door: no key, an unknown or expired one, or two that differ',
  'rate-limited':
    'door: more requests than the rate allows, too many wrong keys from the address, or too many open streams',
  'too-large': 'door: the body is above `maxBodyBytes`',
  'unsupported-media-type': 'door: not JSON, not UTF-8, or compressed',
  'parse-error': 'door: the body is not JSON',
  'invalid-request': 'door: JSON, but no request of this protocol',
  'invalid-params': 'surface: a value is missing, wrong or too large; a repeated key; an unsafe number',
  'method-not-found': 'surface: no such JSON-RPC method',
  'not-found': 'surface: nothing at this address, or no such workspace or caller',
  'method-not-allowed': 'surface: the address answers other methods',
  'version-not-supported': 'surface: an `A2A-Version` other than 1.0 and 0.3',
  'extension-required': 'surface: a required extension is not listed',
  'agent-not-found': "surface: the agent of the address is not this key's",
  'task-not-found': "surface: no such task, or not this key's",
  'task-not-cancelable': 'surface: the task has ended',
  'unsupported-operation':
    'surface: the task does not take this now, e.g. a subscription after its end; or streams are off',
  'content-type-not-supported': 'surface: a part of a kind or type that the agent does not take',
  'push-not-supported': 'surface: push notifications',
  'extended-card-not-configured': 'surface: this agent has no extended card, though the common card promises one',
  overloaded: 'door: the switchboard is stopping, can’t keep up, or has too many open streams',
  'storage-failed': 'ledger, files, index: nothing was accepted, for want of disk space for instance',
  internal: "anywhere: a defect, or an owner's file that can't be used; the log says which",
  forbidden: 'operator door: a host name or an origin that the surface is not for',
  // These come from guards alone.
  busy: undefined,
  quota: undefined,
  cooldown: undefined,
  loop: undefined,
  // Written as `internal` where a request meets them.
  config: undefined,
  locked: undefined,
  // Nothing refuses with these.

  'invalid-agent-response': undefined,
};

const HEAD = `# Refusals

Who says no, whether a task is left, and what each binding answers. This table is printed from the code
(\`node --import tsx test/support/write-refusals.ts\`).

- **A2A** is the JSON-RPC error code and the reasons in its \`ErrorInfo\` details, with which HTTP status: over JSON-RPC, then
  over HTTP+JSON.
- **operator** is the HTTP status of the operator's surface, whose answer is \`{"error": {"code", "message", …}}\` with the code
  of the second column.
- A **rejected task** is no error over A2A: the answer is 200 and a task in state \`TASK_STATE_REJECTED\` with the reason as
  its message. The operator's chat gets the task too, with status 429 when the reason is a quota. A follow-up to a task
  that exists is refused with the error of the row instead, and the task stays as it is.
- Where waiting helps, \`Retry-After\` and \`RetryInfo\` say how long.
- A message that was accepted before, with the same content, is not refused: its task answers it.
- At an address without an agent in it, an unknown agent is a wrong parameter: \`invalid-params\`.

| who and when | code | task | A2A | HTTP | operator |
| --- | --- | --- | --- | --- | --- |
`;

const row = (who: string, code: ErrorCode, task: string): string => {
  const { rpc, reason, detail, http, door, operatorHttp } = ERROR_TABLE[code];
  const reasons = [reason, ...(detail === undefined ? [] : [detail])].map((name) => `\`${name}\``).join(' + ');
  const cells = [who, `\`${code}\``, task, `${rpc} ${reasons}`, `${door ? http : 200}, ${http}`, operatorHttp ?? http];
  return `| ${cells.join(' | ')} |\n`;
};

export function refusalsDocument(): string {
  const guards = GUARD_REFUSALS.map(({ guard, when, task, code }) =>
    row(`${guard} guard: ${when}`, code, task === 'rejected' ? 'rejected task' : 'none'),
  );
  const others = Object.entries(ELSEWHERE).flatMap(([code, who]) =>
    who === undefined ? [] : [row(who, code as ErrorCode, 'none')],
  );
  return HEAD + guards.join('') + others.join('');
}
