import { redacted } from '../../../base/redaction/redact-token.ts'
import type { PageFinding } from '../../../server/reports/page/page.ts'
import { pluralize } from '../../../server/reports/report.ts'
import { redactWords } from '../../../server/reports/reported-run.ts'
import { flagOf } from '../../../server/settings/setting.ts'
import { nameRun, type PlannedRun } from '../plan/plan.ts'
import { isRed } from '../runs/run-command.ts'
import { eachSettings, type SuiteFailCondition } from '../settings.ts'
import { findingOf, type JudgedRun } from './judge-run.ts'
import { type SuiteReport, swallowedText } from './suite-report.ts'

export interface SuiteFinding extends Pick<JudgedRun, 'client' | 'lastLines' | 'requests'> {
  /** The name of the run, such as `resilience:reset@createEvent#2`. */
  readonly name: string
  /**
   * `client`: the client broke a rule that it did not break in the baseline run. `unrepeatable`: the command failed
   * before the fault was injected. `flaky`: see `SuiteVerdict`.
   */
  readonly kind: SuiteFailCondition['kind'] | 'client' | 'unrepeatable' | 'flaky'
  readonly sentence: string
  readonly repeat: string
}

export function listFindings({ suite, baseline, runs }: SuiteReport): SuiteFinding[] {
  return runs.flatMap((judged) => {
    const kind = findingKindOf(judged)
    if (!kind) return []
    const { client, lastLines, requests } = judged
    const name = nameRun(judged.run)
    const sentence = describeFinding(kind, judged, baseline.limitMs)
    return [{ name, kind, sentence, repeat: formatRepeatCommand(name, suite), client, lastLines, requests }]
  })
}

function findingKindOf({ verdict, code, client }: JudgedRun): SuiteFinding['kind'] | undefined {
  const kind = findingOf(verdict)
  if (kind) return kind
  if (verdict === 'flaky') return verdict
  if (verdict === 'not-reached' && code !== 0) return 'unrepeatable'
  return client.length > 0 ? 'client' : undefined
}

function describeFinding(kind: SuiteFinding['kind'], judged: JudgedRun, limitMs: number): string {
  const { run, code, isTimedOut, responses } = judged
  const { definition, text } = run.fault.scenario
  const target = describeTarget(run)
  const injected = `"${text}" was injected into ${target}`
  const notInjected = `"${text}" was not injected into ${target}`
  const context = `when ${injected}. ${definition.description}`
  const end = isTimedOut ? `did not finish within ${limitMs / 1000} s` : `failed with exit code ${code}`
  switch (kind) {
    case 'not-resilient':
      return `${describeFailedRecovery(judged, injected, end)} ${definition.description}`
    case 'unnoticed':
      return `Unnoticed: the command passed although ${injected}. ${definition.description}`
    case 'hung':
      return `Hung: the command ${end}${responses ? ` ${context}` : `, and ${notInjected}.`}`
    case 'unrepeatable':
      return `Not repeatable: the command ${end} before "${text}" could be injected into ${target}.`
    case 'flaky': {
      // If no run is red, `judged` describes the first run, whose verdict on its own would be one such as `swallowed`.
      const green = responses ? `the client was not resilient when ${injected}` : notInjected
      const red = `the command ${end}${responses ? ` when ${injected}` : `, and ${notInjected}`}`
      return `Flaky: in at least one run, ${isRed(judged) ? red : green}, but further runs did not confirm this result.`
    }
    case 'client':
      return `The client broke a rule${responses ? ` ${context}` : `; ${notInjected}.`}`
  }
}

function describeFailedRecovery(judged: JudgedRun, injected: string, end: string): string {
  const { verdict, twice = [] } = judged
  if (verdict === 'recorded-twice')
    return `Recorded twice: ${injected}, and the service stored two records for one event: ${twice.join(' and ')}.`
  if (verdict === 'swallowed')
    return `Not resilient: the run was ${swallowedText} when ${injected} (${describeSwallowing(judged)}).`
  return `Not resilient: the command ${end} when ${injected}.`
}

function describeSwallowing({ run: { fault }, responses }: JudgedRun): string {
  const effect = fault.scenario.definition.effect(fault.scenario.values)
  const isBroken = effect.kind === 'deliver' && ['truncated', 'malformed'].includes(effect.mode.kind)
  const { got = 0, expected = 0 } = responses ?? {}
  const counts = `the command got ${got} of ${pluralize(expected, 'expected successful response')} to this call`
  return isBroken ? `the client swallowed the broken response, and ${counts}` : counts
}

function describeTarget({ operation, occurrence, pointer }: PlannedRun): string {
  return pointer === undefined ? `request ${occurrence} of ${operation}` : `${pointer} in the responses of ${operation}`
}

export function toPageFinding(finding: SuiteFinding, failsSuite: boolean): PageFinding {
  const { name, kind, sentence, client, lastLines, requests, repeat } = finding
  // For these kinds, the output of the command rarely explains the finding.
  const isAside = kind === 'unnoticed' || kind === 'client'
  const folded = [
    { title: 'output', lines: lastLines, focus: findFailure(lastLines), isAside },
    { title: 'requests', lines: requests },
  ]
  return {
    severity: failsSuite ? 'error' : 'warning',
    title: name,
    sentence,
    notes: client,
    details: [{ title: '', lines: [repeat] }, ...folded.filter(({ lines }) => lines.length > 0)],
  }
}

/** Patterns of failed assertions in the output of test runners, most reliable first. */
const failureSigns = [
  /^ *not ok|AssertionError|ExpectationError|^E {2}|panic:/,
  /\u2716|\u25cf|--- FAIL|^ *FAIL/,
  /\b[A-Z]\w*Error\b|expected/i,
]

/** Returns the index of the first line of output to show, just above a failed assertion; undefined if none is found. */
export function findFailure(lines: readonly string[]): number | undefined {
  const found = failureSigns.map((sign) => lines.findIndex((line) => sign.test(line))).find((index) => index >= 0)
  return found === undefined ? undefined : Math.max(0, found - 2)
}

const omittedSettings = ['set', 'only', 'maxRuns', 'time', 'jobs', 'report', 'failOn', 'port', 'logLevel', 'logFormat']

/** Returns the command line that repeats a run. If a credential is redacted, a shell comment says so. */
export function formatRepeatCommand(name: string, { settings, args }: SuiteReport['suite']): string {
  const given = new Map<string, unknown>(Object.entries(settings))
  const flags = Object.entries(eachSettings).flatMap(([name, { value, default: initial }]) => {
    const own = given.get(name)
    if (omittedSettings.includes(name) || own === initial) return []
    if (value === undefined) return own === true ? [flagOf(name)] : [`--no-${flagOf(name).slice(2)}`]
    return [flagOf(name), String(own)]
  })
  const all = ['convsim', 'each', '--only', name, ...flags, '--', ...args]
  const clean = redactWords(all)
  const hasCredential = clean.some((word, index) => word !== all[index])
  return clean.map(quoteForShell).join(' ') + (hasCredential ? ` # replace ${redacted} with the credential` : '')
}

function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-][\w@%+=:,./#-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
