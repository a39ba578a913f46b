// A webhook as a caller describes it, checked on the raw JSON: what gets through can be sent in headers as it is.
import type { PushConfig } from '../../../src/a2a-model.js';
import type { Fields } from './fields.js';
import { invalid } from './fields.js';

/** A checked description; the id is minted when the caller chose none. */
export type PushConfigRequest = Omit<PushConfig, 'id'> & { id?: string };

export interface ConfigName {
  taskId: string;
  configId: string;
}

/** In 0.3 a webhook may be asked for without its id: the task's first one. */
export type ConfigQuestion = Omit<ConfigName, 'configId'> & { configId?: string };

export interface ConfigPage {
  taskId: string;
  /** All when absent. */
  pageSize?: number;
  pageToken?: string;
}

export interface PushRules {
  /** False: nobody here sends push notifications. */
  pushNotifications: boolean;
  /** What the request is written in, and what its webhooks will be. */
  version: PushConfig['version'];
  /** What speaks against a URL by itself, as the end of a sentence about it. */
  urlProblem(url: string): string | undefined;
}

const CONFIG_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** Visible ASCII with spaces inside: what a header carries unchanged. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
/** A token of HTTP (RFC 9110, 5.6.2), as schemes of authentication are. */
const SCHEME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const MAX_URL = 2048;
const MAX_TOKEN = 1024;
const MAX_SCHEME = 64;
const MAX_CREDENTIALS = 4096;

export const isConfigId = (id: string): boolean => CONFIG_ID.test(id);

/** Throws `invalid-params`. */
export function readPushConfig(fields: Fields, { urlProblem, version }: PushRules): PushConfigRequest {
  const id = fields.string('id');
  if (id !== undefined && !isConfigId(id)) {
    throw invalid(fields.at('id'), 'must be 1 to 64 letters, digits, hyphens and underscores');
  }
  const url = fields.string('url', MAX_URL);
  if (url === undefined) throw invalid(fields.at('url'), 'is required');
  const problem = urlProblem(url);
  if (problem !== undefined) throw invalid(fields.at('url'), problem);
  const token = headerText(fields, 'token', MAX_TOKEN);
  const authentication = readAuthentication(fields.child('authentication'));
  return {
    ...(id !== undefined && { id }),
    url,
    version,
    ...(token !== undefined && { token }),
    ...(authentication && { authentication }),
  };
}

function readAuthentication(fields: Fields | undefined): PushConfig['authentication'] {
  if (!fields) return undefined;
  const scheme = fields.string('scheme', MAX_SCHEME);
  if (scheme === undefined) throw invalid(fields.at('scheme'), 'is required');
  if (!SCHEME.test(scheme)) throw invalid(fields.at('scheme'), 'must be the name of an HTTP authentication scheme');
  const credentials = headerText(fields, 'credentials', MAX_CREDENTIALS);
  return { scheme, ...(credentials !== undefined && { credentials }) };
}

function headerText(fields: Fields, name: string, maxLength: number): string | undefined {
  const value = fields.string(name, maxLength);
  if (value !== undefined && !HEADER_VALUE.test(value)) {
    throw invalid(fields.at(name), 'must be visible ASCII characters, with spaces only between them');
  }
  return value;
}
