// Requests as the official client takes them, with every member its types ask for.
import { randomUUID } from 'node:crypto';
import { Role, type Part, type SendMessageRequest } from '@a2a-js/sdk';

export const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

/** A message with an id of its own. */
export const sendRequest = (
  parts: Part[],
  ids: { taskId?: string; contextId?: string } = {},
  returnImmediately = false,
): SendMessageRequest => ({
  tenant: '',
  message: {
    messageId: randomUUID(),
    contextId: ids.contextId ?? '',
    taskId: ids.taskId ?? '',
    role: Role.ROLE_USER,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    historyLength: undefined,
    returnImmediately,
  },
  metadata: undefined,
});
