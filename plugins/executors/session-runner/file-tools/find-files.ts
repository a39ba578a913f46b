// Lists folders and searches texts of the workspace. What is searched for is plain text: a pattern from a model could keep
// the process busy for ever.
import { statSync } from 'node:fs';
import { done, isText, problem, refused, text, type FileTool } from './file-tool.js';
import { readWorkspaceFile } from '../workspace-file.js';
import { isPlace, locate, type Place } from '../workspace-path.js';
import type { ToolResult } from '../../../../src/authoring/driver.js';
import { walk, type Found } from './walk.js';

const MAX_LISTED = 500;
const MAX_MATCHES = 100;
/** Bytes of one file that is searched, and of all together. */
const MAX_FILE = 1024 * 1024;
const MAX_TOTAL = 64 * 1024 * 1024;
const MAX_LINE = 200;
const MARK: Record<Found['kind'], string> = { file: '', folder: '/', link: ' (link)', other: ' (no file)' };

export const listFiles: FileTool = {
  name: 'list_files',
  description: 'List a folder of the workspace.',
  parameters: {
    type: 'object',
    properties: {
      path: text('Path of the folder within the workspace; the whole workspace when absent.'),
      deep: { type: 'boolean', description: 'Also what is in its folders.' },
    },
    required: [],
  },
  async call({ path = '.', deep }, use) {
    if (!isText(path)) return refused('"path" must be a text.');
    const folder = folderAt(use.directory, path);
    if ('ok' in folder) return folder;
    const listed: string[] = [];
    for await (const { place, kind } of walk(folder, deep === true, use)) {
      if (listed.length === MAX_LISTED)
        return done([...listed, `[only the first ${MAX_LISTED} are listed]`].join('\n'));
      listed.push(`${place.inside}${MARK[kind]}`);
    }
    return done(listed.join('\n') || '[the folder is empty]');
  },
};

export const searchFiles: FileTool = {
  name: 'search_files',
  description: 'Find lines of text files of the workspace that contain a text, in upper or lower case.',
  parameters: {
    type: 'object',
    properties: {
      text: text('What the line contains, as it stands there: no pattern.'),
      path: text('Path of a folder within the workspace; the whole workspace when absent.'),
    },
    required: ['text'],
  },
  async call({ text: wanted, path = '.' }, use) {
    if (!isText(wanted) || !isText(path)) return refused('"text" and "path" must be texts.');
    const folder = folderAt(use.directory, path);
    if ('ok' in folder) return folder;
    const matches: string[] = [];
    let total = 0;
    for await (const { place, kind } of walk(folder, true, use)) {
      if (kind !== 'file') continue;
      if (total > MAX_TOTAL) return done([...matches, '[the rest was not searched: too much text]'].join('\n'));
      const content = textOf(use.directory, place);
      total += content.length;
      matches.push(...matchesIn(place.inside, content, wanted.toLowerCase()));
      if (matches.length > MAX_MATCHES) {
        return done([...matches.slice(0, MAX_MATCHES), `[only the first ${MAX_MATCHES} are shown]`].join('\n'));
      }
      // One file at a time, and others in between.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return done(matches.join('\n') || 'Nothing was found.');
  },
};

function folderAt(directory: string, path: string): Place | ToolResult {
  const place = locate(directory, path);
  if (!isPlace(place)) return problem(path, place);
  return statSync(place.path, { throwIfNoEntry: false })?.isDirectory() ? place : problem(path, 'is no folder');
}

/** Empty for what is too large or no text. */
function textOf(directory: string, place: Place): string {
  const file = readWorkspaceFile(directory, place.path, MAX_FILE);
  if (file.kind !== 'read' || file.size > MAX_FILE || file.bytes.includes(0)) return '';
  return file.bytes.toString();
}

/** As `path:line: text`, and no more than can be shown and one. */
function matchesIn(path: string, content: string, wanted: string): string[] {
  if (!content.toLowerCase().includes(wanted)) return [];
  const matches: string[] = [];
  for (const [index, line] of content.split('\n').entries()) {
    const at = line.toLowerCase().indexOf(wanted);
    if (at < 0) continue;
    const from = Math.max(0, Math.min(at - 40, line.length - MAX_LINE));
    if (matches.push(`${path}:${index + 1}: ${line.slice(from, from + MAX_LINE).trim()}`) > MAX_MATCHES) break;
  }
  return matches;
}
