/**
 * The settings of a server.
 *
 * setting.ts has the kinds of settings: text, integer, ...
 */
import { endSettings } from './end-settings.ts'
import { sharedSettings } from './library-settings.ts'
import { defaultsOf, flagOf, type Setting, type SettingSources } from './setting.ts'

/** The settings of a server by their names; `startSimulator` takes all but those of the end of the process. */
export const serverSettings = { ...sharedSettings, ...endSettings }

/** Returns the default of every setting of a server. */
export const defaultSettings = () => defaultsOf(serverSettings)

/** The values of the settings of a server. */
export type Settings = ReturnType<typeof defaultSettings>

/** Returns the environment variable of a setting, `CONVSIM_PORT`; undefined for one that no server has. */
export function variableOf(name: string): string | undefined {
  if (!Object.hasOwn(serverSettings, name)) return undefined
  return `CONVSIM_${flagOf(name).slice(2).replaceAll('-', '_').toUpperCase()}`
}

/** Returns the default of a setting as help and documentation show it. */
export function defaultOf(setting: Setting<unknown>): string {
  return setting.defaultText ?? String(setting.default ?? 'none')
}

/**
 * Finds a setting that has no effect beside the others, or that a state in Redis cannot have. A variable without effect
 * may be for other commands, so it is not refused.
 */
export function findServerProblem(settings: Settings, sources: SettingSources): string | undefined {
  const { state, sync, fixtures, maxAnalysesPerHour } = settings
  const isRedis = /^rediss?:/i.test(state)
  const redis = isRedis ? undefined : 'a state in Redis: --state redis://HOST:PORT/DATABASE'
  const needs = {
    statePrefix: redis,
    replica: redis,
    sync: state === ':memory:' && sync ? 'a state on a disk: --state FILE' : undefined,
    // Plans of the fixtures can have limits.
    analysesWindow: (fixtures ?? maxAnalysesPerHour) ? undefined : 'a limit: --max-analyses-per-hour N',
  }
  const useless = Object.entries(needs).find(([name, need]) => need && sources.get(name)?.startsWith('--'))
  if (useless) return `${sources.get(useless[0])} needs ${useless[1]}.`
  if (!isRedis || !sync) return undefined
  return (
    `${sources.get('sync')} takes no state in Redis (${sources.get('state')}): ` +
    'Redis decides when a change is on its disk. Set its appendfsync to always.'
  )
}
