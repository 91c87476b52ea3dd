import type { Contract, Operation } from '../../contract/contract.ts'
import { type Json, parseJson } from '../../core/json.ts'
import { type JsonSize, measureJson } from '../../core/json-size.ts'
import { decode, maxDepth } from '../../core/strict-json.ts'
import type { TrafficAnswer, TrafficSample } from '../../upstream/traffic/sample.ts'

/** An answer of the real service to an operation of the contract. */
export interface ObservedAnswer {
  readonly operation: Operation
  /** The request, for people: `GET /v1/models/ID/analytics?period=7d`. */
  readonly request: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The bytes of the body, if they were recorded. */
  readonly bytes: Uint8Array | undefined
  /** Parses the body, each time anew: a recording has more bodies than the memory has room for. */
  readonly parse: () => ParsedBody
  /** The simulator's answer to the same request, for its optional fields; undefined: not asked. */
  readonly own: Json | undefined
}

/** The body of an answer as it is compared. */
export interface ParsedBody {
  /** The body; undefined where it is empty, no JSON, not recorded, or larger than `bodyBounds`. */
  readonly json: Json | undefined
  /** The size of a body that is larger than `bodyBounds`. */
  readonly size?: JsonSize
  /** True for bytes that are no JSON. */
  readonly isBroken: boolean
}

/** The body of an answer that has none to compare. */
export const noBody: ParsedBody = { json: undefined, isBroken: false }

/** The bounds of the bodies that are compared. A comparison takes some microseconds for each member. */
export const bodyBounds = { members: 200_000, levels: maxDepth }

/** A sample with the operation that it asks for. */
export interface MatchedSample {
  readonly operation: Operation
  readonly sample: TrafficSample
  /** The target below the base path of the contract: `/models/ID/analytics?period=7d`. */
  readonly target: string
}

/**
 * Finds the operation of a sample; undefined: it asks for none. `basePath`: the path before those of the contract,
 * without a slash at its end; undefined: that of the contract, which may stand behind another one: `/gateway/v1`.
 */
export function matchSample(contract: Contract, sample: TrafficSample, basePath?: string): MatchedSample | undefined {
  const [path = '', ...query] = sample.target.split('?')
  for (const below of listPathsBelow(path, contract.basePath, basePath)) {
    const match = contract.match(sample.method, contract.basePath + below)
    if (match.kind === 'operation') return { operation: match.operation, sample, target: [below, ...query].join('?') }
  }
  return undefined
}

/** The most segments before the base path of the contract: `/gateway/v1` has one. */
const maxSegmentsBefore = 10

function listPathsBelow(path: string, ownBase: string, basePath: string | undefined): string[] {
  if (basePath !== undefined) return path.startsWith(`${basePath}/`) ? [path.slice(basePath.length)] : []
  const paths: string[] = []
  for (let at = path.indexOf('/'), count = 0; at >= 0 && count < maxSegmentsBefore; count += 1) {
    if (path.startsWith(`${ownBase}/`, at)) paths.push(path.slice(at + ownBase.length))
    at = path.indexOf('/', at + 1)
  }
  return paths
}

/** Reads an answer. `own`: the simulator's answer to the same request. */
export function observeAnswer(
  { operation, sample }: MatchedSample,
  { status, headers, body: bytes }: TrafficAnswer,
  own: Json | undefined,
): ObservedAnswer {
  const request = `${sample.method} ${sample.target}`
  return { operation, request, status, headers, bytes, parse: () => parseObservedBody(bytes), own }
}

function parseObservedBody(bytes: Uint8Array | undefined): ParsedBody {
  if (bytes === undefined || bytes.length === 0) return noBody
  const value = parseJson(decode(bytes) ?? '')
  if (value === undefined) return { json: undefined, isBroken: true }
  const size = measureJson(value)
  const isTooLarge = size.members > bodyBounds.members || size.levels > bodyBounds.levels
  return isTooLarge ? { json: undefined, isBroken: false, size } : { json: value, isBroken: false }
}

/** Returns answers for another version of the contract, without those to operations that it does not have. */
export function rebindAnswers(answers: readonly ObservedAnswer[], contract: Contract): ObservedAnswer[] {
  const operations = new Map(contract.operations.map((operation) => [operation.id, operation]))
  return answers.flatMap((answer) => {
    const operation = operations.get(answer.operation.id)
    return operation ? [{ ...answer, operation }] : []
  })
}
