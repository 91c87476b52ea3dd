import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { redactJson } from '../../base/redaction/redact.ts'
import { redacted } from '../../base/redaction/redact-token.ts'
import { checkServiceResponse } from '../../server/upstream/check-response.ts'
import type { TrafficResponse, TrafficSample } from '../../server/upstream/traffic/sample.ts'
import type { Contract, Operation } from '../../service/contract/contract.ts'
import { readQuery } from '../../service/exchange/request.ts'

/** The operation whose responses are recorded: the only one that can have exact responses in fixtures. */
export const recordedOperation = 'getModelAnalytics'

const maxMembers = 1_000_000

export interface SeenResponse {
  readonly modelId: string
  /** The value of the `period` parameter, such as `30d`, or its default in the contract. */
  readonly period: string
  readonly body: JsonObject
  readonly redactions: number
}

/** Collects the last usable response for each model and period. `skipped` counts unusable samples by reason. */
export function collectResponses(
  samples: readonly TrafficSample[],
  contract: Contract,
  onProgress: (checked: number, all: number) => void,
): { responses: SeenResponse[]; skipped: ReadonlyMap<string, number> } {
  const responses = new Map<string, SeenResponse>()
  const skipped = new Map<string, number>()
  for (const [index, sample] of samples.entries()) {
    onProgress(index, samples.length)
    const seen = readSample(sample, contract)
    if (seen.ok) responses.set(`${seen.value.modelId} ${seen.value.period}`, seen.value)
    else skipped.set(seen.error, (skipped.get(seen.error) ?? 0) + 1)
  }
  const sorted = [...responses].sort(([one], [other]) => (one < other ? -1 : 1))
  return { responses: sorted.map(([, response]) => response), skipped }
}

function readSample({ method, target, response }: TrafficSample, contract: Contract): Result<SeenResponse> {
  const [path = '', query = ''] = target.split('?', 2)
  const match = findRecordedOperation(contract, method, path)
  if (!match) return failure(`not a request for ${recordedOperation}`)
  if ('problem' in response) return failure(`no usable response: ${response.sentence}`)
  const body = readResponseBody(match.operation, response)
  if (!body.ok) return body
  const raw = { path: match.pathParameters, query: readQuery(query), header: {} }
  const { values, violations } = match.operation.readParameters(raw)
  const period: Json | undefined = values.query['period']
  if (violations.length > 0 || typeof period !== 'string') return failure('the request breaks the contract')
  const { value, changes } = redactPersonalData(body.value)
  return success({
    modelId: String(values.path['modelId']).toLowerCase(),
    period,
    body: isObject(value) ? value : {},
    redactions: changes,
  })
}

function readResponseBody(operation: Operation, { status, headers, body: bytes }: TrafficResponse): Result<JsonObject> {
  if (status !== operation.successStatus) return failure(`status ${status}`)
  if (!bytes) return failure('the body was not recorded completely')
  const response = { status, mediaType: headers['content-type'] ?? '', bytes }
  const { violations, value, isTooLarge } = checkServiceResponse(operation, response, maxMembers)
  if (isTooLarge)
    return failure(`the body has more than ${maxMembers.toLocaleString('en')} members and items, or too many levels`)
  const [violation] = violations
  if (!violation) return isObject(value) ? success(value) : failure('the body is not a JSON object')
  const rule = violation.message.replace(/; got .*/s, '') // the value may contain personal data
  return failure(`contract violation: ${violation.pointer || 'the body'} ${rule} (see convsim drift --patch)`)
}

function findRecordedOperation(contract: Contract, method: string, path: string) {
  const segments = path.split('/').slice(1)
  for (let first = 0; first < Math.min(segments.length, 6); first += 1) {
    const match = contract.match(method, `${contract.basePath}/${segments.slice(first).join('/')}`)
    if (match.kind === 'operation' && match.operation.id === recordedOperation) return match
  }
  return undefined
}

/** The names of members whose strings quote users. */
const quoteNames = new Set(['exampleSnippets'])

/** Patterns that match personal identifiers, and their replacements. Redacted addresses stay valid. */
const personalPatterns: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]*\w/g, 'redacted@example.com'],
  [/(?<![\w.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?!\w|\.\d)/g, '192.0.2.1'],
  [/(?<!\w)\+\d[\d ()/-]{6,20}\d(?!\d)/g, redacted],
]

/**
 * Redacts credentials, email addresses, IPv4 addresses and international telephone numbers. Replaces user quotes.
 * `changes` is the number of changed strings, plus 1 if any credentials were redacted.
 */
export function redactPersonalData(value: Json): { readonly value: Json; readonly changes: number } {
  let changes = 0
  const redactText = (text: string, isQuote: boolean) => {
    const clean = isQuote
      ? redacted
      : personalPatterns.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)
    if (clean !== text) changes += 1
    return clean
  }
  const visit = (item: Json, isQuote: boolean): Json => {
    if (typeof item === 'string') return redactText(item, isQuote)
    if (Array.isArray(item)) return item.map((one) => visit(one, isQuote))
    if (!isObject(item)) return item
    const members = Object.entries(item).map(([name, one]) => [name, visit(one, isQuote || quoteNames.has(name))])
    return Object.fromEntries(members)
  }
  const clean = visit(value, false)
  const withoutTokens = redactJson(clean)
  if (JSON.stringify(withoutTokens) !== JSON.stringify(clean)) changes += 1
  return { value: withoutTokens, changes }
}
