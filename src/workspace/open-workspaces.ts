// The workspace folders of a home, as they are at each call. A symbolic link is no workspace: two names for one folder
// would give its journal two writers and its keys two owners.
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync, type Dirent } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError, isMissing, systemCode } from '../errors.js';
import type { Logger } from '../log.js';
import type { Secrets } from '../secrets/secrets.js';
import { secretsOfDriver } from './driver-settings.js';
import { fallbackCard, readCard, type CardReading } from './card-source.js';
import type { NewWorkspace, WorkspaceDirectory } from './directory.js';
import { FileProblems } from './file-problems.js';
import { Freshness } from './freshness.js';
import { isName, nameProblem } from './names.js';
import { OwnerFile, readOwnerText } from './owner-file.js';
import { writeDocument, type Reading } from './owner-json.js';
import type { CardSource, FileProblem, WorkspaceSettings } from './settings.js';
import { closedSettings, readSettings, type SettingsReading } from './workspace-settings.js';

const DRIVER_FILE = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/;
/** What problems of a folder as a whole are filed under. */
const FOLDER = 'folder';

interface WorkspacesOptions {
  /** Absolute path of the home. */
  home: string;
  log: Logger;
  /** Where secrets of drivers' settings are registered, before a driver sees them. */
  secrets: Pick<Secrets, 'add'>;
  /** Where readers of other owners' files report too, so that `problems()` knows all. */
  problems?: FileProblems;
  /** How often to look at the files; at every question when absent. */
  fresh?: Freshness;
}

export const openWorkspaces = (options: WorkspacesOptions): WorkspaceDirectory => new HomeWorkspaces(options);

interface OpenFiles {
  settings: OwnerFile<SettingsReading>;
  card: OwnerFile<CardReading>;
}

class HomeWorkspaces implements WorkspaceDirectory {
  private readonly root: string;
  private readonly files = new Map<string, OpenFiles>();
  private readonly found: FileProblems;
  /** Folders that were reported as no workspaces. */
  private readonly refused = new Set<string>();
  private readonly fresh: Freshness;
  /** What `has` found at a moment. */
  private seen = { at: -1, folders: new Map<string, boolean>() };

  private readonly secrets: Pick<Secrets, 'add'>;

  constructor({ home, log, secrets, problems, fresh }: WorkspacesOptions) {
    this.secrets = secrets;
    this.fresh = fresh ?? new Freshness(false);
    this.root = resolve(home, 'workspaces');
    this.found = problems ?? new FileProblems(log);
    this.found.beforeListing(() => this.look());
  }

  names(): string[] {
    const folders = this.folders();
    const present = new Set(folders.map(({ name }) => name));
    for (const name of [...this.files.keys(), ...this.refused, ...this.found.workspaces().filter(isName)])
      if (!present.has(name)) this.forget(name);
    return folders
      .filter((folder) => this.accept(folder))
      .map(({ name }) => name)
      .sort();
  }

  has(name: string): boolean {
    const at = this.fresh.now();
    if (this.seen.at !== at) this.seen = { at, folders: new Map() };
    let found = this.seen.folders.get(name);
    if (found === undefined) {
      found = isName(name) && (lstatSync(join(this.root, name), { throwIfNoEntry: false })?.isDirectory() ?? false);
      this.seen.folders.set(name, found);
    }
    return found;
  }

  /** Throws `not-found` for a name that no workspace can have. */
  path(name: string): string {
    if (!isName(name)) throw new AppError('not-found', 'There is no such workspace.');
    return join(this.root, name);
  }

  settings(name: string): WorkspaceSettings {
    return this.open(name)?.settings.get().settings ?? closedSettings();
  }

  card(name: string): CardSource {
    return this.open(name)?.card.get().card ?? fallbackCard(name);
  }

  /** Throws `config` when the file is there and can't be read, or its name is none. */
  driverFile(name: string, file: string): string | undefined {
    if (!DRIVER_FILE.test(file)) throw new AppError('config', 'That is not a name of a file below .a2a/.');
    const reading = readOwnerText(join(this.path(name), '.a2a', file));
    if ('problem' in reading) throw new AppError('config', `${file} ${reading.problem}.`);
    return 'text' in reading ? reading.text : undefined;
  }

  problems(): FileProblem[] {
    return this.found.list();
  }

  create(name: string, options: NewWorkspace = {}): void {
    const problem = nameProblem(name);
    if (problem !== undefined) throw new AppError('invalid-params', `The workspace's name ${problem}.`);
    const path = join(this.root, name);
    const exists = new AppError('invalid-params', 'There is already a workspace of that name.');
    if (lstatSync(path, { throwIfNoEntry: false })) throw exists;
    mkdirSync(this.root, { recursive: true });
    // Built aside and renamed, so that nobody ever meets half a workspace.
    const draft = join(this.root, `.${name}.${randomUUID()}`);
    try {
      mkdirSync(join(draft, '.a2a'), { recursive: true, mode: 0o700 });
      writeFileSync(
        join(draft, 'AGENTS.md'),
        options.agentsMd ?? `# ${name}\n\nYou are ${name}, a helpful assistant.\n`,
      );
      const documents = { 'card.json': options.card, 'workspace.json': options.settings };
      for (const [file, document] of Object.entries(documents)) {
        if (document) writeFileSync(join(draft, '.a2a', file), writeDocument({ ...document }));
      }
      renameSync(draft, path);
      this.fresh.touch();
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      const code = systemCode(error);
      throw code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR' ? exists : error;
    }
  }

  private open(name: string): OpenFiles | undefined {
    const open = this.files.get(name);
    if (open) return open;
    if (!this.has(name)) return undefined;
    const folder = join(this.root, name, '.a2a');
    const files: OpenFiles = {
      settings: new OwnerFile({
        path: join(folder, 'workspace.json'),
        fresh: this.fresh,
        interpret: (reading, last) => {
          for (const secret of secretsOfDriver(reading.document?.['driver'])) this.secrets.add(secret);
          return this.report(name, 'workspace.json', readSettings(reading, last));
        },
      }),
      card: new OwnerFile({
        path: join(folder, 'card.json'),
        fresh: this.fresh,
        interpret: (reading: Reading) => this.report(name, 'card.json', readCard(name, reading)),
      }),
    };
    this.files.set(name, files);
    return files;
  }

  private report<T extends { problems: string[] }>(workspace: string, file: string, reading: T): T {
    this.found.set(workspace, file, reading.problems);
    return reading;
  }

  private look(): void {
    for (const name of this.names()) {
      this.settings(name);
      this.card(name);
    }
  }

  /** What may be meant as a workspace: hidden entries and plain files are not. */
  private folders(): Dirent[] {
    try {
      return readdirSync(this.root, { withFileTypes: true }).filter(
        (entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()),
      );
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  private accept(entry: Dirent): boolean {
    const problem = folderProblem(entry);
    if (problem !== undefined) {
      this.refused.add(entry.name);
      this.found.set(entry.name, FOLDER, [problem]);
    } else if (this.refused.delete(entry.name)) this.found.set(entry.name, FOLDER, []);
    return problem === undefined;
  }

  private forget(name: string): void {
    this.files.delete(name);
    this.refused.delete(name);
    this.found.forget(name);
  }
}

function folderProblem(entry: Dirent): string | undefined {
  const badName = nameProblem(entry.name);
  if (badName !== undefined) return `is no workspace: its name ${badName}`;
  if (!entry.isSymbolicLink()) return undefined;
  return 'is no workspace: it is a symbolic link; move the folder here and link to it from elsewhere';
}
