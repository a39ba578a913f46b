// Bounds how long a finished answer may wait for its reader. While an answer is still being written nothing here counts:
// a stream may be quiet for as long as it likes, and whoever writes it looks after a reader that falls behind.
import type { RequestHandler } from 'express';
import type { ServerResponse } from 'node:http';

/** A reader that takes nothing for this long, in milliseconds, is cut off. */
export const STALL_MS = 30_000;

/** A middleware for all routes. A reader that takes its time, but takes, is never cut off. */
export function cutOffStalledReaders(stallMs = STALL_MS): RequestHandler {
  return (_req, res, next) => {
    // One shared function, so that a quiet stream carries no closure for this.
    res.on('prefinish', watch);
    next();
  };

  /** All of the answer is with the socket; what the kernel did not take waits for the reader. */
  function watch(this: ServerResponse): void {
    const { socket } = this;
    if (!socket || socket.writableLength === 0) return;
    const before = socket.timeout ?? 0;
    // Node counts a socket as idle only when not a byte has left since.
    this.setTimeout(stallMs, () => this.destroy());
    // Before Node sets the timeout of an idle connection, or hands the socket to the next answer in line.
    this.prependOnceListener('finish', () => socket.setTimeout(before));
  }
}
