// Where remote agents say that something has changed. A callback only means "look now": its token is checked, and nothing
// of what it says is believed.
import { createHash, timingSafeEqual } from 'node:crypto';
import express, { type Router } from 'express';
import { AppError } from '../../../src/errors.js';
import type { Doors, ErrorWriter } from '../../../src/http/door.js';
import type { Ledger } from '../../../src/ledger/ledger-port.js';

export const CALLBACK_PATH = '/api/a2a/callback';

const NOTHING = createHash('sha256').update('no token').digest();

export function callbackRouter(
  { ledger, doors }: { ledger: Pick<Ledger, 'get'>; doors: Pick<Doors, 'open'> },
  write: ErrorWriter,
  watches: { taskOf(watchId: string): string | undefined; look(taskId: string): void },
): Router {
  const router = express.Router();
  router.post('/:watchId', doors.open(write), (req, res) => {
    const watchId = String(req.params['watchId']);
    const taskId = watches.taskOf(watchId);
    const watch = taskId === undefined ? undefined : ledger.get(taskId)?.envelope.watch;
    const hash = watch?.id === watchId ? watch.tokenHash : undefined;
    const token = req.get('X-A2A-Notification-Token') ?? '';
    // An unknown watch and a wrong token take the same way to the same answer.
    const known = hash === undefined ? NOTHING : Buffer.from(hash, 'hex');
    const right = timingSafeEqual(createHash('sha256').update(token).digest(), known);
    req.resume();
    if (taskId === undefined || hash === undefined || !right) {
      write(new AppError('not-found', 'There is nothing at this address.'), req, res);
      return;
    }
    watches.look(taskId);
    res.status(200).json({});
  });
  return router;
}
