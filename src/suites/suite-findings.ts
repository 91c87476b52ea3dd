import type { SuiteFailCondition } from './parse-suite-fail-on.ts'
import { nameRun, type PlannedRun } from './plan.ts'
import type { JudgedRun, SuiteReport } from './suite-report.ts'
import { findingOf } from './verdict.ts'

/** The kinds of findings. `client`: the client broke a rule while it met the fault. `unrepeatable`: the command failed without it. */
export type SuiteFindingKind = SuiteFailCondition['kind'] | 'client' | 'unrepeatable'

/** A run that needs a look, in words. */
export interface SuiteFinding {
  /** The name of the run: `resilience:reset@createEvent#2`. */
  readonly name: string
  readonly kind: SuiteFindingKind
  readonly sentence: string
  /** The command line that repeats the run. */
  readonly repeat: string
  readonly client: readonly string[]
  readonly lastLines: readonly string[]
  readonly requests: readonly string[]
}

/** Lists the findings in the order of the plan. */
export function listFindings({ runs, repeat, limitMs }: SuiteReport): SuiteFinding[] {
  return runs.flatMap((judged) => {
    const kind = kindOf(judged)
    if (!kind) return []
    const { client, lastLines, requests } = judged
    const name = nameRun(judged.run)
    const sentence = describeFinding(kind, judged, limitMs)
    return [{ name, kind, sentence, repeat: repeat(name), client, lastLines, requests }]
  })
}

function kindOf({ verdict, code, client }: JudgedRun): SuiteFindingKind | undefined {
  const kind = findingOf(verdict)
  if (kind) return kind
  if (verdict === 'not-reached' && code !== undefined && code !== 0) return 'unrepeatable'
  return client.length > 0 ? 'client' : undefined
}

function describeFinding(kind: SuiteFindingKind, { run, code, wasMet }: JudgedRun, limitMs: number): string {
  const { definition, text } = run.fault.scenario
  const fault = `"${text}" struck ${describePlace(run)}`
  switch (kind) {
    case 'not-resilient':
      return `Not resilient: the command failed with exit code ${code} when ${fault}. ${definition.description}`
    case 'unnoticed':
      return `Nobody noticed: the command passed although ${fault}. ${definition.description}`
    case 'hung':
      return `Hung: the command did not end within ${limitMs / 1000} s, ${wasMet ? `and ${fault}. ${definition.description}` : `before "${text}" could strike ${describePlace(run)}.`}`
    case 'unrepeatable':
      return `Not repeatable: the command failed with exit code ${code} before "${text}" could strike ${describePlace(run)}.`
    case 'client':
      return `The client broke a rule when ${fault}. ${definition.description}`
  }
}

/** Describes the place of a fault: `request 2 of createEvent`, `/avgSafetyScore in the answers of getModelAnalytics`. */
function describePlace({ operation, occurrence, pointer }: PlannedRun): string {
  return pointer === undefined
    ? `request ${occurrence} of ${operation}`
    : `${pointer} in the answers of ${operation}`
}
