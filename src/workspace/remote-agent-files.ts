// The remote agents that a workspace's agents.json and the home's list name, as of now: who they are, not how they are
// called.
import { basename, join } from 'node:path';
import { z } from 'zod';
import { configFile } from '../home.js';
import type { Secrets } from '../secrets/secrets.js';
import type { WorkspaceDirectory } from './directory.js';
import type { FileProblems } from './file-problems.js';
import { nameProblem } from './names.js';
import type { Freshness } from './freshness.js';
import { OwnerFile } from './owner-file.js';
import type { Reading } from './owner-json.js';
import { secretsOfEntry } from './remote-agent-secrets.js';

const FILE = 'agents.json';
const OPERATOR = 'operator';

const link = z.url({ protocol: /^https?$/ }).refine((text) => {
  const { username, password } = new URL(text);
  return username === '' && password === '';
});
/** What a header can carry. */
const VISIBLE = /^[\x20-\x7e]*$/;
const schema = z.object({
  name: z.string(),
  url: link,
  key: z.string().min(1).regex(VISIBLE).optional(),
  headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), z.string().regex(VISIBLE)).optional(),
  description: z.string().optional(),
  protocol: z.enum(['1.0', '0.3']).optional(),
  callbackUrl: link.optional(),
  idempotent: z.boolean().optional(),
});

/** `url` is the agent's base or its card; `key` and `headers` are secret; `protocol` pins a version. */
export type RemoteAgent = z.infer<typeof schema>;

interface RemoteAgentsReading {
  agents: RemoteAgent[];
  /** Set while the file can't be read: `agents` are then those of the last time it could. */
  unreadable?: string;
  problems: string[];
}

/** Pure: bad entries and repeated names are skipped and reported by place or name. `file` is named in problems. */
function readRemoteAgents(
  { document, problem }: Reading,
  last?: RemoteAgentsReading,
  file = FILE,
): RemoteAgentsReading {
  const list = document?.['agents'] ?? [];
  const unreadable = problem ?? (Array.isArray(list) ? undefined : '"agents" is not an array');
  if (unreadable !== undefined || !Array.isArray(list)) {
    const why = `${unreadable}; the agents read last stay in force`;
    return { agents: last?.agents ?? [], unreadable: `${file} ${unreadable}`, problems: [why] };
  }
  const agents: RemoteAgent[] = [];
  const problems: string[] = [];
  list.forEach((raw: unknown, at) => {
    const parsed = schema.safeParse(raw);
    const field = parsed.error?.issues[0]?.path[0];
    const badName = parsed.success ? nameProblem(parsed.data.name) : undefined;
    if (!parsed.success)
      problems.push(
        `entry ${at + 1} is skipped: ${field === undefined ? 'it is not an object' : `"${String(field)}" is not valid`}`,
      );
    else if (badName !== undefined) problems.push(`entry ${at + 1} is skipped: its name ${badName}`);
    else if (agents.some(({ name }) => name === parsed.data.name))
      problems.push(`entry ${at + 1} is skipped: there is already an agent "${parsed.data.name}"`);
    else agents.push(parsed.data);
  });
  return { agents, problems };
}

/** Of all entries in the file, those that are skipped too: what is written there is meant to be secret. */
function secretsOf({ document }: Reading): string[] {
  const list = document?.['agents'];
  return (Array.isArray(list) ? (list as unknown[]) : []).flatMap(secretsOfEntry);
}

interface RemoteAgentFilesOptions {
  /** The home's own list is read where this is given. */
  home?: string;
  workspaces: WorkspaceDirectory;
  problems: FileProblems;
  secrets: Secrets;
  /** How often the files are looked at; at every question when absent. */
  fresh?: Freshness;
}

export class RemoteAgentFiles {
  private readonly files = new Map<string, OwnerFile<RemoteAgentsReading>>();

  constructor(private readonly options: RemoteAgentFilesOptions) {
    options.problems.beforeListing(() => {
      for (const scope of this.scopes()) this.of(scope);
    });
  }

  /** Whose lists there are: the operator's, which is the home's, and each workspace's. */
  scopes(): string[] {
    return [...(this.options.home === undefined ? [] : [OPERATOR]), ...this.options.workspaces.names()];
  }

  /** The agents of a workspace, or of the home for `operator`, now; none for a workspace that does not exist. */
  of(scope: string): RemoteAgentsReading {
    if (!(scope === OPERATOR ? this.options.home !== undefined : this.options.workspaces.has(scope))) {
      this.files.delete(scope);
      return { agents: [], problems: [] };
    }
    const file = this.files.get(scope) ?? this.open(scope);
    return file.get();
  }

  private open(scope: string): OwnerFile<RemoteAgentsReading> {
    const { home, workspaces, problems, secrets, fresh } = this.options;
    const ofHome = scope === OPERATOR && home !== undefined;
    const path = ofHome ? configFile(home) : join(workspaces.path(scope), '.a2a', FILE);
    const name = ofHome ? basename(path) : FILE;
    const file = new OwnerFile<RemoteAgentsReading>({
      path,
      ...(fresh && { fresh }),
      ...(!ofHome && { list: 'agents' }),
      interpret: (reading, last) => {
        const result = readRemoteAgents(reading, last, name);
        for (const secret of secretsOf(reading)) secrets.add(secret);
        problems.set(scope, name, result.problems);
        return result;
      },
    });
    this.files.set(scope, file);
    return file;
  }
}
