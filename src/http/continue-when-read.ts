// Who waits for word before sending a body (`Expect: 100-continue`) gets it when somebody begins to read, so not before the
// key was looked at. Refused before that, the body never comes: then the connection ends with the answer.
import type { IncomingMessage, ServerResponse } from 'node:http';

export function continueWhenRead(req: IncomingMessage, res: ServerResponse): void {
  const keepAlive = res.shouldKeepAlive;
  res.shouldKeepAlive = false;
  const onListener = (event: string | symbol): void => {
    if ((event !== 'data' && event !== 'readable') || res.headersSent) return;
    req.off('newListener', onListener);
    res.shouldKeepAlive = keepAlive;
    res.writeContinue();
  };
  req.on('newListener', onListener);
}
