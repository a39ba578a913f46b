// Passes on what assistants want their owners to know: to the log, and to a webhook where one is configured. A notice is
// a hint and not a record: it is lost when the process ends before it is delivered.
import { definePlugin } from '../../../src/plugin.js';
import { secretsOfWebhook } from '../../../src/secrets/secret-values.js';
import { NoticeWebhook } from './notice-webhook.js';

export const ownerNotifier = definePlugin({
  name: 'owner-notifier',
  consumes: [],
  observes: ['owner.notified'],
  produces: [],
  install({ bus, core, log }) {
    const { notifier } = core.config;
    if (!notifier) return undefined;
    core.capabilities.provide('owner-notices');
    const { webhook } = notifier;
    for (const secret of webhook === undefined ? [] : secretsOfWebhook(webhook)) core.secrets.add(secret);
    const post = webhook === undefined ? undefined : new NoticeWebhook({ url: webhook, net: core.net, log });
    bus.subscribe('owner.notified', (notice) => {
      log.info(notice, 'a session notifies its owner');
      post?.send({ ...notice, at: new Date(core.clock.now()).toISOString() });
    });
    return { stop: () => post?.stop() };
  },
});
