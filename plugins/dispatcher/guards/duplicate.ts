// Guard 3: a message that was accepted before is answered by its task; the same id with other content is a mistake. A
// configuration may take ids of callers' messages for what they are; what the switchboard itself sends is always told apart.
import { messageHash } from '../../../src/ledger/message-hash.js';
import { refuse, type Guard } from '../guard.js';

export const duplicate: Guard = {
  name: 'duplicate',
  check({ request }, { core }) {
    if (request.decision !== undefined) return undefined;
    if (request.surface === 'a2a' && !core.config.idempotentSend) return undefined;
    const known = core.ledger.findMessage(request.caller, request.message.messageId);
    if (!known) return undefined;
    if (known.hash === messageHash(request.message)) return { duplicateOf: known.taskId };
    return refuse('invalid-params', 'This messageId was used before for another message.', {
      violations: [{ field: 'message.messageId', description: 'was used for other content within the last day' }],
    });
  },
};
