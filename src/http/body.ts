// Reads a JSON body: bounded, of the right type, strictly parsed. Leaves the request's stream finished, which is what
// makes any later body parser skip it.
import type { Request, RequestHandler } from 'express';
import { AppError } from '../errors.js';
import type { ErrorWriter } from './door.js';
import { parseStrict } from '../strict-json.js';

interface JsonBodyOptions {
  /** Bytes. */
  limit: number;
  /** Accepted media types, lower case. A request without Content-Type is read as JSON. */
  types: readonly string[];
}

/** A middleware that fills `req.body` and `req.rawBody`; both stay undefined when there is no body. */
export function jsonBody(writeError: ErrorWriter, options: JsonBodyOptions): RequestHandler {
  return async (req, res, next) => {
    try {
      if (hasBody(req)) {
        checkHeaders(req, options);
        const bytes = await readBytes(req, options.limit);
        if (bytes.length > 0) {
          req.rawBody = bytes;
          const { value, refusal } = parseStrict(bytes);
          req.body = value;
          if (refusal) throw refusal;
        }
      }
    } catch (error) {
      writeError(error, req, res);
      return;
    }
    next();
  };
}

const hasBody = (req: Request): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

function checkHeaders(req: Request, { limit, types }: JsonBodyOptions): void {
  const type = req.headers['content-type'];
  if (type !== undefined) {
    const [media = '', ...parameters] = type.toLowerCase().split(';');
    if (!types.includes(media.trim())) {
      throw new AppError('unsupported-media-type', `The body must be ${types.join(' or ')}.`);
    }
    const charset = parameters
      .map((parameter) => parameter.trim())
      .find((parameter) => parameter.startsWith('charset='));
    if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
      throw new AppError('unsupported-media-type', 'The body must be UTF-8.');
    }
  }
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new AppError('unsupported-media-type', 'A compressed body is not accepted.');
  }
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
}

const tooLarge = (limit: number): AppError => new AppError('too-large', `The body is larger than ${limit} bytes.`);

const interrupted = (): AppError => new AppError('parse-error', 'The connection closed before the body ended.');

/** The whole body. Throws AppError `too-large`; what remains unread is discarded once the response is out. */
function readBytes(req: Request, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (error?: Error): void => {
      req.off('data', onData).off('end', onEnd).off('error', settle).off('close', onClose);
      if (error instanceof AppError) reject(error);
      else if (error) reject(interrupted());
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) {
        settle(tooLarge(limit));
        return;
      }
      chunks.push(chunk);
    };
    const onEnd = (): void => settle();
    const onClose = (): void => settle(interrupted());
    req.on('data', onData).on('end', onEnd).on('error', settle).on('close', onClose);
  });
}
