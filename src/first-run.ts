// The first run of a home: with no workspace at all, a demo one with one caller, so that there is something to talk to.
import type { CallerDirectory } from './workspace/callers.js';
import type { WorkspaceDirectory } from './workspace/directory.js';

interface FirstRun {
  workspace: string;
  /** Absolute path of the workspace. */
  path: string;
  /** Id of its one caller. */
  caller: string;
  /** That caller's key; stored nowhere in this form. */
  key: string;
}

const AGENTS_MD = `# demo

You are the demo assistant of this switchboard. Answer briefly.

The workspace starts with the scripted driver, which needs no model: it answers "echo: …", or does what a message such
as \`say hello; ask what is your name?\` spells out. Choose another driver in \`.a2a/workspace.json\`.
`;

/** Makes the demo workspace where there is none at all; undefined when there was one. */
export async function prepareFirstRun(home: {
  workspaces: WorkspaceDirectory;
  callers: CallerDirectory;
}): Promise<FirstRun | undefined> {
  const { workspaces, callers } = home;
  if (workspaces.names().length > 0) return undefined;
  const workspace = 'demo';
  // A folder of that name may be there without counting as a workspace, a link for instance: its owner decides.
  workspaces.create(workspace, {
    card: { name: 'Demo', description: 'A scripted assistant that needs no model, to try the switchboard with.' },
    agentsMd: AGENTS_MD,
  });
  const key = await callers.add(workspace, 'guest', { note: 'made at the first start' });
  return { workspace, path: workspaces.path(workspace), caller: `${workspace}/guest`, key };
}

/** What a first start prints: where things are, the key, and three commands that work as they stand in a POSIX shell. */
export function firstRunLines(first: FirstRun, server: { url: string; operatorKeyFile?: string }): string[] {
  const { url, operatorKeyFile } = server;
  const json = `-H 'Content-Type: application/json'`;
  const operator = `-H "X-API-Key: ${operatorKeyFile === undefined ? '$SWITCHBOARD_OPERATOR_KEY' : `$(cat ${quoted(operatorKeyFile)})`}"`;
  const message = { messageId: 'hello-1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const call = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
  const work = { agent: first.workspace, message: 'wait 2000; say done' };
  return [
    '',
    `There was no workspace yet, so this one was made: ${first.path}`,
    `Its caller ${first.caller} has this key, shown only this once: ${first.key}`,
    ...(operatorKeyFile === undefined
      ? ['The operator commands below take the configured key from $SWITCHBOARD_OPERATOR_KEY.']
      : [`The operator's key is in ${operatorKeyFile}`]),
    '',
    'Talk to it as an A2A client:',
    `curl -s ${url}/a2a -H 'A2A-Version: 1.0' -H 'X-API-Key: ${first.key}' ${json} -d ${quoted(JSON.stringify(call))}`,
    '',
    'Talk to it as the operator:',
    `curl -s ${url}/api/a2a/chat ${operator} ${json} -d '${JSON.stringify({ agent: first.workspace, message: 'hello' })}'`,
    '',
    'Hand it work and poll for the answer:',
    `cid=$(curl -s ${url}/api/a2a/delegate ${operator} ${json} -d '${JSON.stringify(work)}' | ` +
      `sed -E 's/.*"cid":"([^"]+)".*/\\1/'); curl -s "${url}/api/a2a/task/$cid?wait=10" ${operator}`,
    '',
  ];
}

/** One word for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
