// Answers of 1.0 as 0.3 wrote them: flat results with a `kind` over JSON-RPC, ProtoJSON of the old schema over REST. Pure
// functions from JSON to JSON; the operation itself never knows which version asked.
import { isTerminal, type TaskState } from '../../../../src/a2a-model.js';
import {
  REST,
  RPC,
  writeArtifact,
  writeMessage,
  writeStatus,
  writeTask,
  type Spelling,
} from '../../../../src/a2a-v0-3/legacy-task.js';
import type {
  Json,
  WireArtifact,
  WireCard,
  WireEvent,
  WirePushConfig,
  WireTask,
} from '../../../../src/a2a-v0-3/wire.js';
import type { OperationName } from '../operation.js';
import { legacyCard, legacyRestCard } from './legacy-card.js';

/** How one of the two 0.3 bindings writes what the 1.0 side produced. */
export interface LegacyShape {
  /** An operation's whole answer. */
  result(name: OperationName, answer: unknown): unknown;
  event(event: WireEvent): Json;
}

/** A 0.3 stream is over when nothing comes without its caller. */
export const endsLegacyStream = (state: TaskState): boolean =>
  isTerminal(state) || state === 'TASK_STATE_INPUT_REQUIRED';

/** The event's member and what it holds; JSON-RPC drops the member, since the kind says it. */
function writeEvent(spelling: Spelling, event: WireEvent): [member: string, value: Json] {
  const { task, message, statusUpdate, artifactUpdate } = event;
  if (task) return ['task', writeTask(spelling, task)];
  if (message) return ['message', writeMessage(spelling, message)];
  if (statusUpdate) {
    const { status, ...rest } = statusUpdate;
    const final = endsLegacyStream(status.state as TaskState);
    const value = { ...spelling.kind('status-update'), ...rest, status: writeStatus(spelling, status), final };
    return ['statusUpdate', value];
  }
  const { artifact, append = false, lastChunk = false, ...rest } = artifactUpdate as Json & { artifact: WireArtifact };
  return [
    'artifactUpdate',
    {
      ...spelling.kind('artifact-update'),
      ...rest,
      artifact: writeArtifact(spelling, artifact),
      append,
      lastChunk,
    },
  ];
}

function pushConfig({ taskId: _taskId, authentication, ...rest }: WirePushConfig): Json {
  if (!authentication) return rest;
  const { scheme, credentials } = authentication;
  return {
    ...rest,
    authentication: { schemes: scheme ? [scheme] : [], ...(credentials !== undefined && { credentials }) },
  };
}

const listed = (answer: unknown): WirePushConfig[] => (answer as { configs?: WirePushConfig[] }).configs ?? [];

/** For a `jsonrpc` response's `result`. */
export const LEGACY_RPC: LegacyShape = {
  event: (event) => writeEvent(RPC, event)[1],
  result(name, answer) {
    const config = (value: WirePushConfig): Json => ({
      taskId: value.taskId,
      pushNotificationConfig: pushConfig(value),
    });
    switch (name) {
      case 'SendMessage':
        return writeEvent(RPC, answer as WireEvent)[1];
      case 'GetTask':
      case 'CancelTask':
        return writeTask(RPC, answer as WireTask);
      case 'CreateTaskPushNotificationConfig':
      case 'GetTaskPushNotificationConfig':
        return config(answer as WirePushConfig);
      case 'ListTaskPushNotificationConfigs':
        return listed(answer).map(config);
      case 'DeleteTaskPushNotificationConfig':
        return null;
      case 'GetExtendedAgentCard':
        return legacyCard(answer as WireCard);
      default:
        return answer;
    }
  },
};

/** For a REST body. */
export const LEGACY_REST: LegacyShape = {
  event: (event) => Object.fromEntries([writeEvent(REST, event)]),
  result(name, answer) {
    const config = (value: WirePushConfig): Json => ({
      name: `tasks/${value.taskId}/pushNotificationConfigs/${value.id ?? ''}`,
      pushNotificationConfig: pushConfig(value),
    });
    switch (name) {
      case 'SendMessage':
        return Object.fromEntries([writeEvent(REST, answer as WireEvent)]);
      case 'GetTask':
      case 'CancelTask':
        return writeTask(REST, answer as WireTask);
      case 'CreateTaskPushNotificationConfig':
      case 'GetTaskPushNotificationConfig':
        return config(answer as WirePushConfig);
      case 'ListTaskPushNotificationConfigs': {
        const { nextPageToken } = answer as Json;
        return { configs: listed(answer).map(config), ...(nextPageToken !== '' && { nextPageToken }) };
      }
      case 'GetExtendedAgentCard':
        return legacyRestCard(answer as WireCard);
      default:
        return answer;
    }
  },
};
