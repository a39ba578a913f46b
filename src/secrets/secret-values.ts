// Which texts of somebody's settings are secret, where nothing but their names and looks says so: what stands under a
// name like `apiToken`, and what URLs and command lines carry along. Pure.
import type { PushConfig } from '../a2a-model.js';
import { parseUrl } from '../net/parse-url.js';

/** Also within a word, as in `openaikey`, but not in words like `keyword` or `bypass`: what stands under those is shown. */
const SECRET_LIKE =
  /(?<!mon|tur|don)key(?!word|board|note|stroke|frame)|token(?!i[sz])|secret|(?<!by|com|sur)pass(?!ive|age|enger|through)|auth(?!ors?$|orit)|cred(?!it)|cookie/i;
/** `keyEnv`, `tokenUrl`, `keyFile` say where a secret is, not which. */
const ABOUT_ONE = /(?:env|file|path|dir|name|url|uri|header|id|type|scheme|mode)$/i;
/** Names of queries that are signatures rather than keys, as in links to stored files. */
const SIGNATURE = /^(?:sig|signature|code|hmac)$/i;
const TOKEN_LIKE = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+=_~-]{16,}$/;
/** What `auth` and its like say when they name a way and no secret. */
const WAY = /^(?:basic|bearer|digest|oauth2?|api-?key|header|query|cookie|none)$/i;
const FLAG = /^--?([\w-]+)(?:=([^]+))?$/;
const HEADER = /^([\w-]+): *(?:\w+ +)?(\S+)$/;
/** Settings are an owner's, but no stack should depend on them. */
const DEEPEST = 32;

const isSecretName = (name: string): boolean => SECRET_LIKE.test(name) && !ABOUT_ONE.test(name);

/** Of a URL: its password, alone and after its user, and values of its query that are secret by name or by look. */
export function secretsOfUrl(text: string): string[] {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (!url) return [];
  const { username, password, searchParams } = url;
  const pair = password === '' ? [] : [password, decoded(password), `${decoded(username)}:${decoded(password)}`];
  const queries = [...searchParams].flatMap(([name, value]) =>
    isSecretName(name) || SIGNATURE.test(name) || TOKEN_LIKE.test(value) ? [value] : [],
  );
  return [...pair, ...queries];
}

/** As above, and of the path what looks like a token: whoever knows the address of a chat service's webhook may post. */
export function secretsOfWebhook(text: string): string[] {
  const path = parseUrl(text)?.pathname.split('/') ?? [];
  return [text, ...secretsOfUrl(text), ...path.filter((piece) => TOKEN_LIKE.test(piece))];
}

/** Of a webhook that a caller registers. */
export function secretsOfConfig(config: Pick<PushConfig, 'url' | 'token' | 'authentication'>): string[] {
  const { url, token, authentication } = config;
  return [token, authentication?.credentials, ...secretsOfUrl(url)].filter((text) => text !== undefined);
}

/** Every secret in settings: texts whose own name says so, lists included, and those in URLs. */
export function secretsIn(settings: unknown, name = '', depth = 0): string[] {
  if (typeof settings === 'string') {
    const isSecret = isSecretName(name) && !WAY.test(settings);
    return [...(isSecret ? [settings] : []), ...secretsOfUrl(settings)];
  }
  if (typeof settings !== 'object' || settings === null || depth > DEEPEST) return [];
  if (Array.isArray(settings)) return settings.flatMap((item) => secretsIn(item, name, depth + 1));
  return Object.entries(settings).flatMap(([member, value]) => secretsIn(value, member, depth + 1));
}

/** Of a program's arguments: what follows a flag like `--api-key`, after `=` or as the next one, or a header's name. */
export function secretsOfArguments(args: readonly unknown[]): string[] {
  const texts = args.map((arg) => (typeof arg === 'string' ? arg : ''));
  return texts.flatMap((arg, at) => {
    const [, flag = '', value = texts[at + 1] ?? ''] = FLAG.exec(arg) ?? [];
    const [, header = '', word = ''] = HEADER.exec(arg) ?? [];
    return [
      ...(isSecretName(flag) && value !== '' ? [value] : []),
      ...(isSecretName(header) ? [word] : []),
      ...secretsOfUrl(arg),
    ];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
