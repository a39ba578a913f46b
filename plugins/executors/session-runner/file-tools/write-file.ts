// Writes and edits files of the workspace.
import { done, isText, problem, refused, text, type FileTool, type FileToolUse } from './file-tool.js';
import { writeWorkspaceFile } from '../workspace-write.js';
import { MAX_TEXT_BYTES, readText } from './read-file.js';
import type { ToolResult } from '../../../../src/authoring/driver.js';

export const writeFile: FileTool = {
  name: 'write_file',
  description: 'Write a text file of the workspace. It replaces the file that is there; folders are made.',
  parameters: {
    type: 'object',
    properties: { path: text('Path within the workspace.'), content: text('The whole content.') },
    required: ['path', 'content'],
  },
  call({ path, content }, use) {
    if (!isText(path)) return refused('"path" must be a text.');
    if (typeof content !== 'string') return refused('"content" must be a text.');
    return write(path, content, use);
  },
};

export const editFile: FileTool = {
  name: 'edit_file',
  description: 'Replace one passage of a text file of the workspace. The passage must occur exactly once.',
  parameters: {
    type: 'object',
    properties: {
      path: text('Path within the workspace.'),
      old: text('The passage as it stands there, with enough around it to be the only one.'),
      new: text('What takes its place; empty to remove it.'),
    },
    required: ['path', 'old', 'new'],
  },
  call({ path, old, new: replacement }, use) {
    if (!isText(path)) return refused('"path" must be a text.');
    if (!isText(old) || typeof replacement !== 'string') return refused('"old" and "new" must be texts.');
    const content = readText(path, use, true);
    if (typeof content !== 'string') return content;
    const at = content.indexOf(old);
    if (at < 0) return refused(`The passage is not in ${path}.`);
    if (content.indexOf(old, at + 1) >= 0) return refused(`The passage is in ${path} more than once.`);
    return write(path, content.slice(0, at) + replacement + content.slice(at + old.length), use);
  },
};

function write(path: string, content: string, { directory, access }: FileToolUse): ToolResult {
  const bytes = Buffer.from(content);
  if (bytes.length > MAX_TEXT_BYTES) return refused(`A file may have ${MAX_TEXT_BYTES} bytes at most.`);
  const written = writeWorkspaceFile(directory, path, bytes, (place) => access.mayWrite(place));
  return written.kind === 'written' ? done(`Wrote ${path} (${bytes.length} bytes).`) : problem(path, written);
}
