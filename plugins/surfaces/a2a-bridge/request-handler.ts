// The SDK's request handler over the core's ports: one instance for all calls. Parameters were checked before the
// adapter ran and travel in the Call, so what the adapter decoded is not looked at.
import {
  AgentCard,
  type ListTaskPushNotificationConfigsResponse,
  type ListTasksResponse,
  type StreamResponse,
  type Task as SdkTask,
  type TaskPushNotificationConfig as SdkPushConfig,
} from '@a2a-js/sdk';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { isTerminal, shortState } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import { callOf, type Call } from './call.js';
import { extendedCard, type CardPorts } from './card-of-agent.js';
import { listTasks } from './list-tasks.js';
import type { Operation } from './operation.js';
import { ownTask } from './own-task.js';
import { PROTOCOL_VERSION } from './protocol-version.js';
import { createConfig, deleteConfig, getConfig, listConfigs } from './push-configs.js';
import { settled, submit, type SendPorts } from './send-message.js';
import { openSend, openSubscription, streamEvents } from './task-stream.js';
import { blobReader, toSdkTask, type TaskView } from './to-sdk.js';

type Stream = AsyncGenerator<StreamResponse, void, undefined>;

export class BridgeRequestHandler implements A2ARequestHandler {
  constructor(private readonly ports: SendPorts & CardPorts) {}

  /** Only what the adapters check: versions and capabilities. Real cards come from card-routes.ts. */
  getAgentCard(): Promise<AgentCard> {
    return INTERNAL_CARD;
  }

  sendMessage(_params: unknown, context: ServerCallContext): Promise<SdkTask> {
    return answer(context, async (call) => {
      const { send } = call.take<'SendMessage'>();
      const admitted = await submit(this.ports, call, send);
      const record = send.returnImmediately ? admitted.record : await settled(this.ports, call, admitted);
      return this.view(record, send);
    });
  }

  sendMessageStream(_params: unknown, context: ServerCallContext): Stream {
    return streamEvents(callOf(context), (call) => openSend(this.ports, call));
  }

  getTask(_params: unknown, context: ServerCallContext): Promise<SdkTask> {
    return answer(context, (call) => {
      const { taskId, historyLength } = call.take<'GetTask'>();
      return this.view(ownTask(this.ports.ledger, call, taskId), { historyLength });
    });
  }

  listTasks(_params: unknown, context: ServerCallContext): Promise<ListTasksResponse> {
    return answer(context, (call) => listTasks(this.ports, call, call.take<'ListTasks'>().list));
  }

  cancelTask(_params: unknown, context: ServerCallContext): Promise<SdkTask> {
    return answer(context, async (call) => {
      const { taskId } = call.take<'CancelTask'>();
      return this.view(await this.cancel(call, taskId));
    });
  }

  resubscribe(_params: unknown, context: ServerCallContext): Stream {
    return streamEvents(callOf(context), (call) => openSubscription(this.ports, call));
  }

  createTaskPushNotificationConfig(_params: unknown, context: ServerCallContext): Promise<SdkPushConfig> {
    return answer(context, (call) => createConfig(this.ports, call, call.take<'CreateTaskPushNotificationConfig'>()));
  }

  getTaskPushNotificationConfig(_params: unknown, context: ServerCallContext): Promise<SdkPushConfig> {
    return answer(context, (call) => getConfig(this.ports, call, call.take<'GetTaskPushNotificationConfig'>()));
  }

  listTaskPushNotificationConfigs(
    _params: unknown,
    context: ServerCallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    return answer(context, (call) => {
      call.defaults = { configs: [] };
      return listConfigs(this.ports, call, call.take<'ListTaskPushNotificationConfigs'>());
    });
  }

  deleteTaskPushNotificationConfig(_params: unknown, context: ServerCallContext): Promise<void> {
    return answer(context, (call) => deleteConfig(this.ports, call, call.take<'DeleteTaskPushNotificationConfig'>()));
  }

  getAuthenticatedExtendedAgentCard(_params: unknown, context: ServerCallContext): Promise<AgentCard> {
    return answer(context, ({ caller, target }) => AgentCard.fromJSON(extendedCard(this.ports, caller, target)));
  }

  /** Carries out an operation that wants no answer. By the rules of JSON-RPC its failure stays unsaid, too. */
  async notify(call: Call, operation: Operation): Promise<void> {
    try {
      if (operation.name === 'CancelTask') await this.cancel(call, operation.taskId);
      else if ('send' in operation) await submit(this.ports, call, operation.send);
      else if (operation.name === 'CreateTaskPushNotificationConfig') await createConfig(this.ports, call, operation);
      else if (operation.name === 'DeleteTaskPushNotificationConfig') await deleteConfig(this.ports, call, operation);
    } catch {
      // There is nobody to tell.
    }
  }

  private async cancel(call: Call, taskId: string): Promise<TaskRecord> {
    let record = ownTask(this.ports.ledger, call, taskId);
    if (!isTerminal(record.task.status.state)) record = await this.ports.prompts.cancel(taskId, call.caller.id);
    const { state } = record.task.status;
    // Canceling twice is the same as once; losing against another end is not.
    if (state === 'TASK_STATE_CANCELED') return record;
    throw new AppError('task-not-cancelable', `The task is ${shortState(state)} and can't be canceled.`);
  }

  private view(record: TaskRecord, view?: TaskView): SdkTask {
    return toSdkTask(record.task, blobReader(this.ports.blobs, record.envelope.caller.scope), view);
  }
}

/** Runs one operation; its failure is kept in the call, since the adapters know only part of what there is to say. */
async function answer<T>(context: ServerCallContext, work: (call: Call) => T | Promise<T>): Promise<T> {
  const call = callOf(context);
  try {
    return await work(call);
  } catch (error) {
    call.fail(error);
    throw error;
  }
}

const INTERNAL_CARD = Promise.resolve(
  AgentCard.fromJSON({
    name: 'switchboard',
    supportedInterfaces: ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({
      protocolBinding,
      protocolVersion: PROTOCOL_VERSION,
    })),
    // The REST adapter asks before it calls; the answer to everything comes from the handler.
    capabilities: { streaming: true, pushNotifications: true },
  }),
);
