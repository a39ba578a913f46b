// The callers of all workspaces, found by key. A known key costs one stat of its own file; an unknown one is refused
// only after every file was looked at since the request came.
import { join } from 'node:path';
import type { Clock } from '../clock.js';
import { AppError } from '../errors.js';
import type { Logger } from '../log.js';
import type { Secrets } from '../secrets/secrets.js';
import {
  addCaller,
  addCallerKey,
  removeCaller,
  removeCallerKeys,
  removeWebhookSecret,
  setWebhookSecret,
} from './caller-edits.js';
import { isExpiry, isWebhookSecret, readCallers, type CallerEntry, type CallersReading } from './caller-entries.js';
import { CallerIndex } from './caller-index.js';
import { keyHash, keyId, mintKey, mintWebhookSecret } from './caller-keys.js';
import type { Caller, CallerDirectory, CallerListing, NewKeyOptions } from './callers.js';
import type { WorkspaceDirectory } from './directory.js';
import { FileProblems } from './file-problems.js';
import { splitCallerId } from './names.js';
import type { Freshness } from './freshness.js';
import { OwnerFile } from './owner-file.js';
import type { Document } from './owner-json.js';
import { rewriteOwnerFile } from './rewrite-owner-file.js';

const FILE = 'callers.json';
/** At least this long (ms) between two looks at all files that unknown keys cause. */
const BETWEEN_CHECKS_MS = 250;
/** While requests come, all files are looked at this often (ms), so that a key given twice is found. */
const AMBIGUITY_MS = 1_000;
/** A key pasted into every workspace must not make a line that nobody can read. */
const MAX_NAMED = 10;

interface CallersOptions {
  workspaces: WorkspaceDirectory;
  clock: Clock;
  log: Logger;
  secrets: Secrets;
  /** Shared with the workspaces, so that their `problems()` shows these too. */
  problems?: FileProblems;
  /** How often to look at the files; at every question when absent. */
  fresh?: Freshness;
  /** Called around the step that puts a changed file in its place. */
  beforeRename?: () => void;
  afterRename?: () => void;
}

export const openCallers = (options: CallersOptions): CallerDirectory => new FileCallers(options);

class FileCallers implements CallerDirectory {
  private readonly files = new Map<string, OwnerFile<CallersReading>>();
  private readonly index = new CallerIndex();
  private readonly problems: FileProblems;
  private checkedAt = -Infinity;
  private next: Promise<void> | undefined;
  private accused: ReadonlySet<string> = new Set();

  constructor(private readonly options: CallersOptions) {
    this.problems = options.problems ?? new FileProblems(options.log);
    this.problems.beforeListing(() => this.checkAll());
  }

  async authenticate(key: string): Promise<Caller | undefined> {
    if (key === '') return undefined;
    const hash = keyHash(key);
    const checked = this.isDue(AMBIGUITY_MS);
    if (checked) this.checkAll();
    // Also for a key that is known and not good: how long a refusal takes must not tell which kind of refusal it is.
    this.lookFor(hash);
    if (!this.callerOf(hash) && !checked) await this.nextCheck();
    const caller = this.callerOf(hash);
    // Where the file holds the hash alone, the key is known from here on.
    if (caller) this.options.secrets.add(key);
    return caller;
  }

  ownerOf(keySha256: string): string | undefined {
    this.lookFor(keySha256);
    return this.callerOf(keySha256)?.id;
  }

  find(callerId: string): Caller | undefined {
    return this.entry(callerId)?.caller;
  }

  webhookSecret(callerId: string): string | undefined {
    const secret = this.entry(callerId)?.webhookSecret;
    return secret !== undefined && isWebhookSecret(secret) ? secret : undefined;
  }

  list(workspace?: string): CallerListing[] {
    const names = workspace === undefined ? this.options.workspaces.names() : [workspace];
    return names.flatMap((name) => [...(this.entries(name)?.values() ?? [])].map(listing));
  }

  async add(
    workspace: string,
    name: string,
    options: { note?: string; agents?: string[]; expiresAt?: string } = {},
  ): Promise<string> {
    const createdAt = new Date(this.options.clock.now()).toISOString();
    return this.mint(workspace, [options.expiresAt], (document, key) =>
      addCaller(document, { ...options, name, createdAt }, key),
    );
  }

  async addKey(workspace: string, name: string, options: NewKeyOptions = {}): Promise<string> {
    return this.mint(workspace, [options.expiresAt, options.oldKeysExpireAt], (document, key) =>
      addCallerKey(document, name, key, options),
    );
  }

  removeKeys(workspace: string, name: string, which?: string): Promise<number> {
    return this.edit(workspace, (document) => removeCallerKeys(document, name, which));
  }

  async newWebhookSecret(workspace: string, name: string): Promise<string> {
    const secret = mintWebhookSecret();
    this.options.secrets.add(secret);
    await this.edit(workspace, (document) => setWebhookSecret(document, name, secret));
    return secret;
  }

  removeWebhookSecret(workspace: string, name: string): Promise<boolean> {
    return this.edit(workspace, (document) => removeWebhookSecret(document, name));
  }

  remove(workspace: string, name: string): Promise<void> {
    return this.edit(workspace, (document) => removeCaller(document, name));
  }

  private async mint(
    workspace: string,
    expiries: readonly (string | undefined)[],
    change: (document: Document, key: string) => void,
  ): Promise<string> {
    if (expiries.some((expiry) => expiry !== undefined && !isExpiry(expiry)))
      throw new AppError('invalid-params', 'An expiry must be an ISO 8601 date, or a date with time and zone.');
    const key = mintKey();
    this.options.secrets.add(key);
    await this.edit(workspace, (document) => change(document, key));
    return key;
  }

  private async edit<T>(workspace: string, change: (document: Document) => T): Promise<T> {
    if (!this.options.workspaces.has(workspace)) throw new AppError('not-found', 'There is no such workspace.');
    const { beforeRename, afterRename } = this.options;
    const result = await rewriteOwnerFile(this.filePath(workspace), change, {
      list: 'callers',
      ...(beforeRename && { beforeRename }),
      ...(afterRename && { afterRename }),
    });
    this.options.fresh?.touch();
    this.look([workspace]);
    return result;
  }

  /** Brings what is known of the key's owners up to date with their files. */
  private lookFor(hash: string): void {
    this.look(this.index.find(hash).map(({ caller }) => caller.workspace));
  }

  private callerOf(hash: string): Caller | undefined {
    const [owner, second] = this.index.find(hash);
    if (!owner || second) return undefined;
    return owner.expiresAt !== undefined && owner.expiresAt <= this.options.clock.now() ? undefined : owner.caller;
  }

  private isDue(ms: number): boolean {
    const passed = this.options.clock.now() - this.checkedAt;
    // A clock that was set back must not stop the checks.
    return passed >= ms || passed < 0;
  }

  /** The next look at all files, shared by everybody who waits for one. It starts after this call. */
  private nextCheck(): Promise<void> {
    this.next ??= new Promise((resolve, reject) => {
      const run = (): void => {
        this.next = undefined;
        try {
          resolve(this.checkAll());
        } catch (error) {
          reject(error);
        }
      };
      if (this.isDue(BETWEEN_CHECKS_MS)) setImmediate(run);
      else this.options.clock.after(this.checkedAt + BETWEEN_CHECKS_MS - this.options.clock.now(), run);
    });
    return this.next;
  }

  private checkAll(): void {
    this.options.fresh?.touch();
    this.checkedAt = this.options.clock.now();
    const names = new Set(this.options.workspaces.names());
    for (const gone of [...this.files.keys()].filter((name) => !names.has(name))) {
      this.files.delete(gone);
      this.index.replace(gone, undefined);
    }
    this.look(names);
    this.reportAmbiguities();
  }

  /** Brings the index up to date with these workspaces' files. */
  private look(workspaces: Iterable<string>): void {
    let changed = false;
    for (const workspace of workspaces) {
      const file = this.files.get(workspace) ?? this.open(workspace);
      const reading = file.get();
      if (this.index.reading(workspace) === reading) continue;
      changed = true;
      this.index.replace(workspace, reading);
      this.problems.set(workspace, FILE, reading.problems);
    }
    // Only once all of them are read: with half of them, the list of a key's owners would be half of it.
    if (changed) this.reportAmbiguities();
  }

  private entry(callerId: string): CallerEntry | undefined {
    const id = splitCallerId(callerId);
    return id && this.entries(id.workspace)?.get(id.name);
  }

  private entries(workspace: string): Map<string, CallerEntry> | undefined {
    if (!this.files.has(workspace) && !this.options.workspaces.has(workspace)) return undefined;
    this.look([workspace]);
    return this.index.reading(workspace)?.entries;
  }

  private open(workspace: string): OwnerFile<CallersReading> {
    const file = new OwnerFile<CallersReading>({
      path: this.filePath(workspace),
      ...(this.options.fresh && { fresh: this.options.fresh }),
      list: 'callers',
      interpret: (reading) => {
        const callers = readCallers(workspace, reading);
        for (const { keys, webhookSecret } of callers.entries.values()) {
          if (webhookSecret !== undefined) this.options.secrets.add(webhookSecret);
          for (const { plain } of keys) if (plain !== undefined) this.options.secrets.add(plain);
        }
        return callers;
      },
    });
    this.files.set(workspace, file);
    return file;
  }

  private filePath(workspace: string): string {
    return join(this.options.workspaces.path(workspace), '.a2a', FILE);
  }

  /** One problem per set of owners, filed under the workspace of the first. */
  private reportAmbiguities(): void {
    const texts = new Map<string, string[]>();
    for (const owners of this.index.ambiguities()) {
      const workspace = owners[0]?.split('/')[0] ?? '';
      const text = `one key belongs to more than one caller (${naming(owners)}) and is refused for all of them`;
      texts.set(workspace, [...(texts.get(workspace) ?? []), text]);
    }
    for (const workspace of new Set([...this.accused, ...texts.keys()]))
      this.problems.set(workspace, FILE, texts.get(workspace) ?? [], 'ambiguity');
    this.accused = new Set(texts.keys());
  }
}

const naming = (owners: string[]): string =>
  owners.length <= MAX_NAMED
    ? owners.join(', ')
    : `${owners.slice(0, MAX_NAMED).join(', ')} and ${owners.length - MAX_NAMED} more`;

function listing({ caller, keys, note, agents, createdAt, webhookSecret }: CallerEntry): CallerListing {
  return {
    id: caller.id,
    workspace: caller.workspace,
    name: caller.name,
    keys: keys.map(({ hash, hint, expiresAt }) => ({
      id: keyId(hash),
      hint,
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    })),
    ...(note !== undefined && { note }),
    ...(agents && { agents }),
    ...(caller.skills && { skills: caller.skills }),
    ...(createdAt !== undefined && { createdAt }),
    ...(webhookSecret !== undefined && { signsWebhooks: true }),
  };
}
