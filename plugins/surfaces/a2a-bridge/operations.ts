// What the operations do, whatever binding they come over, in the SDK's types. Parameters were checked before and travel
// in the call.
import { AgentCard, type Message as SdkMessage, type Task as SdkTask } from '@a2a-js/sdk';
import type {
  ListTaskPushNotificationConfigsResponse,
  ListTasksResponse,
  TaskPushNotificationConfig as SdkPushConfig,
} from '@a2a-js/sdk';
import { isTerminal, shortState } from '../../../src/a2a-model.js';
import { AppError } from '../../../src/errors.js';
import type { TaskRecord } from '../../../src/ledger/records.js';
import type { Call } from './call.js';
import { extendedCard, hasExtendedCard, publicCard, type CardPorts } from './card-of-agent.js';
import { DirectAnswer } from './direct-answer.js';
import { listTasks } from './list-tasks.js';
import type { Operation } from './operation.js';
import { ownTask } from './own-task.js';
import { createConfig, deleteConfig, getConfig, listConfigs } from './push-configs.js';
import { settled, submit, type Admitted, type SendPorts } from './send-message.js';
import { openSend, openSubscription, type OpenStream } from './task-stream.js';
import { blobReader, toSdkMessage, toSdkTask, type TaskView } from './to-sdk.js';

/** Every method throws AppErrors. */
export class Operations {
  constructor(private readonly ports: SendPorts & CardPorts) {}

  async sendMessage(call: Call): Promise<SdkTask | SdkMessage> {
    const { send } = call.take<'SendMessage'>();
    const admitted = await submit(this.ports, call, send);
    if (admitted.record.envelope.direct) return this.directMessage(call, admitted, send);
    const record = send.returnImmediately ? admitted.record : await settled(this.ports, call, admitted);
    return this.view(record, send);
  }

  openSend(call: Call): Promise<OpenStream> {
    return openSend(this.ports, call);
  }

  getTask(call: Call): SdkTask {
    const { taskId, historyLength } = call.take<'GetTask'>();
    return this.view(ownTask(this.ports.ledger, call, taskId), { historyLength });
  }

  listTasks(call: Call): ListTasksResponse {
    return listTasks(this.ports, call, call.take<'ListTasks'>().list);
  }

  async cancelTask(call: Call): Promise<SdkTask> {
    const { taskId } = call.take<'CancelTask'>();
    return this.view(await this.cancel(call, taskId));
  }

  openSubscription(call: Call): OpenStream {
    return openSubscription(this.ports, call);
  }

  createConfig(call: Call): Promise<SdkPushConfig> {
    return createConfig(this.ports, call, call.take<'CreateTaskPushNotificationConfig'>());
  }

  getConfig(call: Call): SdkPushConfig {
    return getConfig(this.ports, call, call.take<'GetTaskPushNotificationConfig'>());
  }

  listConfigs(call: Call): ListTaskPushNotificationConfigsResponse {
    return listConfigs(this.ports, call, call.take<'ListTaskPushNotificationConfigs'>());
  }

  deleteConfig(call: Call): Promise<void> {
    return deleteConfig(this.ports, call, call.take<'DeleteTaskPushNotificationConfig'>());
  }

  extendedCard({ caller, target, legacy }: Call): AgentCard {
    const card = extendedCard(this.ports, caller, target);
    // That of 0.3 is another document: whoever writes it signs it.
    return AgentCard.fromJSON(legacy ? card : this.ports.signer.signed(card));
  }

  /** The extended card where there is one, else the one that everybody reads. */
  card(call: Call): AgentCard {
    const { agent } = call.target;
    return hasExtendedCard(this.ports, agent)
      ? this.extendedCard(call)
      : AgentCard.fromJSON(publicCard(this.ports, agent));
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

  private async directMessage(call: Call, admitted: Admitted, { accepted }: TaskView): Promise<SdkMessage> {
    const answer = new DirectAnswer(this.ports.ledger, admitted, accepted);
    const stopListening = call.onGone(() => answer.close());
    try {
      const message = await answer.message();
      if (!message) throw new AppError('overloaded', 'Nobody waits for the answer any more.');
      return toSdkMessage(message, blobReader(this.ports.blobs, admitted.record.envelope.caller.scope));
    } finally {
      stopListening();
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
