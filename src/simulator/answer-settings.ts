import type { Settings } from '../config/settings.ts'

/** The settings that decide answers. Those of sockets, bounds and logs do not: a bundle has each body as it was read. */
export const answerSettings = [
  'seed',
  'plan',
  'maxAnalysesPerHour',
  'analysesWindow',
  'models',
  'strict',
  'simHeaders',
  'xRateLimit',
] as const satisfies readonly (keyof Settings)[]
