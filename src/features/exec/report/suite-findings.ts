import { pluralize } from '../../../server/reports/report.ts'
import type { SuiteFailCondition } from '../parse-suite-fail-on.ts'
import { nameRun, type PlannedRun } from '../plan/plan.ts'
import { type JudgedRun, type SuiteReport, swallowed } from './suite-report.ts'
import { findingOf } from './verdict.ts'

/**
 * The kinds of findings. `client`: the client broke a rule while it met the fault. `unrepeatable`: the command failed
 * without it. `unsteady`: two runs disagree.
 */
type SuiteFindingKind = SuiteFailCondition['kind'] | 'client' | 'unrepeatable' | 'unsteady'

/** A run that needs a look, in words. */
export interface SuiteFinding {
  /** The name of the run: `resilience:reset@createEvent#2`. */
  readonly name: string
  readonly kind: SuiteFindingKind
  readonly sentence: string
  readonly repeat: string
  readonly client: readonly string[]
  readonly lastLines: readonly string[]
  readonly requests: readonly string[]
}

/** Lists the findings in the order of the plan. */
export function listFindings({ runs, repeat, limitMs }: SuiteReport): SuiteFinding[] {
  return runs.flatMap((judged) => {
    const kind = findingKindOf(judged)
    if (!kind) return []
    const { client, lastLines, requests } = judged
    const name = nameRun(judged.run)
    const sentence = describeFinding(kind, judged, limitMs)
    return [{ name, kind, sentence, repeat: repeat(name), client, lastLines, requests }]
  })
}

function findingKindOf({ verdict, code, client }: JudgedRun): SuiteFindingKind | undefined {
  const kind = findingOf(verdict)
  if (kind) return kind
  if (verdict === 'unsteady') return verdict
  if (verdict === 'not-reached' && code !== 0) return 'unrepeatable'
  return client.length > 0 ? 'client' : undefined
}

function describeFinding(kind: SuiteFindingKind, judged: JudgedRun, limitMs: number): string {
  const { run, verdict, code, responses } = judged
  const { definition, text } = run.fault.scenario
  const fault = `"${text}" was injected into ${describeFaultPlace(run)}`
  const before = `before "${text}" could be injected into ${describeFaultPlace(run)}`
  const late = `did not end within ${limitMs / 1000} s`
  switch (kind) {
    case 'not-resilient':
      return verdict === 'never-succeeded'
        ? `Not resilient: ${swallowed}: ${fault}, and ${describeSwallowing(judged)}. ${definition.description}`
        : `Not resilient: the command failed with exit code ${code} when ${fault}. ${definition.description}`
    case 'unnoticed':
      return `Nobody noticed: the command passed although ${fault}. ${definition.description}`
    case 'hung':
      return `Hung: the command ${late}, ${responses ? `and ${fault}. ${definition.description}` : `${before}.`}`
    case 'unrepeatable':
      return `Not repeatable: the command failed with exit code ${code} ${before}.`
    case 'unsteady':
      return `Unsteady: in one of two runs ${describeOdd(judged, limitMs)}, so this says nothing about the fault.`
    case 'client':
      return `The client broke a rule when ${fault}. ${definition.description}`
  }
}

/** Describes the one of two runs that disagree which is red, or else lacks a good response or the fault. */
function describeOdd({ run, code, isTimedOut, responses }: JudgedRun, limitMs: number): string {
  const { text } = run.fault.scenario
  const place = describeFaultPlace(run)
  const isGreen = code === 0 && !isTimedOut
  const end = isTimedOut ? `did not end within ${limitMs / 1000} s` : `failed with exit code ${code}`
  if (responses)
    return `${isGreen ? 'the call never succeeded' : `the command ${end}`} when "${text}" was injected into ${place}`
  return isGreen
    ? `"${text}" was not injected into ${place}`
    : `the command ${end} before "${text}" could be injected into ${place}`
}

/**
 * Describes a faulted call that got no good response: `the response that broke off was swallowed: the command got 1
 * good response to such calls instead of 2`.
 */
function describeSwallowing({ run: { fault }, responses }: JudgedRun): string {
  const effect = fault.scenario.definition.effect(fault.scenario.values)
  const isCutOff = effect.kind === 'deliver' && ['truncated', 'malformed'].includes(effect.mode.kind)
  const { got = 0, expected = 0 } = responses ?? {}
  const counts = `the command got ${pluralize(got, 'good response')} to such calls instead of ${expected}`
  return isCutOff ? `the response that broke off was swallowed: ${counts}` : counts
}

/** Describes a fault's place: `request 2 of createEvent`, `/avgSafetyScore in the responses of getModelAnalytics`. */
function describeFaultPlace({ operation, occurrence, pointer }: PlannedRun): string {
  return pointer === undefined ? `request ${occurrence} of ${operation}` : `${pointer} in the responses of ${operation}`
}

/** The beginnings of what test runners print about a failed assertion, the surest first. */
const signs = [
  /^ *not ok|AssertionError|ExpectationError|^E {2}|panic:/,
  /\u2716|\u25cf|--- FAIL|^ *FAIL/,
  /\b[A-Z]\w*Error\b|expected/i,
]

/**
 * Returns the index from which the output of a test runner tells the assertion that failed, with the name of its test
 * above it, if any. The last lines of many runners are counts.
 */
export function findFailure(lines: readonly string[]): number | undefined {
  const found = signs.map((sign) => lines.findIndex((line) => sign.test(line))).find((index) => index >= 0)
  return found === undefined ? undefined : Math.max(0, found - 2)
}
