/** `server/settings/`: the settings of a server. `setting.ts` defines kinds of settings, such as text and integer. */
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

/** The settings that apply when a server's process ends: the reports and the exit code. */
export const endSettings = {
  report: text({
    value: 'FILE',
    repeatable: true,
    files: {
      areWritten: true,
      list: (given = '') => (parseReportTargets(given) ?? []).map(({ file }) => file),
    },
    test: (text) => parseReportTargets(text) !== undefined,
    expected: `files with the extension ${reportExtensions}, or FORMAT=FILE, separated by commas`,
    description:
      'File for a report on the clients in all sandboxes, written when convsim exits; can be specified several ' +
      `times. The extension selects the format: ${reportExtensions}. ` +
      `For other file names, put the format (${Object.keys(reportFormats).join(', ')}) ` +
      'in front, as in markdown=FILE.',
  }),
  failOn: text({
    value: 'KIND,...',
    test: (text) => parseFailOn(text) !== undefined,
    expected: expectedFailOn,
    names: failOnKinds,
    explain: (text) => (splitList(text).includes('coverage') ? 'coverage needs a limit, as in coverage<80' : undefined),
    description:
      'Exit with code 3 if a condition is met: a request broke the contract (violation), ' +
      'a response was unexpected (unexpected), a client broke a retry rule (retry), ' +
      'a rule was never applied (unmet), a client sent a request that a careful client would not send (advice), ' +
      'less than N% of the contract was covered (coverage<N), ' +
      'or no request was received (no-requests, implied by --fail-on).',
  }),
  allowNoRequests: boolean({
    default: false,
    description:
      'Accept a run in which no request reached the simulator; ' +
      'otherwise, such a run exits with code 3 if --fail-on is set.',
  }),
} as const satisfies SettingTable

export const serverSettings = { ...sharedSettings, ...endSettings }

export const defaultSettings = () => defaultsOf(serverSettings)

export type Settings = ReturnType<typeof defaultSettings>

export function readPageSettings({ controlHosts, controlOrigins, cors }: Settings, isProxy: boolean): PageSettings {
  const origins = parseOrigins(controlOrigins ?? '') ?? []
  const allowed = isProxy ? origins : '*'
  return { hosts: splitList(controlHosts), origins, cors: cors ? allowed : [] }
}

/** Returns the environment variable of a server setting, such as `CONVSIM_PORT`; undefined for other settings. */
export function variableOf(name: string): string | undefined {
  if (!Object.hasOwn(serverSettings, name)) return undefined
  return `CONVSIM_${flagOf(name).slice(2).replaceAll('-', '_').toUpperCase()}`
}

export function formatDefault(setting: Setting<unknown>): string {
  return setting.defaultText ?? String(setting.default ?? 'none')
}

/**
 * Describes the first problem, if any: a flag that has no effect without another setting, or `sync` with state in
 * Redis. A variable that has no effect is accepted, since it may be meant for other commands.
 */
export function findServerSettingsProblem(settings: Settings, sources: SettingSources): string | undefined {
  const { state, sync, fixtures, maxAnalysesPerHour } = settings
  const isRedis = /^rediss?:/i.test(state)
  const redis = isRedis ? undefined : 'state in Redis: --state redis://HOST:PORT/DATABASE'
  const requirements = {
    statePrefix: redis,
    replica: redis,
    sync: state === ':memory:' && sync ? 'state on disk: --state FILE' : undefined,
    // Plans in custom fixtures can have limits; the bundled plans have none.
    analysesWindow: (fixtures ?? maxAnalysesPerHour) ? undefined : 'a limit: --max-analyses-per-hour N',
  }
  const unmet = Object.entries(requirements).find(([name, need]) => need && sources.get(name)?.startsWith('--'))
  if (unmet) return `${sources.get(unmet[0])} needs ${unmet[1]}.`
  if (!isRedis || !sync) return undefined
  return (
    `${sources.get('sync')} does not work with state in Redis (${sources.get('state')}): ` +
    'Redis decides when a change is written to disk. In Redis, set appendfsync to "always".'
  )
}
