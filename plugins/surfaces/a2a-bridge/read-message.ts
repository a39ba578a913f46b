// A caller's message and what to do with it, checked on the raw JSON before anything is created.
import type { Message } from '../../../src/a2a-model.js';
import type { Hop } from '../../../src/bus/topics.js';
import { AppError } from '../../../src/errors.js';
import { isContextId, isTaskId } from '../../../src/workspace/names.js';
import { Fields, invalid } from './fields.js';
import { outputModes, type OutputModes } from './output-modes.js';
import { readPart, type IncomingPart, type PartRules } from './read-part.js';
import { readPushConfig, type PushConfigRequest, type PushRules } from './read-push-config.js';

/** A checked message whose files are not stored yet. */
export type IncomingMessage = Omit<Message, 'parts'> & { parts: IncomingPart[] };

export interface SendRequest {
  message: IncomingMessage;
  historyLength?: number;
  returnImmediately: boolean;
  /** What the answer may consist of. */
  accepted?: OutputModes;
  skill?: string;
  subject?: string;
  chain: Hop[];
  pushConfig?: PushConfigRequest;
}

export type SendRules = PartRules & PushRules;

const MAX_PARTS = 1000;
/** Each is downloaded before the turn begins. */
const MAX_LINKS = 20;
// eslint-disable-next-line no-control-regex -- control characters are what an id must not hold
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Reads the params of SendMessage and SendStreamingMessage. Throws AppErrors. */
export function readSend(params: Fields, rules: SendRules): SendRequest {
  const fields = params.child('message');
  if (!fields) throw invalid('message', 'is required');
  const metadata = readMetadata(params.child('metadata'), fields.child('metadata'));
  const message = readMessage(fields, rules, metadata.skill);
  const configuration = params.child('configuration');
  const pushConfig = readInlineConfig(configuration?.child('taskPushNotificationConfig'), rules);
  const accepted = outputModes(configuration?.strings('acceptedOutputModes') ?? []);
  const historyLength = configuration?.integer('historyLength', 0);
  return {
    message,
    ...(historyLength !== undefined && { historyLength }),
    returnImmediately: configuration?.boolean('returnImmediately') ?? false,
    ...(accepted && { accepted }),
    ...(pushConfig && { pushConfig }),
    ...metadata,
  };
}

/** The webhook for the task that the message leads to, whose id the sender can't know. */
function readInlineConfig(fields: Fields | undefined, rules: SendRules): PushConfigRequest | undefined {
  if (!fields) return undefined;
  mustPush(rules);
  if (fields.string('taskId') !== undefined) throw invalid(fields.at('taskId'), 'must be empty');
  return readPushConfig(fields, rules);
}

/** Throws `push-not-supported` where nobody sends push notifications. */
export function mustPush({ pushNotifications }: Pick<PushRules, 'pushNotifications'>): void {
  if (!pushNotifications) throw new AppError('push-not-supported', 'Push notifications are not supported.');
}

function readMessage(fields: Fields, rules: PartRules, skill: string | undefined): IncomingMessage {
  const messageId = fields.string('messageId', 256);
  if (messageId === undefined) throw invalid(fields.at('messageId'), 'is required');
  if (CONTROL.test(messageId)) throw invalid(fields.at('messageId'), 'must not hold control characters');
  const role = fields.raw('role');
  if (role === undefined) throw invalid(fields.at('role'), 'is required');
  if (role !== 'ROLE_USER' && role !== 1) throw invalid(fields.at('role'), 'must be ROLE_USER');
  const contextId = fields.text('contextId') || undefined;
  if (contextId !== undefined && !isContextId(contextId)) {
    throw invalid(fields.at('contextId'), 'must be 1 to 100 letters, digits, hyphens and underscores');
  }
  const taskId = fields.text('taskId') || undefined;
  if (taskId !== undefined && !isTaskId(taskId)) throw taskNotFound();
  const metadata = fields.object('metadata');
  const extensions = fields.strings('extensions');
  const referenceTaskIds = fields.strings('referenceTaskIds');
  return {
    messageId,
    role: 'ROLE_USER',
    parts: readParts(fields, rules, skill),
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
    ...(metadata && { metadata }),
    ...(extensions.length > 0 && { extensions }),
    ...(referenceTaskIds.length > 0 && { referenceTaskIds }),
  };
}

function readParts(fields: Fields, rules: PartRules, skill: string | undefined): IncomingPart[] {
  const path = fields.at('parts');
  const parts = fields.raw('parts');
  if (parts === undefined) throw invalid(path, 'is required');
  if (!Array.isArray(parts) || parts.length === 0) throw invalid(path, 'must be a list of at least one part');
  if (parts.length > MAX_PARTS) throw invalid(path, `must not have more than ${MAX_PARTS} entries`);
  const read = parts.map((part, i) => readPart(part, `${path}[${i}]`, rules, skill));
  if (read.filter((part) => 'url' in part).length > MAX_LINKS) {
    throw invalid(path, `must not have more than ${MAX_LINKS} parts with a url`);
  }
  return read;
}

/** What the switchboard reads from metadata: the request's own first, then the message's. */
function readMetadata(request?: Fields, message?: Fields): Pick<SendRequest, 'skill' | 'subject' | 'chain'> {
  const skill = request?.string('skill', 200) ?? message?.string('skill', 200);
  const subject = request?.string('subject', 500) ?? message?.string('subject', 500);
  const holder = [request, message].find((fields) => fields?.raw(CHAIN) !== undefined);
  return {
    ...(skill !== undefined && { skill }),
    ...(subject !== undefined && { subject }),
    chain: holder ? readChain(holder) : [],
  };
}

const CHAIN = 'switchboard.chain';
const MAX_CHAIN = 64;

function readChain(fields: Fields): Hop[] {
  const path = fields.at(CHAIN);
  const chain = fields.raw(CHAIN);
  if (!Array.isArray(chain) || chain.length > MAX_CHAIN)
    throw invalid(path, `must be a list of at most ${MAX_CHAIN} hops`);
  return chain.map((value, i) => {
    const hop = Fields.of(value, `${path}[${i}]`);
    const switchboard = hop.string('switchboard', 128);
    const agent = hop.string('agent', 128);
    if (switchboard === undefined || agent === undefined) {
      throw invalid(`${path}[${i}]`, 'must name a switchboard and an agent');
    }
    return { switchboard, agent };
  });
}

/** One answer for a task that does not exist, is somebody else's, or could not exist. */
export const taskNotFound = (): AppError => new AppError('task-not-found', 'There is no such task.');
