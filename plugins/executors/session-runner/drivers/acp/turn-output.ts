// An agent's updates as the driver's events: chunks of its answer, tool calls by name alone, plans as a word of status.
// Thoughts are not shown. An update that makes no sense is passed over.
import type { DriverEvent } from '../../../../../src/authoring/driver.js';
import { isObject } from '../../../../../src/read-json.js';
import { textAt } from './text-at.js';

const SHOWN = 200;
/** What may stand in a caller's sight: a tool's name, not a title with arguments in it. */
const TOOL_NAME = /^[\w.:/-]{1,64}$/;

export class TurnOutput {
  private speaking = false;
  private messageId: unknown;
  private readonly tools = new Map<string, string>();
  private plan = '';
  private images = 0;
  private said = false;

  constructor(private readonly emit: (event: DriverEvent) => void) {}

  /** Whether the caller was given anything. */
  get answered(): boolean {
    return this.said;
  }

  apply(update: unknown): void {
    if (!isObject(update)) return;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.chunk(update);
      case 'tool_call':
      case 'tool_call_update':
        return this.tool(update);
      case 'plan':
        return this.showPlan(update.entries);
      default:
        return;
    }
  }

  /** Ends the open message. */
  endMessage(): void {
    if (!this.speaking) return;
    this.speaking = false;
    this.emit({ type: 'message-end' });
  }

  private chunk({ content, messageId }: Record<string, unknown>): void {
    if (!isObject(content)) return;
    if (messageId !== undefined && messageId !== this.messageId) this.endMessage();
    this.messageId = messageId;
    const event = contentEvent(content, () => ++this.images);
    if (!event) return;
    this.said = true;
    if (event.type === 'delta') this.speaking = true;
    else this.endMessage();
    this.emit(event);
  }

  private tool(update: Record<string, unknown>): void {
    const id = textAt(update, 'toolCallId');
    if (id === undefined) return;
    const name = this.tools.get(id) ?? nameOf(update);
    if (!this.tools.has(id)) {
      this.endMessage();
      this.tools.set(id, name);
      this.emit({ type: 'tool-started', tool: name });
    }
    if (update.status !== 'completed' && update.status !== 'failed') return;
    // Tools that were shown to end are not started again by what is said of them later.
    if (this.ended.has(id)) return;
    this.ended.add(id);
    this.emit({ type: 'tool-finished', tool: name, ok: update.status === 'completed' });
  }
  private readonly ended = new Set<string>();

  private showPlan(entries: unknown): void {
    if (!Array.isArray(entries)) return;
    const steps = entries.filter(isObject);
    const done = steps.filter(({ status }) => status === 'completed').length;
    const now =
      steps.find(({ status }) => status === 'in_progress') ?? steps.find(({ status }) => status === 'pending');
    const step = now && textAt(now, 'content');
    const text = `plan: ${done} of ${steps.length} done${step === undefined ? '' : `, next: ${step.slice(0, SHOWN)}`}`;
    if (steps.length === 0 || text === this.plan) return;
    this.plan = text;
    this.emit({ type: 'status', text });
  }
}

function nameOf(update: Record<string, unknown>): string {
  const names = [textAt(update, 'name'), textAt(update, 'title'), textAt(update, 'kind')];
  return names.find((name) => name !== undefined && TOOL_NAME.test(name)) ?? 'a tool';
}

function contentEvent(content: Record<string, unknown>, count: () => number): DriverEvent | undefined {
  const { type, resource } = content;
  if (type === 'text') {
    const text = textAt(content, 'text');
    return text === undefined ? undefined : { type: 'delta', text };
  }
  if (type === 'image' || type === 'audio') {
    const mediaType = textAt(content, 'mimeType') ?? 'application/octet-stream';
    const bytes = Buffer.from(textAt(content, 'data') ?? '', 'base64');
    return { type: 'file', name: `${type}-${count()}.${extensionOf(mediaType)}`, bytes, mediaType };
  }
  if (type === 'resource' && isObject(resource)) {
    const bytes = Buffer.from(textAt(resource, 'blob') ?? '', 'base64');
    const text = textAt(resource, 'text');
    const mediaType = textAt(resource, 'mimeType');
    const name = textAt(resource, 'uri')?.split('/').at(-1) || `resource-${count()}`;
    return {
      type: 'file',
      name,
      bytes: text === undefined ? bytes : Buffer.from(text),
      ...(mediaType && { mediaType }),
    };
  }
  return undefined;
}

const extensionOf = (mediaType: string): string => /\/([a-z0-9]{1,8})/i.exec(mediaType)?.[1] ?? 'bin';
