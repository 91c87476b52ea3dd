import { redactText } from '../../base/redaction/redact.ts'
import { isCredentialName, redacted } from '../../base/redaction/redact-token.ts'

export interface ReportedRun {
  /** The time of the report on the machine's clock, in epoch milliseconds. */
  readonly at: number
  readonly version: string
  /** The command that `convsim exec` ran, such as `npm test`; undefined without `exec`. */
  readonly command: string | undefined
  readonly seed: string
  readonly clock: { readonly mode: string; readonly now: number }
  /** A digest of the contract document: `sha256:9f86d0...`. */
  readonly contractDigest: string
  readonly failOn: readonly FailCondition[]
}

/** Describes the run as a list of facts: `seed 1`, `clock frozen at 2026-01-15T12:00:00.000Z`. */
export function describeRun({ at, version, command, seed, clock, contractDigest }: ReportedRun): string[] {
  const time = clock.mode === 'real' ? '' : ` at ${new Date(clock.now).toISOString()}`
  return [
    new Date(at).toISOString(),
    `convsim ${version}`,
    ...(command === undefined ? [] : [`command ${command}`]),
    `seed ${seed}`,
    `clock ${clock.mode}${time}`,
    `contract ${contractDigest}`,
  ]
}

export function runToJson({ at, version, command, seed, clock, contractDigest, failOn }: ReportedRun) {
  return {
    at: new Date(at).toISOString(),
    version,
    command,
    seed,
    clock: { mode: clock.mode, now: new Date(clock.now).toISOString() },
    contractDigest,
    failOn: failOn.map((condition) => (condition.kind === 'coverage' ? `coverage<${condition.below}` : condition.kind)),
  }
}

export function describeCommand(words: readonly string[]): string {
  return redactWords(words).join(' ')
}

/** Redacts the credentials in the words of a command, such as `x` in `--token=x`, `--token x` and `Bearer x`. */
export function redactWords(words: readonly string[]): readonly string[] {
  return words.map((word, at) => (isCredentialOption(words[at - 1]) ? redacted : redactText(word)))
}

const isCredentialOption = (word = '') =>
  word.startsWith('-') && !word.includes('=') && isCredentialName(word.replace(/^-+/, '').toLowerCase())

export const failOnKinds = ['violation', 'unexpected', 'retry', 'unmet', 'advice', 'no-requests'] as const

/** A condition under which a run fails. `below`: the coverage, in percent, below which the run fails. */
export type FailCondition =
  | { readonly kind: (typeof failOnKinds)[number] }
  | { readonly kind: 'coverage'; readonly below: number }

/** The conditions that `--fail-on` accepts, for the error about an unknown condition. */
export const expectedFailOn = `${failOnKinds.join(', ')} and coverage<N (N from 0 to 100), separated by commas`

/** Parses `--fail-on`: `violation,unexpected,coverage<80`. Returns undefined if any condition is invalid. */
export function parseFailOn(text: string): readonly FailCondition[] | undefined {
  const names = new Set(text.split(',').map((part) => part.trim()))
  const conditions = [...names].map(parseCondition)
  return conditions.every((condition) => condition !== undefined) ? conditions : undefined
}

/** Parses `--fail-on`. If there are conditions and `allowNoRequests` is not set, adds the condition `no-requests`. */
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
