// The remote agents that a workspace's agents.json names, as of now: who they are, not how they are called.
import { join } from 'node:path';
import { z } from 'zod';
import type { Secrets } from '../log.js';
import type { WorkspaceDirectory } from './directory.js';
import type { FileProblems } from './file-problems.js';
import { nameProblem } from './names.js';
import { OwnerFile } from './owner-file.js';
import type { Reading } from './owner-json.js';

const FILE = 'agents.json';

const link = z.url({ protocol: /^https?$/ });
const schema = z.object({
  name: z.string(),
  url: link,
  key: z.string().min(1).optional(),
  headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), z.string().regex(/^[^\r\n\0]*$/)).optional(),
  description: z.string().optional(),
  protocol: z.enum(['1.0', '0.3']).optional(),
  callbackUrl: link.optional(),
  idempotent: z.boolean().optional(),
});

/** `url` is the agent's base or its card; `key` and `headers` are secret; `protocol` pins a version. */
export type RemoteAgent = z.infer<typeof schema>;

export interface RemoteAgentsReading {
  agents: RemoteAgent[];
  /** Set while the file can't be read: `agents` are then those of the last time it could. */
  unreadable?: string;
  problems: string[];
}

/** Pure: bad entries and repeated names are skipped and reported by place or name. */
export function readRemoteAgents({ document, problem }: Reading, last?: RemoteAgentsReading): RemoteAgentsReading {
  const list = document?.['agents'] ?? [];
  const unreadable = problem ?? (Array.isArray(list) ? undefined : '"agents" is not an array');
  if (unreadable !== undefined || !Array.isArray(list)) {
    const why = `${unreadable}; the agents read last stay in force`;
    return { agents: last?.agents ?? [], unreadable: `${FILE} ${unreadable}`, problems: [why] };
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

export class RemoteAgents {
  private readonly files = new Map<string, OwnerFile<RemoteAgentsReading>>();

  constructor(private readonly options: { workspaces: WorkspaceDirectory; problems: FileProblems; secrets: Secrets }) {
    options.problems.beforeListing(() => {
      for (const workspace of options.workspaces.names()) this.of(workspace);
    });
  }

  /** The agents of a workspace now; none for a workspace that does not exist. */
  of(workspace: string): RemoteAgentsReading {
    if (!this.options.workspaces.has(workspace)) {
      this.files.delete(workspace);
      return { agents: [], problems: [] };
    }
    const file = this.files.get(workspace) ?? this.open(workspace);
    return file.get();
  }

  private open(workspace: string): OwnerFile<RemoteAgentsReading> {
    const { workspaces, problems, secrets } = this.options;
    const file = new OwnerFile<RemoteAgentsReading>({
      path: join(workspaces.path(workspace), '.a2a', FILE),
      list: 'agents',
      interpret: (reading, last) => {
        const result = readRemoteAgents(reading, last);
        for (const { key, headers = {} } of result.agents)
          for (const secret of [key, ...Object.values(headers)]) if (secret !== undefined) secrets.add(secret);
        problems.set(workspace, FILE, result.problems);
        return result;
      },
    });
    this.files.set(workspace, file);
    return file;
  }
}
