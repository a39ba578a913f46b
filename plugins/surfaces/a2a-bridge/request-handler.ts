// The operations as the SDK's HTTP adapters call them: one instance for all calls. What the adapter decoded is not looked
// at; a failure is kept in the call, since the adapters know only part of what there is to say.
import {
  AgentCard,
  type ListTaskPushNotificationConfigsResponse,
  type ListTasksResponse,
  type Message as SdkMessage,
  type StreamResponse,
  type Task as SdkTask,
  type TaskPushNotificationConfig as SdkPushConfig,
} from '@a2a-js/sdk';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { callOf, type HttpCall } from './http-call.js';
import type { Operations } from './operations.js';
import { PROTOCOL_VERSION } from './protocol-version.js';
import { streamEvents } from './http-stream.js';

type Stream = AsyncGenerator<StreamResponse, void, undefined>;

export class BridgeRequestHandler implements A2ARequestHandler {
  constructor(private readonly operations: Operations) {}

  /** Only what the adapters check: versions and capabilities. Real cards come from card-routes.ts. */
  getAgentCard(): Promise<AgentCard> {
    return INTERNAL_CARD;
  }

  sendMessage(_params: unknown, context: ServerCallContext): Promise<SdkTask | SdkMessage> {
    return answer(context, (call) => this.operations.sendMessage(call));
  }

  sendMessageStream(_params: unknown, context: ServerCallContext): Stream {
    return streamEvents(callOf(context), (call) => this.operations.openSend(call));
  }

  getTask(_params: unknown, context: ServerCallContext): Promise<SdkTask> {
    return answer(context, (call) => this.operations.getTask(call));
  }

  listTasks(_params: unknown, context: ServerCallContext): Promise<ListTasksResponse> {
    return answer(context, (call) => this.operations.listTasks(call));
  }

  cancelTask(_params: unknown, context: ServerCallContext): Promise<SdkTask> {
    return answer(context, (call) => this.operations.cancelTask(call));
  }

  resubscribe(_params: unknown, context: ServerCallContext): Stream {
    return streamEvents(callOf(context), (call) => this.operations.openSubscription(call));
  }

  createTaskPushNotificationConfig(_params: unknown, context: ServerCallContext): Promise<SdkPushConfig> {
    return answer(context, (call) => this.operations.createConfig(call));
  }

  getTaskPushNotificationConfig(_params: unknown, context: ServerCallContext): Promise<SdkPushConfig> {
    return answer(context, (call) => this.operations.getConfig(call));
  }

  listTaskPushNotificationConfigs(
    _params: unknown,
    context: ServerCallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    return answer(context, (call) => {
      call.defaults = { configs: [] };
      return this.operations.listConfigs(call);
    });
  }

  deleteTaskPushNotificationConfig(_params: unknown, context: ServerCallContext): Promise<void> {
    return answer(context, (call) => {
      call.defaults = {};
      return this.operations.deleteConfig(call);
    });
  }

  getAuthenticatedExtendedAgentCard(_params: unknown, context: ServerCallContext): Promise<AgentCard> {
    return answer(context, (call) => this.operations.extendedCard(call));
  }
}

/** Runs one operation and keeps its failure. */
async function answer<T>(context: ServerCallContext, work: (call: HttpCall) => T | Promise<T>): Promise<T> {
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
