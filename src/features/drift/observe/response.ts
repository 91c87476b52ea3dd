import { type Json, type JsonSize, measureJson, parseJson } from '../../../base/core/json.ts'
import { maxDepth } from '../../../base/core/json-syntax.ts'
import { decode } from '../../../base/core/strict-json.ts'
import { redactNamed, redactText } from '../../../base/redaction/redact.ts'
import type { TrafficResponse, TrafficSample } from '../../../server/upstream/traffic/sample.ts'
import type { Contract, Operation } from '../../../service/contract/contract.ts'
import { isJson, matchMediaType } from '../../../service/contract/media-types.ts'

/** A response of the real service to an operation of the contract. */
export interface ObservedResponse {
  readonly operation: Operation
  /** The request, for people: `GET /v1/models/ID/analytics?period=7d`. */
  readonly request: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The bytes of the body, if they were recorded. */
  readonly bytes: Uint8Array | undefined
  /** The simulator's response to the same request, compared for its optional fields; undefined if it was not asked. */
  readonly own: Json | undefined
}

/** The body of a response in the form in which it is compared. */
export interface ParsedBody {
  /** The body; absent if it is empty, no JSON, not recorded, or larger than `bodyBounds`. */
  readonly json?: Json
  /** The size of the body if it is larger than `bodyBounds`. */
  readonly size?: JsonSize
  /** True if the body has bytes that are no JSON. */
  readonly isBroken?: true
}

/** The largest body that is compared. A comparison takes some microseconds for each member. */
export const bodyBounds = { members: 200_000, levels: maxDepth }

/** A sample with the operation that its request matches. */
export interface MatchedSample {
  readonly operation: Operation
  /** The sample without the credentials of its query. */
  readonly sample: TrafficSample
  /** The target as sent, below the base path of the contract: `/models/ID/analytics?period=7d`. */
  readonly target: string
}

/**
 * Returns a sample with its operation, or undefined if its request matches none. `basePath`: the path before those of
 * the contract, without a slash at its end; default: that of the contract, also behind a gateway's: `/gateway/v1`.
 */
export function matchSample(contract: Contract, sample: TrafficSample, basePath?: string): MatchedSample | undefined {
  const [path = '', ...query] = sample.target.split('?')
  for (const below of listPathsBelow(path, contract.basePath, basePath)) {
    const match = contract.match(sample.method, contract.basePath + below)
    if (match.kind !== 'operation') continue
    const { operation } = match
    const shown = { ...sample, target: redactTarget(operation, sample.target) }
    return { operation, sample: shown, target: [below, ...query].join('?') }
  }
  return undefined
}

/** Returns a target without the credentials of its query, also those that the contract declares. */
export function redactTarget({ queryKeys }: Operation, target: string): string {
  const [path = '', ...rest] = redactText(target).split('?')
  if (rest.length === 0) return path
  const names = queryKeys.map((name) => name.toLowerCase())
  const { query } = redactNamed({ path, query: rest.join('?'), headers: {} }, names)
  return `${path}?${query}`
}

/** The most segments that a gateway adds before the base path of the contract: `/gateway/v1` has one. */
const maxGatewaySegments = 10

/** Lists the paths that may be those of the contract: the rest of `path` after each place where a base path can end. */
function listPathsBelow(path: string, contractBase: string, basePath: string | undefined): string[] {
  if (basePath !== undefined) return path.startsWith(`${basePath}/`) ? [path.slice(basePath.length)] : []
  const paths: string[] = []
  for (let at = path.indexOf('/'), count = 0; at >= 0 && count <= maxGatewaySegments; count += 1) {
    if (path.startsWith(`${contractBase}/`, at)) paths.push(path.slice(at + contractBase.length))
    at = path.indexOf('/', at + 1)
  }
  return paths
}

/** Prepares a response for comparison. `own` is the simulator's response to the same request, if it was asked. */
export function observeResponse(
  { operation, sample }: MatchedSample,
  { status, headers, body: bytes }: TrafficResponse,
  own: Json | undefined,
): ObservedResponse {
  return { operation, request: `${sample.method} ${sample.target}`, status, headers, bytes, own }
}

/** Parses a body at each call, since all may not fit in memory; none of a documented media type other than JSON. */
export function parseBodyOf({ operation, status, headers, bytes }: ObservedResponse): ParsedBody {
  const sent = headers['content-type'] ?? ''
  const isOther = !isJson(sent) && matchMediaType(operation.responseMediaTypes(status), sent) !== undefined
  if (isOther || bytes === undefined || bytes.length === 0) return {}
  const json = parseJson(decode(bytes) ?? '')
  if (json === undefined) return { isBroken: true }
  const size = measureJson(json)
  return size.members > bodyBounds.members || size.levels > bodyBounds.levels ? { size } : { json }
}

/** Returns responses with the operations of another version of the contract, without those whose operation it lacks. */
export function rebindResponses(responses: readonly ObservedResponse[], contract: Contract): ObservedResponse[] {
  const operations = new Map(contract.operations.map((operation) => [operation.id, operation]))
  return responses.flatMap((response) => {
    const operation = operations.get(response.operation.id)
    return operation ? [{ ...response, operation }] : []
  })
}
