// The secrets that sign callers' webhooks: made, replaced and taken away; each shown once, when it is made.
import { AppError } from '../../../src/errors.js';
import { MINTED_WEBHOOK_SECRET, REMOVED_CALLER } from '../../../src/caller-wire.js';
import type { Core } from '../../../src/plugin.js';
import { route, type Route } from './route.js';

const PATH = '/callers/:workspace/:name/webhook-secret';

export function webhookSecretRoutes(core: Pick<Core, 'callers'>): Route[] {
  return [
    route({
      method: 'post',
      path: PATH,
      summary: 'Give the caller a fresh webhook secret in place of the one it had.',
      answer: MINTED_WEBHOOK_SECRET,
      status: 201,
      refusals: [404],
      run: async ({ params }) => {
        const { workspace, name } = params as { workspace: string; name: string };
        const webhookSecret = await core.callers.newWebhookSecret(workspace, name);
        return { status: 201, body: { id: `${workspace}/${name}`, webhookSecret } };
      },
    }),
    route({
      method: 'delete',
      path: PATH,
      summary: "Take the caller's webhook secret away: its webhooks are not signed any more.",
      answer: REMOVED_CALLER,
      status: 200,
      refusals: [404],
      run: async ({ params }) => {
        const { workspace, name } = params as { workspace: string; name: string };
        if (!(await core.callers.removeWebhookSecret(workspace, name))) {
          throw new AppError('not-found', 'The caller has no webhook secret.');
        }
        return { status: 200, body: { id: `${workspace}/${name}` } };
      },
    }),
  ];
}
