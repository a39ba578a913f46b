// The doors in front of a plugin's routes: who may pass, and how bodies are read.
import type { RequestHandler } from 'express';
import { createErrorWriters } from '../http/error-writers.js';
import { AUDIENCES, type Audience, type Core } from '../plugin.js';

/** Throws an Error for an audience that there is not. */
export function audienceDoors(audience: Audience, { doors, log }: Pick<Core, 'doors' | 'log'>): RequestHandler[] {
  if (!AUDIENCES.includes(audience)) throw new Error(`routes are for one of ${AUDIENCES.join(', ')}`);
  if (audience === 'public') return [];
  const write = createErrorWriters(log).operator;
  return [audience === 'callers' ? doors.caller(write) : doors.operator(write), doors.json(write)];
}
