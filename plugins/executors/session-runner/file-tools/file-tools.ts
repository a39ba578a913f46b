// The tools on a workspace's files that a session of a model without tools of its own is given.
import type { DriverContext, ToolDeclaration, ToolResult } from '../../../../src/authoring/driver.js';
import { FileAccess } from './file-access.js';
import type { FileTool } from './file-tool.js';
import { listFiles, searchFiles } from './find-files.js';
import { readFile } from './read-file.js';
import { shellTool } from './shell.js';
import { editFile, writeFile } from './write-file.js';

type Context = Pick<
  DriverContext,
  'workspace' | 'directory' | 'caller' | 'owner' | 'ownsTask' | 'settings' | 'environment' | 'clock'
>;

export class FileTools {
  private readonly byName: ReadonlyMap<string, FileTool>;
  private readonly access: FileAccess;

  constructor(private readonly context: Context) {
    const { workspace, caller, owner, ownsTask, settings } = context;
    const { shell, writeStanding } = settings.tools;
    this.access = new FileAccess({ workspace, caller, owner, ownsTask, writeStanding });
    const tools = [readFile, writeFile, editFile, listFiles, searchFiles, ...(shell ? [shellTool(context)] : [])];
    this.byName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  get tools(): readonly ToolDeclaration[] {
    return [...this.byName.values()];
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  /** Runs a tool with whatever a model gave as arguments. A bad call is a result that says so. */
  async call(name: string, args: unknown, signal: AbortSignal): Promise<ToolResult> {
    const tool = this.byName.get(name);
    if (!tool) return { ok: false, text: `There is no tool named ${name}.` };
    const given = typeof args === 'object' && args !== null ? (args as Record<string, unknown>) : {};
    return tool.call(given, { directory: this.context.directory, access: this.access, signal });
  }
}
