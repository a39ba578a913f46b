// What is wrong with owners' files at this moment, from all their readers; each distinct problem is logged once, when it
// appears.
import type { Logger } from '../log.js';
import type { FileProblem } from './settings.js';

/** One line that names the file and says what is wrong with it. */
export const problemText = ({ workspace, file, problem }: FileProblem): string => `${file} of ${workspace}: ${problem}`;

export class FileProblems {
  private readonly found = new Map<string, { workspace: string; file: string; problems: readonly string[] }>();
  private readonly readers: (() => void)[] = [];

  constructor(private readonly log: Logger) {}

  /**
   * Replaces what is known about a file. `aspect` keeps apart what different checks say about one file. The texts must
   * hold no key.
   */
  set(workspace: string, file: string, problems: readonly string[], aspect = 'content'): void {
    const id = JSON.stringify([workspace, file, aspect]);
    const before = this.found.get(id)?.problems ?? [];
    if (problems.length === 0) this.found.delete(id);
    else this.found.set(id, { workspace, file, problems });
    for (const problem of new Set(problems))
      if (!before.includes(problem)) this.log.warn({ workspace, file }, problemText({ workspace, file, problem }));
  }

  /** Drops all that is known about a workspace, e.g. because it is gone. */
  forget(workspace: string): void {
    for (const [id, entry] of this.found) if (entry.workspace === workspace) this.found.delete(id);
  }

  /** Workspaces that something is known about, possibly more than once. */
  workspaces(): string[] {
    return [...this.found.values()].map(({ workspace }) => workspace);
  }

  /** Registers a reader that looks at its files again before `list` answers. */
  beforeListing(look: () => void): void {
    this.readers.push(look);
  }

  /** All problems as of now, sorted by workspace and file. */
  list(): FileProblem[] {
    for (const look of this.readers) look();
    return [...this.found.values()]
      .flatMap(({ workspace, file, problems }) => problems.map((problem) => ({ workspace, file, problem })))
      .sort((a, b) => a.workspace.localeCompare(b.workspace) || a.file.localeCompare(b.file));
  }
}
