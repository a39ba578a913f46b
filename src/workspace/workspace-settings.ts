// What a workspace.json document says, with every default filled in; unknown members are ignored.
import { z } from 'zod';
import { secondsOf } from '../duration.js';
import { driverSettings } from './driver-settings.js';
import type { Reading } from './owner-json.js';
import type { WorkspaceSettings } from './settings.js';

const count = z.number().int().nonnegative();
const names = z.array(z.string());

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

const schema = z.object({
  driver: driverSettings.default({ name: 'scripted' }),
  exposed: z.boolean().default(true),
  publicCard: z.boolean().default(true),
  extendedCard: z.boolean().default(true),
  timeZone: z.string().refine(isTimeZone, 'not a time zone').optional(),
  approval: z.object({ skills: names.default([]) }).prefault({}),
  queue: count.default(0),
  retention: z.object({ days: z.number().positive(), maxTasks: count }).partial().default({}),
  expireQuestions: z
    .string()
    .refine((text) => secondsOf(text) > 0, 'not a duration such as 7d')
    .optional(),
  quota: z
    .object({
      liveTasksPerCaller: count,
      liveTasks: count,
      concurrentTurns: count,
      tasks: count,
      taskBytes: count,
      inboxFiles: count,
      inboxBytes: count,
    })
    .partial()
    .default({}),
  tools: z.object({ shell: z.boolean().default(false), writeStanding: z.boolean().default(false) }).prefault({}),
  callAgents: names.default([]),
});

/** The settings of a workspace without the file. */
export const defaultSettings = (): WorkspaceSettings => schema.parse({}) as WorkspaceSettings;

/** Settings nobody but the operator can make use of: for a file that was never readable, and for no workspace at all. */
export const closedSettings = (): WorkspaceSettings => ({
  ...defaultSettings(),
  exposed: false,
  publicCard: false,
  unknown: true,
});

export interface SettingsReading {
  settings: WorkspaceSettings;
  problems: string[];
}

/** Keeps the last good state while the file can't be used; closed when there never was one. */
export function readSettings({ document, problem }: Reading, last: SettingsReading | undefined): SettingsReading {
  if (problem === undefined && !document) return { settings: defaultSettings(), problems: [] };
  const parsed = schema.safeParse(document ?? {});
  if (problem === undefined && parsed.success) return { settings: parsed.data as WorkspaceSettings, problems: [] };
  const why = problem ?? parsed.error?.issues.map(({ path }) => `"${path.join('.')}" is not valid`).join(', ') ?? '';
  const state = last ? 'the last good settings stay in force' : 'the workspace stays closed to callers';
  return { settings: last?.settings ?? closedSettings(), problems: [`${why}; ${state}`] };
}
