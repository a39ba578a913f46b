// One turn as a driver sees it. What a driver may not need, above all the frame with its files, is made on demand.
import { textOf } from '../../../src/a2a-model.js';
import type { Prompt } from '../../../src/executors/contract.js';
import type { Answer } from '../../../src/ledger/records.js';
import type { DriverTurn } from './drivers/driver.js';
import type { DriverEvent } from './drivers/events.js';
import { frame, type Frame } from './framing.js';
import { describeMessage, readAttachments, type Attachment, type Intake } from './incoming-message.js';
import { readStandingFiles } from './standing-files.js';
import { callTool, toolsFor, type ToolDeclaration, type ToolResult } from './tools.js';
import { readWorkspaceFile } from './workspace-file.js';

export interface TurnDeps {
  /** Absolute path of the workspace's folder. */
  directory(): string;
  timeZone?: string;
  now(): number;
  /** Largest file that `send` gives away, in bytes. */
  maxFileBytes: number;
  intake: Intake;
  /** A standing file was left out. */
  refused(name: string, reason: string): void;
  emit(event: DriverEvent): void;
}

/** The operator's own conversation with a workspace. */
export const isOwner = (prompt: Prompt): boolean => prompt.caller.id === 'operator';

export class SessionTurn implements DriverTurn {
  readonly cid: string;
  readonly turn: number;
  readonly text: string;
  readonly answers: readonly Answer[];
  private readonly owner: boolean;

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
    this.owner = isOwner(prompt);
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
    return toolsFor(this.owner);
  }

  message(): string {
    return describeMessage(this.text, this.attachments);
  }

  frame(): Frame {
    const { deps, prompt, owner, tools } = this;
    return frame({
      workspace: prompt.agent,
      caller: prompt.caller.id,
      owner,
      standing: readStandingFiles(deps.directory(), deps.refused),
      tools,
      now: deps.now(),
      timeZone: deps.timeZone,
      message: this.message(),
    });
  }

  callTool(name: string, args: unknown): ToolResult {
    const readFile = (path: string): { name: string; bytes: Uint8Array } | { problem: string } => {
      const file = readWorkspaceFile(this.deps.directory(), path, this.deps.maxFileBytes);
      if (file.kind === 'missing') return { problem: `There is no file ${path}.` };
      if (file.kind === 'refused') return { problem: `${path} can't be sent: it ${file.reason}.` };
      if (file.size > this.deps.maxFileBytes) {
        return { problem: `${path} can't be sent: it is larger than ${this.deps.maxFileBytes} bytes.` };
      }
      return { name: path, bytes: file.bytes };
    };
    return callTool(this.owner, name, args, { emit: this.deps.emit, readFile });
  }
}

/** The operator's decision in words, when it is what started this turn: such a turn has no message of its own. */
function operatorDecision(prompt: Prompt): string | undefined {
  const last = prompt.turn > 1 ? prompt.answers.at(-1) : undefined;
  if (last?.from !== 'operator') return undefined;
  return `The operator's decision on "${last.question}": ${last.answer}`;
}
