// The doors in front of a plugin's routes: who may pass, and how bodies are read.
import type { RequestHandler } from 'express';
import { createErrorWriters } from '../http/error-writers.js';
import type { Audience, Core } from '../plugin.js';

export function audienceDoors(audience: Audience, { doors, log }: Pick<Core, 'doors' | 'log'>): RequestHandler[] {
  if (audience === 'public') return [];
  const write = createErrorWriters(log).operator;
  return [audience === 'callers' ? doors.caller(write) : doors.operator(write), doors.json(write)];
}
