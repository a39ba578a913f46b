// Reads a text file of the workspace, a window of lines at a time.
import { done, countOr, isText, problem, refused, text, whole, type FileTool, type FileToolUse } from './file-tool.js';
import { readWorkspaceFile } from '../workspace-file.js';
import { isPlace, locate } from '../workspace-path.js';
import type { ToolResult } from '../../../../src/authoring/driver.js';

/** Bytes of a file that can be read at all, and characters and lines that are shown at once. */
export const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const MAX_CHARACTERS = 40_000;
const MAX_LINES = 1_000;

export const readFile: FileTool = {
  name: 'read_file',
  description: 'Read a text file of the workspace. Long files come in windows of lines.',
  parameters: {
    type: 'object',
    properties: {
      path: text('Path within the workspace.'),
      line: whole('First line to read; 1 when absent.'),
      lines: whole(`How many lines; ${MAX_LINES} at most.`),
    },
    required: ['path'],
  },
  call({ path, line, lines }, use) {
    if (!isText(path)) return refused('"path" must be a text.');
    const content = readText(path, use);
    if (typeof content !== 'string') return content;
    if (content === '') return done('[the file is empty]');
    const all = content.split('\n');
    const first = countOr(line, 1);
    if (first > all.length) return refused(`${path} has only ${all.length} lines.`);
    const wanted = all.slice(first - 1, first - 1 + Math.min(countOr(lines, MAX_LINES), MAX_LINES));
    const [opening = ''] = wanted;
    if (opening.length > MAX_CHARACTERS) {
      const shown = opening.slice(0, MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
      return done(
        `${shown}\n[line ${first} of ${all.length}, cut after ${shown.length} of ${opening.length} characters]`,
      );
    }
    const shown = wanted.slice(0, linesWithin(wanted, MAX_CHARACTERS));
    if (shown.length === all.length) return done(content);
    return done(`${shown.join('\n')}\n[lines ${first} to ${first - 1 + shown.length} of ${all.length}]`);
  },
};

/** How many of the lines fit: a line is shown whole or in the next window, so that none is lost between two. */
function linesWithin(lines: readonly string[], characters: number): number {
  let left = characters + 1;
  const over = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return over < 0 ? lines.length : over;
}

/** The whole of a text file, or why there is none. `exact`: only what can be written back as it was. */
export function readText(path: string, { directory, access }: FileToolUse, exact = false): string | ToolResult {
  const place = locate(directory, path);
  if (!isPlace(place)) return problem(path, place);
  const reason = access.mayRead(place);
  if (reason !== undefined) return problem(path, reason);
  // The place that was allowed is what is read, not what the path leads to by now.
  const file = readWorkspaceFile(directory, place.path, MAX_TEXT_BYTES);
  if (file.kind !== 'read') return problem(path, file);
  if (file.size > MAX_TEXT_BYTES) return problem(path, `is larger than ${MAX_TEXT_BYTES} bytes`);
  if (file.bytes.includes(0)) return problem(path, `is no text (${file.size} bytes)`);
  const content = file.bytes.toString();
  if (exact && !Buffer.from(content).equals(file.bytes)) return problem(path, 'is not in UTF-8');
  return content;
}
