// Who is let in where, and what everybody else hears: the one table that every route and operation is held against.

/** Ways to come without the right key. */
export const CREDENTIALS = [
  'no key',
  'an unknown key',
  'an ambiguous key',
  'an expired key',
  "the operator's key",
  "a caller's key",
] as const;
export type Credential = (typeof CREDENTIALS)[number];

/** `public`: for everybody. `probe`: for everybody, but whoever brings a key must bring the operator's. */
export type Surface = 'caller' | 'operator' | 'public' | 'probe';

/** 401, or `in`: the door lets it pass, whatever comes of it then. */
export const DOORS: Record<Surface, Record<Credential, 'in' | 401>> = {
  caller: {
    'no key': 401,
    'an unknown key': 401,
    'an ambiguous key': 401,
    'an expired key': 401,
    "the operator's key": 401,
    "a caller's key": 'in',
  },
  operator: {
    'no key': 401,
    'an unknown key': 401,
    'an ambiguous key': 401,
    'an expired key': 401,
    "the operator's key": 'in',
    "a caller's key": 401,
  },
  probe: {
    'no key': 'in',
    'an unknown key': 401,
    'an ambiguous key': 401,
    'an expired key': 401,
    "the operator's key": 'in',
    "a caller's key": 401,
  },
  public: {
    'no key': 'in',
    'an unknown key': 'in',
    'an ambiguous key': 'in',
    'an expired key': 'in',
    "the operator's key": 'in',
    "a caller's key": 'in',
  },
};

/** Which surface an address belongs to, the first that fits. What fits none is a route that nobody has thought of. */
export const SURFACES: readonly [address: RegExp, surface: Surface][] = [
  [/^\/healthz$/, 'public'],
  [/^\/readyz$/, 'probe'],
  [/^\/metrics$/, 'operator'],
  // Agents elsewhere call back with a token of the watch, which is no key.
  [/^\/api\/a2a\/callback\//, 'public'],
  [/^\/api\//, 'operator'],
  [/^\/\.well-known\//, 'public'],
  // The tests ask for a card that is not public.
  [/^\/agents\/[^/]+\/\.well-known\//, 'caller'],
  [/^\/a2a(\/|$)/, 'caller'],
  [/^\/agents\/[^/]+\/a2a(\/|$)/, 'caller'],
];

/** What a caller hears who names somebody else's task, by operation; `own`: its own things, and nothing of that task. */
export const FOREIGN_TASK: Record<string, 'TASK_NOT_FOUND' | 'own'> = {
  SendMessage: 'TASK_NOT_FOUND',
  SendStreamingMessage: 'TASK_NOT_FOUND',
  GetTask: 'TASK_NOT_FOUND',
  ListTasks: 'own',
  CancelTask: 'TASK_NOT_FOUND',
  SubscribeToTask: 'TASK_NOT_FOUND',
  CreateTaskPushNotificationConfig: 'TASK_NOT_FOUND',
  GetTaskPushNotificationConfig: 'TASK_NOT_FOUND',
  ListTaskPushNotificationConfigs: 'TASK_NOT_FOUND',
  DeleteTaskPushNotificationConfig: 'TASK_NOT_FOUND',
  GetExtendedAgentCard: 'own',
};

/** What it hears at the address of an agent that it may not use, whatever the operation. */
export const FOREIGN_AGENT = { status: 404, reason: 'AGENT_NOT_FOUND' };
