// What a tool on a workspace's files is, and how its arguments are read.
import type { ToolDeclaration, ToolResult } from '../../../../src/authoring/driver.js';
import type { NoPlace } from '../workspace-path.js';
import type { FileAccess } from './file-access.js';

export interface FileToolUse {
  /** Absolute path of the workspace's folder. */
  directory: string;
  access: FileAccess;
  signal: AbortSignal;
}

export interface FileTool extends ToolDeclaration {
  call(args: Record<string, unknown>, use: FileToolUse): ToolResult | Promise<ToolResult>;
}

export const text = (description: string) => ({ type: 'string', description });
export const whole = (description: string) => ({ type: 'integer', minimum: 1, description });

export const done = (words: string): ToolResult => ({ ok: true, text: words });
export const refused = (words: string): ToolResult => ({ ok: false, text: words });

/** A problem with a path in words. */
export const problem = (path: string, why: NoPlace | string): ToolResult => {
  if (typeof why === 'string') return refused(`${path} can't be used: it ${why}.`);
  return why.kind === 'missing' ? refused(`There is no ${path}.`) : refused(`${path} can't be used: it ${why.reason}.`);
};

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** A whole number from 1, or what stands for it when none was given. */
export const countOr = (value: unknown, absent: number): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 ? value : absent;
