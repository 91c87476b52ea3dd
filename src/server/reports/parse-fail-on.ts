/** The names of the conditions without a number. */
export const failOnKinds = ['violation', 'unexpected', 'retry', 'advice', 'no-requests'] as const

/** A condition under which a run fails: a finding of a kind, or less than `below` percent of coverage. */
export type FailCondition =
  | { readonly kind: (typeof failOnKinds)[number] }
  | { readonly kind: 'coverage'; readonly below: number }

/** The conditions that `--fail-on` takes, for the error about an unknown condition. */
export const expectedFailOn = `${failOnKinds.join(', ')} and coverage<N (N from 0 to 100), with commas between them`

/** Parses the conditions of `--fail-on`: `violation,unexpected,coverage<80`. Returns undefined if any is unknown. */
export function parseFailOn(text: string): readonly FailCondition[] | undefined {
  const names = new Set(text.split(',').map((part) => part.trim()))
  const conditions = [...names].map(parseCondition)
  return conditions.every((condition) => condition !== undefined) ? conditions : undefined
}

/** Parses the conditions of a gate, if any, and adds `no-requests` to them unless `allowNoRequests` is set. */
export function parseGate(text: string | undefined, allowNoRequests: boolean): readonly FailCondition[] {
  const conditions = parseFailOn(text ?? '') ?? []
  const isComplete = conditions.length === 0 || conditions.some(({ kind }) => kind === 'no-requests')
  return isComplete || allowNoRequests ? conditions : [...conditions, { kind: 'no-requests' }]
}

function parseCondition(text: string): FailCondition | undefined {
  const [, percent] = /^coverage\s*<\s*(\d{1,3}(?:\.\d+)?)$/.exec(text) ?? []
  if (percent !== undefined && Number(percent) <= 100) return { kind: 'coverage', below: Number(percent) }
  const kind = failOnKinds.find((name) => name === text)
  return kind && { kind }
}
