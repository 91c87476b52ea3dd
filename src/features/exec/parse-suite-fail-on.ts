import { type FailCondition, parseFailOn } from '../../server/reports/parse-fail-on.ts'

/** The conditions of `--fail-on` that only `each` can judge. */
export const suiteFailKinds = ['not-resilient', 'unnoticed', 'hung'] as const

/** A condition on the runs: more than `above` percent of those that met their fault have the verdict. */
export interface SuiteFailCondition {
  readonly kind: (typeof suiteFailKinds)[number]
  readonly above: number
}

/** The conditions of `--fail-on` for `each`, for the error about another one. */
export const expectedSuiteFailOn =
  'also not-resilient, unnoticed and hung, each alone or with a share such as unnoticed>20 (percent)'

/** A condition of `--fail-on` of `each`. */
export type SuiteGate = FailCondition | SuiteFailCondition

/** Parses the conditions of `--fail-on` of `each`; undefined where one of them is unknown. */
export function parseSuiteFailOn(text: string): readonly SuiteGate[] | undefined {
  const names = new Set(text.split(',').map((part) => part.trim()))
  const parts = [...names].map((part): readonly SuiteGate[] | undefined => {
    const own = parseSuiteCondition(part)
    return own ? [own] : parseFailOn(part)
  })
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined
}

function parseSuiteCondition(text: string): SuiteFailCondition | undefined {
  const [, name, percent = '0'] = /^([a-z-]+)(?:\s*>\s*(\d{1,3}(?:\.\d)?))?$/.exec(text) ?? []
  const kind = suiteFailKinds.find((known) => known === name)
  return kind && Number(percent) <= 100 ? { kind, above: Number(percent) } : undefined
}

/** Returns true for a condition on the runs with faults. */
export function isSuiteCondition(condition: FailCondition | SuiteFailCondition): condition is SuiteFailCondition {
  return 'above' in condition
}
