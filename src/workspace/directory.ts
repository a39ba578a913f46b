// The workspaces of a home as the rest of the product sees them.
import type { CardSource, FileProblem, WorkspaceSettings } from './settings.js';

export interface NewWorkspace {
  card?: Partial<CardSource>;
  agentsMd?: string;
  /** Members of its workspace.json; none is written when absent. */
  settings?: Record<string, unknown>;
}

export interface WorkspaceDirectory {
  /** Names of all workspace folders, sorted. A symbolic link or a folder with another kind of name is none. */
  names(): string[];
  /** True when that folder exists now and its name is allowed. Cheap: a stat. */
  has(name: string): boolean;
  /** Absolute path of the workspace's folder, there or not. Throws `not-found` for what can't be a workspace's name. */
  path(name: string): string;
  /** Settings as of now; the last good ones while the file is malformed. */
  settings(name: string): WorkspaceSettings;
  /** Card source as of now; a fallback while the file is missing or malformed. */
  card(name: string): CardSource;
  /** Raw text of a file below `.a2a/` that a driver owns (e.g. `script.json`); undefined when missing. */
  driverFile(name: string, file: string): string | undefined;
  /** What is wrong with owners' files right now. */
  problems(): FileProblem[];
  /** Makes `<home>/workspaces/<name>` with an `AGENTS.md` and an `.a2a/` folder. Throws when it exists. */
  create(name: string, options?: NewWorkspace): void;
}
