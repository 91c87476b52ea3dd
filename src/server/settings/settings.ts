/** The settings of a server. `setting.ts` has the kinds of settings: text, integer, ... */
import { parseOrigins } from '../../base/core/origins.ts'
import type { PageSettings } from '../../service/exchange/refusals.ts'
import { parseReportTargets, reportExtensions, reportFormats } from '../reports/formats/index.ts'
import { expectedFailOn, failOnKinds, parseFailOn } from '../reports/reported-run.ts'
import { sharedSettings } from './library-settings.ts'
import {
  boolean,
  defaultsOf,
  flagOf,
  type Setting,
  type SettingSources,
  type SettingTable,
  splitList,
  text,
} from './setting.ts'

/** The settings for the end of a server's process: reports and exit code. */
export const endSettings = {
  report: text({
    value: 'FILE',
    repeatable: true,
    files: {
      areWritten: true,
      list: (given = '') => (parseReportTargets(given) ?? []).map(({ file }) => file),
    },
    test: (text) => parseReportTargets(text) !== undefined,
    expected: `files with the extension ${reportExtensions}, or FORMAT=FILE, with commas between them`,
    description:
      'A report on the clients of all sandboxes, written at the end; can be given several times. ' +
      `The extension selects the format: ${reportExtensions}. ` +
      'With other file names, prefix the format, as in markdown=FILE ' +
      `(${Object.keys(reportFormats).join(', ')}).`,
  }),
  failOn: text({
    value: 'KIND,...',
    test: (text) => parseFailOn(text) !== undefined,
    expected: expectedFailOn,
    names: failOnKinds,
    explain: (text) => (splitList(text).includes('coverage') ? 'coverage needs a limit: coverage<80' : undefined),
    description:
      'Exit with 3 if a condition is met: a request broke the contract (violation), ' +
      'a response was not expected (unexpected), ' +
      'a client retried or identified itself wrongly (retry), ' +
      'a client sent what a careful one does not (advice), less than N% of the contract was covered (coverage<N), ' +
      'or no request came (no-requests), which every gate includes.',
  }),
  allowNoRequests: boolean({
    default: false,
    description: 'Accept a run in which no request reached the simulator; otherwise --fail-on exits with 3.',
  }),
} as const satisfies SettingTable

export const serverSettings = { ...sharedSettings, ...endSettings }

export const defaultSettings = () => defaultsOf(serverSettings)

export type Settings = ReturnType<typeof defaultSettings>

export function readPages({ controlHosts, controlOrigins, cors }: Settings, isProxy: boolean): PageSettings {
  const origins = parseOrigins(controlOrigins ?? '') ?? []
  const allowed = isProxy ? origins : '*'
  return { hosts: splitList(controlHosts), origins, cors: cors ? allowed : [] }
}

/** Returns the environment variable of a setting, `CONVSIM_PORT`; undefined if it is not a server's setting. */
export function variableOf(name: string): string | undefined {
  if (!Object.hasOwn(serverSettings, name)) return undefined
  return `CONVSIM_${flagOf(name).slice(2).replaceAll('-', '_').toUpperCase()}`
}

export function defaultOf(setting: Setting<unknown>): string {
  return setting.defaultText ?? String(setting.default ?? 'none')
}

/**
 * Finds a flag that has no effect without another setting, or that does not work with Redis. A variable without effect
 * is accepted, since it may be meant for other commands.
 */
export function findServerProblem(settings: Settings, sources: SettingSources): string | undefined {
  const { state, sync, fixtures, maxAnalysesPerHour } = settings
  const isRedis = /^rediss?:/i.test(state)
  const redis = isRedis ? undefined : 'a state in Redis: --state redis://HOST:PORT/DATABASE'
  const needs = {
    statePrefix: redis,
    replica: redis,
    sync: state === ':memory:' && sync ? 'a state on disk: --state FILE' : undefined,
    // Plans in the fixtures can have limits.
    analysesWindow: (fixtures ?? maxAnalysesPerHour) ? undefined : 'a limit: --max-analyses-per-hour N',
  }
  const useless = Object.entries(needs).find(([name, need]) => need && sources.get(name)?.startsWith('--'))
  if (useless) return `${sources.get(useless[0])} needs ${useless[1]}.`
  if (!isRedis || !sync) return undefined
  return (
    `${sources.get('sync')} does not work with a state in Redis (${sources.get('state')}): ` +
    'Redis decides when a change is on its disk. Set its appendfsync to always.'
  )
}
