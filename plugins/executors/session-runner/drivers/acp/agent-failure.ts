// An agent's error as its caller may read it: short, and without the data that came along. Known secrets are taken out
// by the host.
import type { RequestError } from '@agentclientprotocol/sdk';

const AUTH_REQUIRED = -32_000;
const SHOWN = 300;

export function agentFailure({ code, message }: Pick<RequestError, 'code' | 'message'>): {
  text: string;
  code: string;
} {
  if (code === AUTH_REQUIRED) {
    return { text: 'The agent wants a login: log in with its own command, as the same user.', code: 'agent-login' };
  }
  return { text: `The agent reported an error: ${message.slice(0, SHOWN)}`, code: 'agent-error' };
}
