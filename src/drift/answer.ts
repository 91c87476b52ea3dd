import type { Contract, Operation } from '../contract/contract.ts'
import type { Json } from '../core/json.ts'
import { failure, type Result, success } from '../core/result.ts'
import { maxDepth } from '../core/strict-json.ts'
import type { TrafficAnswer, TrafficSample } from '../traffic/sample.ts'

/** An answer of the real service to an operation of the contract. */
export interface ObservedAnswer {
  readonly operation: Operation
  /** The request, for people: `GET /v1/models/ID/analytics?period=7d`. */
  readonly request: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: it was not recorded. */
  readonly bytes: Uint8Array | undefined
  /** The parsed body; undefined where it is empty, no JSON, or not recorded. */
  readonly body: Json | undefined
  /** The reason why the body is no JSON; undefined: it is, or there is none. */
  readonly problem: string | undefined
  /** The answer of the simulator to the same request, for the fields that it has and the contract does not demand; undefined: not asked. */
  readonly own: Json | undefined
}

/** A sample with the operation that it asks for. */
export interface MatchedSample {
  readonly operation: Operation
  readonly sample: TrafficSample
  /** The target below the base path of the contract: `/models/ID/analytics?period=7d`. */
  readonly target: string
}

/**
 * Finds the operation of a sample; undefined: it asks for none. `basePath`: the path before those of the contract, without a slash at its end;
 * undefined: that of the contract, which may stand behind another one: `/gateway/v1`.
 */
export function matchSample(
  contract: Contract,
  sample: TrafficSample,
  basePath?: string,
): MatchedSample | undefined {
  const [path = '', query] = split(sample.target)
  for (const below of listPathsBelow(path, contract.basePath, basePath)) {
    const match = contract.match(sample.method, contract.basePath + below)
    if (match.kind !== 'operation') continue
    return { operation: match.operation, sample, target: query === undefined ? below : `${below}?${query}` }
  }
  return undefined
}

function listPathsBelow(path: string, ownBase: string, basePath: string | undefined): string[] {
  if (basePath !== undefined) return path.startsWith(`${basePath}/`) ? [path.slice(basePath.length)] : []
  const paths: string[] = []
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
    if (path.startsWith(`${ownBase}/`, at)) paths.push(path.slice(at + ownBase.length))
  return paths
}

function split(target: string): [string, string | undefined] {
  const at = target.indexOf('?')
  return at < 0 ? [target, undefined] : [target.slice(0, at), target.slice(at + 1)]
}

/** Reads the body of an answer. `own`: the simulator's answer to the same request. */
export function observeAnswer(
  { operation, sample }: MatchedSample,
  answer: TrafficAnswer,
  own: Json | undefined,
): ObservedAnswer {
  const { status, headers, body: bytes } = answer
  const parsed = bytes === undefined || bytes.length === 0 ? success(undefined) : parseBody(bytes)
  return {
    operation,
    request: `${sample.method} ${sample.target}`,
    status,
    headers,
    bytes,
    body: parsed.ok ? parsed.value : undefined,
    problem: parsed.ok ? undefined : parsed.error,
    own,
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseBody(bytes: Uint8Array): Result<Json> {
  try {
    const value: Json = JSON.parse(utf8.decode(bytes))
    return isWithinDepth(value, maxDepth)
      ? success(value)
      : failure(`is nested deeper than ${maxDepth} levels`)
  } catch {
    return failure('is no JSON')
  }
}

function isWithinDepth(value: Json, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((item) => isWithinDepth(item, depth - 1))
}

/** Returns answers as they are compared with another version of the contract; those to operations that it does not have are left out. */
export function rebindAnswers(answers: readonly ObservedAnswer[], contract: Contract): ObservedAnswer[] {
  return answers.flatMap((answer) => {
    const operation = contract.operations.find(({ id }) => id === answer.operation.id)
    return operation ? [{ ...answer, operation }] : []
  })
}
