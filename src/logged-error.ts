// An error as a log line shows it: its texts and its plain members, whatever was thrown and however much it holds.
import { pino } from 'pino';
import { clipped, errorText, readable } from './errors.js';

/** Never throws. What is no error is shown as its text. */
export function loggedError(thrown: unknown, redact: (text: string) => string): unknown {
  const told = (text: string): string => clipped(redact(text));
  try {
    const error = readable(thrown);
    if (!(error instanceof Error)) return told(errorText(error));
    const shown = Object.entries(pino.stdSerializers.err(error)).flatMap(([name, value]: [string, unknown]) => {
      if (typeof value === 'string') return [[name, told(value)] as const];
      return ['number', 'boolean'].includes(typeof value) || name === 'details' ? [[name, value] as const] : [];
    });
    return Object.fromEntries(shown);
  } catch {
    return { message: told(errorText(thrown)) };
  }
}
