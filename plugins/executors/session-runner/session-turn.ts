// One turn as a driver sees it. What a driver may not need, above all the frame with its files, is made on demand.
import { textOf } from '../../../src/a2a-model.js';
import type { Prompt } from '../../../src/executors/contract.js';
import type { ReplyPorts } from '../../../src/executors/reply.js';
import type { Answer } from '../../../src/ledger/records.js';
import type {
  Attachment,
  DriverEvent,
  DriverTurn,
  Frame,
  ToolDeclaration,
  ToolResult,
} from '../../../src/authoring/driver.js';
import { FileAccess } from './file-tools/file-access.js';
import { frame } from './framing.js';
import { describeMessage, readAttachments, type Intake } from './incoming-message.js';
import { readStandingFiles } from './standing-files.js';
import { useA2a, type A2aToolCore } from './a2a-tool.js';
import { callTool, toolsFor, type FileOut, type ToolConditions } from './tools.js';
import { readWorkspaceFile } from './workspace-file.js';
import { isPlace, locate } from './workspace-path.js';

interface TurnDeps {
  /** Absolute path of the workspace's folder. */
  directory(): string;
  timeZone?: string;
  now(): number;
  /** Largest file that `send` gives away, in bytes. */
  maxFileBytes: number;
  /** What speaks against giving away a file of so many bytes. */
  refusal(bytes: number): string | undefined;
  intake: Intake;
  /** Whether somebody passes on what is for the owner. */
  notices(): boolean;
  /** Agents that the conversation may call; all for the owner's own. */
  callAgents: readonly string[];
  a2a: { core: A2aToolCore; ports: ReplyPorts };
  /** True for a task of the caller. */
  ownsTask(taskId: string): boolean;
  /** A standing file was left out. */
  refused(name: string, reason: string): void;
  emit(event: DriverEvent): void;
}

/** The operator's own conversation with a workspace. */
export const isOwner = (prompt: Prompt): boolean => prompt.caller.id === 'operator';

/** The owner's own conversation may call all agents, others those that the workspace names. */
export const mayCall = (prompt: Prompt, callAgents: readonly string[]): boolean =>
  isOwner(prompt) || callAgents.length > 0;

export class SessionTurn implements DriverTurn {
  readonly cid: string;
  readonly turn: number;
  readonly text: string;
  readonly answers: readonly Answer[];
  private readonly conditions: ToolConditions;
  private readonly access: FileAccess;

  private constructor(
    private readonly prompt: Prompt,
    readonly signal: AbortSignal,
    private readonly deps: TurnDeps,
    decision: string | undefined,
    readonly attachments: readonly Attachment[],
  ) {
    this.cid = prompt.cid;
    this.turn = prompt.turn;
    this.answers = prompt.answers;
    const owner = isOwner(prompt);
    this.conditions = { owner, notices: deps.notices(), calls: mayCall(prompt, deps.callAgents) };
    const { agent: workspace, caller } = prompt;
    this.access = new FileAccess({ workspace, caller, owner, ownsTask: deps.ownsTask, writeStanding: false });
    this.text = decision ?? textOf(prompt.message.parts);
  }

  /** Takes in what came with the message: files are saved, links followed. Throws what the intake throws. */
  static async open(prompt: Prompt, signal: AbortSignal, deps: TurnDeps): Promise<SessionTurn> {
    const decision = operatorDecision(prompt);
    const attachments = decision === undefined ? await readAttachments(prompt.message, deps.intake) : [];
    return new SessionTurn(prompt, signal, deps, decision, attachments);
  }

  get opening(): string {
    return textOf(this.prompt.opening.parts);
  }

  get tools(): readonly ToolDeclaration[] {
    return toolsFor(this.conditions);
  }

  message(): string {
    return describeMessage(this.text, this.attachments);
  }

  frame(tools: readonly ToolDeclaration[] = this.tools): Frame {
    const { deps, prompt } = this;
    const question = openQuestion(prompt);
    return frame({
      workspace: prompt.agent,
      caller: prompt.caller.id,
      owner: this.conditions.owner,
      standing: readStandingFiles(deps.directory(), deps.refused),
      tools,
      now: deps.now(),
      timeZone: deps.timeZone,
      message: this.message(),
      ...(question !== undefined && { question }),
    });
  }

  callTool(name: string, args: unknown): Promise<ToolResult> {
    const { emit, callAgents, a2a } = this.deps;
    const { prompt, signal } = this;
    const readFile = (path: string): FileOut => this.fileToSend(path);
    const calling = { ...a2a, prompt, signal, readFile, ...(!this.conditions.owner && { allowed: callAgents }) };
    return callTool(this.conditions, name, args, { emit, readFile, a2a: (given) => useA2a(given, calling) });
  }

  private fileToSend(path: string): FileOut {
    const { deps } = this;
    const directory = deps.directory();
    const no = (why: string): { problem: string } => ({ problem: `${path} can't be sent: ${why}.` });
    const place = locate(directory, path);
    const reason = isPlace(place) ? this.access.mayRead(place) : undefined;
    if (reason !== undefined) return no(`it ${reason}`);
    const file = isPlace(place) ? readWorkspaceFile(directory, place.path, deps.maxFileBytes) : place;
    if (file.kind === 'missing') return { problem: `There is no file ${path}.` };
    if (file.kind === 'refused') return no(`it ${file.reason}`);
    const refusal = deps.refusal(file.size);
    return refusal === undefined ? { name: path, bytes: file.bytes } : no(refusal);
  }
}

/** The question to the caller that this turn's message answers. */
function openQuestion(prompt: Prompt): string | undefined {
  const last = prompt.turn > 1 ? prompt.answers.at(-1) : undefined;
  return last?.from === 'caller' ? last.question : undefined;
}

/** The operator's decision in words, when it is what started this turn: such a turn has no message of its own. */
function operatorDecision(prompt: Prompt): string | undefined {
  const last = prompt.turn > 1 ? prompt.answers.at(-1) : undefined;
  if (last?.from !== 'operator') return undefined;
  return `The operator's decision on "${last.question}": ${last.answer}`;
}
