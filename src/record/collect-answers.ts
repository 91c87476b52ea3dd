import type { Contract, Operation } from '../contract/contract.ts'
import { measureJson } from '../core/fit-json.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { readQuery } from '../core/query-string.ts'
import { readJson } from '../core/strict-json.ts'
import { redactPeople } from '../traffic/redact-people.ts'
import type { TrafficSample } from '../traffic/sample.ts'

/** The operation whose answers are recorded: the only one whose answer is invented. */
export const recordedOperation = 'getModelAnalytics'

/** The largest number of members and items of an answer. */
const maxMembers = 1_000_000

/** An answer that was seen, redacted. */
export interface SeenAnswer {
  /** UUID, lower case. */
  readonly modelId: string
  /** The value of the parameter, with the document's default: `30d`. */
  readonly period: string
  readonly body: JsonObject
  /** The number of texts that were redacted. */
  readonly redactions: number
}

/** The answers of traffic, and why others are left out, with the number of each. */
export interface CollectedAnswers {
  /** The latest answer about each model and period, in the order of models and periods. */
  readonly answers: readonly SeenAnswer[]
  readonly skipped: ReadonlyMap<string, number>
}

/** Collects the answers that can be served again. An answer that breaks the contract cannot. */
export function collectAnswers(
  samples: readonly TrafficSample[],
  contract: Contract,
  onProgress: (checked: number, all: number) => void,
): CollectedAnswers {
  const answers = new Map<string, SeenAnswer>()
  const skipped = new Map<string, number>()
  for (const [index, sample] of samples.entries()) {
    onProgress(index, samples.length)
    const seen = readSample(sample, contract)
    if (typeof seen === 'string') skipped.set(seen, (skipped.get(seen) ?? 0) + 1)
    else answers.set(`${seen.modelId} ${seen.period}`, seen)
  }
  const keys = [...answers.keys()].sort()
  return { answers: keys.flatMap((key) => answers.get(key) ?? []), skipped }
}

/** Returns the answer of a sample, or why it is left out. */
function readSample({ method, target, answer }: TrafficSample, contract: Contract): SeenAnswer | string {
  const [path = '', query = ''] = target.split('?', 2)
  const match = findOperation(contract, method, path)
  if (!match) return `no ${recordedOperation}`
  if ('problem' in answer) return `no answer: ${answer.sentence}`
  if (answer.status !== match.operation.successStatus) return `status ${answer.status}`
  if (!answer.body) return 'the body was not recorded whole'
  const read = readJson(answer.body, Number.POSITIVE_INFINITY)
  if (!read.ok) return `the body ${read.error.message}`
  if (!isObject(read.value)) return 'the body is no JSON object'
  if (measureJson(read.value).members > maxMembers)
    return `the body has more than ${maxMembers.toLocaleString('en')} members and items, the most that is recorded`
  const [violation] = match.operation.checkResponse(answer.status, read.value)
  if (violation)
    return `breaks the contract: ${violation.pointer || 'the body'} ${violation.message} (convsim drift proposes a patch)`
  const { values, violations } = match.operation.readParameters({
    path: match.path,
    query: readQuery(query),
    header: {},
  })
  const period: Json | undefined = values.query['period']
  if (violations.length > 0 || typeof period !== 'string') return 'the request breaks the contract'
  const { value, changes } = redactPeople(read.value)
  return {
    modelId: String(values.path['modelId']).toLowerCase(),
    period,
    body: isObject(value) ? value : {},
    redactions: changes,
  }
}

/** Finds the operation of a path. The base path of the real service, or of a sandbox, may be another than the contract's. */
function findOperation(
  contract: Contract,
  method: string,
  path: string,
): { operation: Operation; path: Readonly<Record<string, string>> } | undefined {
  const segments = path.split('/').slice(1)
  for (let first = 0; first < Math.min(segments.length, 6); first += 1) {
    const match = contract.match(method, `${contract.basePath}/${segments.slice(first).join('/')}`)
    if (match.kind === 'operation' && match.operation.id === recordedOperation) return match
  }
  return undefined
}
