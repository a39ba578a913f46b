// The agent's own id of a conversation, kept in `.a2a/acp/` so that the conversation is found again after a restart.
// Written before the first prompt goes out: a crash later leaves an id that is known, one before leaves nothing behind.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../../../../src/errors.js';
import { writePrivateFile } from '../../../../../src/private-files.js';
import { isObject } from '../../../../../src/read-json.js';
import { textAt } from './text-at.js';

const MAX_ID = 1_000;

export class RememberedSession {
  /**
   * @param directory of the workspace
   * @param name of the conversation's file, without ending
   * @param agent whatever tells one agent from another: its ids mean nothing to the next
   */
  constructor(
    private readonly directory: string,
    private readonly name: string,
    private readonly agent: readonly unknown[],
  ) {}

  /** Undefined when there is none, when it is another agent's, or when the file makes no sense. */
  read(): string | undefined {
    try {
      const content: unknown = JSON.parse(readFileSync(this.file, 'utf8'));
      if (!isObject(content) || content.v !== 1 || content.agent !== this.fingerprint) return undefined;
      const id = textAt(content, 'sessionId');
      return id !== undefined && id.length <= MAX_ID ? id : undefined;
    } catch {
      return undefined;
    }
  }

  /** Throws when it can't be written; a workspace that was taken away does not come back. */
  write(sessionId: string): void {
    makeFolder(this.folder);
    const content = { v: 1, agent: this.fingerprint, sessionId };
    writePrivateFile(this.file, `${JSON.stringify(content)}\n`);
  }

  private get folder(): string {
    return join(this.directory, '.a2a', 'acp');
  }

  private get file(): string {
    return join(this.folder, `${this.name}.json`);
  }

  private get fingerprint(): string {
    return createHash('sha256').update(JSON.stringify(this.agent)).digest('hex').slice(0, 16);
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}
