// The owners' callers.json files: who may call, found by key.
import type { CallerRef } from '../bus/topics.js';
import type { Quota } from './settings.js';

/** A caller as its owner's file describes it now. Never carries a key. */
export interface Caller extends CallerRef {
  /** The name within its workspace. */
  name: string;
  workspace: string;
  /** Agents it may use; the workspace itself when the file says nothing. */
  agents: string[];
  /** Skills it may use; absent = all. */
  skills?: string[];
  quota?: Partial<Quota>;
}

/** How a key is shown after it was minted: never itself. */
export interface KeyHint {
  /** The first 16 hex digits of its SHA-256. */
  id: string;
  hint: string;
  expiresAt?: string;
}

export interface CallerListing {
  id: string;
  workspace: string;
  name: string;
  keys: KeyHint[];
  note?: string;
  agents?: string[];
  skills?: string[];
  createdAt?: string;
  /** True when it has a webhook secret. */
  signsWebhooks?: boolean;
}

export interface NewKeyOptions {
  /** ISO 8601. */
  expiresAt?: string;
  /** From when the keys that were there before are refused, unless they end earlier by themselves. ISO 8601. */
  oldKeysExpireAt?: string;
}

export type CallerStanding = 'known' | 'gone' | 'unreadable';

export interface CallerDirectory {
  /**
   * The caller whose key this is, as the files say at this moment. Undefined for an unknown, expired or ambiguous key
   * (the same key on more than one caller); ambiguity is logged with the owners' names. An unknown key may wait up to 250 ms.
   * Rejects only when the folder of workspaces itself can't be read.
   */
  authenticate(key: string): Promise<Caller | undefined>;
  /** The id of the caller whose key with this SHA-256 is good now. Cheap: a stat. */
  ownerOf(keySha256: string): string | undefined;
  /** The caller of that id (`<workspace>/<name>`) now, or undefined once the owner removed it. Cheap: a stat. */
  find(callerId: string): Caller | undefined;
  /**
   * Whether the owner still lists a caller of that id; `unreadable` while the file can't be used. The operator and plugins,
   * who are in no file, are always known. Cheap: a stat.
   */
  standing(callerId: string): CallerStanding;
  /** What signs the webhooks of that caller now, as its owner's file says; undefined when nothing does. */
  webhookSecret(callerId: string): string | undefined;
  list(workspace?: string): CallerListing[];
  /** Adds a caller with a fresh key and returns the key, the only time it is visible. */
  add(
    workspace: string,
    name: string,
    options?: { note?: string; agents?: string[]; expiresAt?: string },
  ): Promise<string>;
  /** Adds a further key to a caller, so that it can rotate without downtime. Returns the key. */
  addKey(workspace: string, name: string, options?: NewKeyOptions): Promise<string>;
  /** Removes the keys with that id or hint; all but the newest when `which` is absent. Returns how many went. */
  removeKeys(workspace: string, name: string, which?: string): Promise<number>;
  /** Gives the caller a fresh secret for its webhooks, in place of the one it had. Returns it, the only time. */
  newWebhookSecret(workspace: string, name: string): Promise<string>;
  /** From now on its webhooks are not signed. False when it had no secret. */
  removeWebhookSecret(workspace: string, name: string): Promise<boolean>;
  remove(workspace: string, name: string): Promise<void>;
}
