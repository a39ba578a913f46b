// Results as people read them in a terminal.
import type { TaskView, WirePart } from '../operator-wire.js';
import { EXIT, type ExitCode } from './exit-codes.js';

/** Columns as wide as their widest cell; the last one is as long as it is. */
export function table(head: string[], rows: string[][]): string[] {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** What the agent said and made, then what is to be done next. */
export function taskLines(view: TaskView): string[] {
  const produced = [view.parts, ...(view.artifacts ?? []).map((artifact) => artifact.parts)].flat();
  return [
    ...(view.response === '' ? [] : [view.response]),
    ...produced.flatMap((part) => partLine(part) ?? []),
    ...nextStep(view),
  ];
}

function partLine(part: WirePart): string | undefined {
  const name = part.filename ?? part.mediaType ?? 'file';
  if (part.raw !== undefined) return `[file ${name}, ${Buffer.byteLength(part.raw, 'base64')} bytes]`;
  if (part.url !== undefined) return `[file ${name} at ${part.url}]`;
  return 'data' in part ? JSON.stringify(part.data) : undefined;
}

function nextStep({ cid, taskState, question, agent }: TaskView): string[] {
  switch (taskState) {
    case 'completed':
      return [];
    case 'input-required':
      return [`${agent} asks: ${question ?? ''}`, `Answer with: switchboard answer ${cid} <words>`];
    case 'auth-required':
      return [`${agent} wants approval: ${question ?? ''}`, `Decide with: switchboard approve ${cid}, or decline`];
    case 'submitted':
    case 'working':
      return [`Task ${cid} is ${taskState}. Look again with: switchboard status ${cid} --wait 30`];
    case 'unknown':
      return [`There is no task ${cid}.`];
    default:
      return [`Task ${cid} is ${taskState}.`];
  }
}

/** Success is a task that went well or still goes; questions are no failure. */
export function taskExit({ taskState }: TaskView): ExitCode {
  if (taskState === 'unknown') return EXIT.notFound;
  return ['failed', 'rejected', 'canceled'].includes(taskState) ? EXIT.failure : EXIT.ok;
}
