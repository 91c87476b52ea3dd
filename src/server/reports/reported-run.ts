import type { JsonObject } from '../../base/core/json.ts'
import { isCredentialName } from '../../base/redaction/credential-name.ts'
import { redactText } from '../../base/redaction/redact.ts'
import { redacted } from '../../base/redaction/redact-token.ts'
import type { FailCondition } from './parse-fail-on.ts'

export interface ReportedRun {
  /** The machine's time of the report, epoch milliseconds. */
  readonly at: number
  readonly version: string
  /** The command of `convsim exec`: `npm test`; undefined where there is none. */
  readonly command: string | undefined
  readonly seed: string
  readonly clock: { readonly mode: string; readonly now: number }
  /** A digest of the contract's document: `sha256:9f86d0...`. */
  readonly contractDigest: string
  /** The conditions of `--fail-on`; empty for none. */
  readonly failOn: readonly FailCondition[]
}

/** Returns the parts of the run as sentences: `seed 1`, `clock frozen at 2026-01-15T12:00:00.000Z`. */
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

export function runToJson({ at, version, command, seed, clock, contractDigest, failOn }: ReportedRun): JsonObject {
  return {
    at: new Date(at).toISOString(),
    version,
    ...(command !== undefined && { command }),
    seed,
    clock: { mode: clock.mode, now: new Date(clock.now).toISOString() },
    contractDigest,
    failOn: failOn.map((condition) => (condition.kind === 'coverage' ? `coverage<${condition.below}` : condition.kind)),
  }
}

export function describeCommand(words: readonly string[]): string {
  return redactWords(words).join(' ')
}

/** Returns the words of a command without credentials: `--token=x`, `--token x`, `Bearer x`. */
export function redactWords(words: readonly string[]): readonly string[] {
  return words.map((word, at) => (isCredentialOption(words[at - 1]) ? redacted : redactText(word)))
}

const isCredentialOption = (word = '') =>
  word.startsWith('-') && !word.includes('=') && isCredentialName(word.replace(/^-+/, '').toLowerCase())
