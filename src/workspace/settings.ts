// The owner's settings of a workspace as the rest of the product sees them: `.a2a/workspace.json`, defaults filled in.

export interface Quota {
  /** Live (non-terminal) tasks one caller may have. */
  liveTasksPerCaller: number;
  /** Live tasks all callers of the workspace may have together. */
  liveTasks: number;
  /** Turns of one agent that run at the same time. */
  concurrentTurns: number;
}

/** What a workspace may keep on disk. */
export interface StorageQuota {
  /** Tasks, ended ones included. */
  tasks: number;
  /** Bytes of tasks, journal, transcripts and blobs. */
  taskBytes: number;
  inboxFiles: number;
  inboxBytes: number;
}

export interface WorkspaceSettings {
  /** The driver's name and whatever settings of its own it has. */
  driver: { name: string; [setting: string]: unknown };
  /** False: the workspace answers nobody but the operator. */
  exposed: boolean;
  publicCard: boolean;
  /** False: there is no card for callers beyond the public one. */
  extendedCard: boolean;
  /** IANA name; the host's zone when absent. */
  timeZone?: string;
  approval: { skills: string[] };
  /** How many messages may wait while a context is busy; 0 refuses them. */
  queue: number;
  /** How long ended tasks stay, and how many; the home's where absent. */
  retention: { days?: number; maxTasks?: number };
  /** e.g. `7d`; the home's when absent. */
  expireQuestions?: string;
  quota: Partial<Quota & StorageQuota>;
  tools: { shell: boolean; writeStanding: boolean };
  /** Agents that isolated sessions of this workspace may call. */
  callAgents: string[];
  /** True when nobody knows what the owner wants: nothing may be ended or removed by these. */
  unknown?: true;
}

/** What an owner's card.json says; everything else of a card comes from the switchboard. */
export interface CardSource {
  name: string;
  description: string;
  version: string;
  skills: {
    id: string;
    name: string;
    description: string;
    tags: string[];
    examples?: string[];
    inputModes?: string[];
    outputModes?: string[];
  }[];
  iconUrl?: string;
  documentationUrl?: string;
  provider?: { url: string; organization: string };
}

/** Something wrong with an owner's file, for `doctor`, `readyz` and the log. Never holds a key. */
export interface FileProblem {
  workspace: string;
  file: string;
  problem: string;
}
