import type { CommandLineOf } from '../../command-line/parser/program.ts'
import { expectedFailOn, type FailCondition, failOnKinds, parseFailOn } from '../../server/reports/reported-run.ts'
import { duration, integer, type SettingTable, text, type ValuesOf } from '../../server/settings/setting.ts'
import { serverSettings } from '../../server/settings/settings.ts'

// PATH is refused, because no command would be found if PATH were the base URL.
const areNames = (text: string) => /^(?!PATH(,|$))[A-Za-z_]\w*(,(?!PATH(,|$))[A-Za-z_]\w*)*$/.test(text)

/** The settings of `exec`: its own, and the simulator's, some of which have different defaults here. */
export const execSettings = {
  env: text({
    value: 'NAME',
    repeatable: true,
    test: areNames,
    expected: 'the name of an environment variable other than PATH',
    description: 'A variable to set to the base URL, in addition to CONVSIM_BASE_URL; can be specified several times.',
  }),
  ...serverSettings,
  // PORT and HOST are meant for the command, not for its simulator.
  port: { ...serverSettings.port, default: 0, alsoEnv: undefined },
  host: { ...serverSettings.host, alsoEnv: undefined, description: 'Address to listen on.' },
  state: { ...serverSettings.state, default: ':memory:' },
  logLevel: { ...serverSettings.logLevel, default: 'warn' },
  logFormat: { ...serverSettings.logFormat, default: 'pretty', defaultText: 'pretty' },
} as const satisfies SettingTable

/** The conditions of `--fail-on` that only `each` can judge. */
const suiteFailKinds = ['not-resilient', 'unnoticed', 'hung'] as const

/** A condition that is met if more than `above` percent of the relevant conclusive runs have a verdict of this kind. */
export interface SuiteFailCondition {
  readonly kind: (typeof suiteFailKinds)[number]
  readonly above: number
}

export type SuiteGate = FailCondition | SuiteFailCondition

/** Parses the `--fail-on` conditions of `each`. Returns undefined if any of them is invalid. */
export function parseSuiteFailOn(text: string): readonly SuiteGate[] | undefined {
  const names = new Set(text.split(',').map((part) => part.trim()))
  const parts = [...names].map((part) => parseSuiteCondition(part) ?? parseFailOn(part))
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined
}

function parseSuiteCondition(text: string): SuiteFailCondition | undefined {
  const [, name, percent = '0'] = /^([a-z-]+)(?:\s*>\s*(\d{1,3}(?:\.\d)?))?$/.exec(text) ?? []
  const kind = suiteFailKinds.find((known) => known === name)
  return kind && Number(percent) <= 100 ? { kind, above: Number(percent) } : undefined
}

// `each` lacks these settings: each run has its own state in memory, and no fault can be injected without requests.
const { state, statePrefix, replica, sync, allowNoRequests, ...inheritedSettings } = execSettings

export const eachSettings = {
  set: text({
    value: 'SET,...',
    default: 'resilience,drift',
    repeatable: true,
    description:
      'Faults to inject: resilience, drift, extremes, any family of scenarios, or scenarios such as "slow;ms=500".',
  }),
  only: text({
    value: 'FAULT@TARGET',
    repeatable: true, // joins several values, so that `findEachProblem` can refuse them
    description:
      'Inject only this fault, ' +
      'such as drift:drop-field@getModelAnalytics/avgSafetyScore or resilience:reset@createEvent#2.',
  }),
  maxRuns: integer({
    defaultText: 'all',
    min: 1,
    max: 1_000_000,
    description: 'The maximum number of runs with a fault; the seed selects the runs. A repeated run counts once.',
  }),
  time: duration({
    defaultText: 'unlimited',
    description:
      'The time after which no further fault is tested; ' +
      'the initial fault-free runs must finish within this time. The seed determines the order of the faults.',
  }),
  runTimeout: duration({
    defaultText: 'ten times the duration of a fault-free run, at least 10s; 10m for the initial fault-free runs',
    description: 'The time after which a run is killed and counts as hung.',
  }),
  jobs: integer({
    default: 1,
    min: 1,
    max: 64,
    description: 'The number of parallel runs, each with its own simulator and port.',
  }),
  ...inheritedSettings,
  failOn: {
    ...serverSettings.failOn,
    expected:
      `${expectedFailOn}; also not-resilient, unnoticed and hung, ` +
      'each alone or with a percentage, such as unnoticed>20',
    names: [...failOnKinds, ...suiteFailKinds],
    read: (text) => (parseSuiteFailOn(text) ? text : undefined),
    description:
      `${serverSettings.failOn.description.slice(0, -1)}; there are three more conditions: a fault was not handled ` +
      '(not-resilient), was not noticed (unnoticed) or hung the suite (hung); add >N to tolerate N% of the faults.',
  },
} as const satisfies SettingTable

export type EachSettings = ValuesOf<typeof eachSettings>

export type EachLine = CommandLineOf<EachSettings>

export type ExecLine = CommandLineOf<ValuesOf<typeof execSettings>>
