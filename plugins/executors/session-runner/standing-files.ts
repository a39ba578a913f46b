// The standing context of a workspace: the owner's own words that every session is given.
import { readWorkspaceFile } from './workspace-file.js';

export interface StandingFile {
  name: string;
  text: string;
}

/** Bytes of one standing file that a session is given; the rest is left out, and the text says so. */
const MAX_BYTES = 64 * 1024;

/**
 * `AGENTS.md` (else `CLAUDE.md`), `PERSONA.md` and `MEMORY.md`, as far as they exist. A file that may not be read, e.g. a
 * symlink that leads out of the workspace, is reported through `refused` and left out.
 */
export function readStandingFiles(directory: string, refused: (name: string, reason: string) => void): StandingFile[] {
  const read = (name: string): StandingFile | undefined => {
    const file = readWorkspaceFile(directory, name, MAX_BYTES, { severalNames: true });
    if (file.kind === 'refused') refused(name, file.reason);
    if (file.kind !== 'read') return undefined;
    const cut = file.size > MAX_BYTES;
    // A streaming decode leaves out a character that the cut went through.
    const text = new TextDecoder().decode(file.bytes, { stream: cut }).trim();
    return { name, text: cut ? `${text}\n[${name} is longer than ${MAX_BYTES} bytes; the rest is left out.]` : text };
  };
  const instructions = read('AGENTS.md') ?? read('CLAUDE.md');
  const files = [instructions, read('PERSONA.md'), read('MEMORY.md')];
  return files.filter((file): file is StandingFile => file !== undefined && file.text !== '');
}
