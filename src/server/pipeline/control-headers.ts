import { parseNow } from '../../base/core/instant.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { isSeed } from '../../base/core/seeded.ts'
import { cutText, findNearest } from '../../base/core/text.ts'
import type { Operation } from '../../service/contract/contract.ts'
import { isJson } from '../../service/contract/media-types.ts'
import { isDocumented } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import { expectationHeader, expectations, replayHeader } from '../../service/exchange/request.ts'
import type { ActiveScenario, Catalogue } from '../../service/scenarios/definition.ts'
import { maxControlLength } from '../../service/scenarios/parameters.ts'
import { parseScenarios, parseSequence, type Sequence } from '../../service/scenarios/parse.ts'
import { createStatusScenario, standardHeaders } from '../../service/scenarios/refusals.ts'
import { splitOutsideQuotes, splitPair } from '../../service/scenarios/split-text.ts'
import type { Exchange } from './exchange.ts'
import { documentedBody } from './reply-stages.ts'

/** The known `X-Sim-` request headers. A request with any other `X-Sim-` header is refused. */
const controlHeaders = [
  'x-sim-scenario',
  'x-sim-sequence',
  'x-sim-sandbox',
  'x-sim-seed',
  'x-sim-now',
  expectationHeader,
  replayHeader,
]

export interface RequestedControls {
  /** True if the request names scenarios, a sequence or an example; wider scopes are then ignored. */
  readonly isDecisive: boolean
  readonly scenarios: readonly ActiveScenario[]
  readonly sequence: Sequence | undefined
  /** The reply requested with `Prefer: example=NAME` (Prism's syntax), if any. */
  readonly example: Reply | undefined
  /** The value of `Preference-Applied`, such as `code=404`; empty if no preference applies. */
  readonly appliedPreferences: string
}

/** Reads the request's controls and sets the requested seed and time. The error is a sentence. */
export function readControls(exchange: Exchange, catalogue: Catalogue): Result<RequestedControls> {
  const { headers } = exchange.request
  const controls = Object.keys(headers).filter((name) => name.startsWith('x-sim-'))
  if (controls.length === 0 && headers['prefer'] === undefined) return noControls // most requests
  const preferences = readPreferences(headers['prefer'] ?? '')
  const problem = findHeaderProblem(exchange, controls) ?? setSeedAndNow(exchange, preferences.get('seed'))
  if (problem !== undefined) return failure(problem)
  const scenarios = readScenarios(headers['x-sim-scenario'], catalogue)
  if (!scenarios.ok) return scenarios
  const text = headers['x-sim-sequence']
  const sequence = text === undefined ? success(undefined) : parseSequence(text, catalogue)
  if (!sequence.ok) return sequence
  const { operation } = exchange
  const response = operation ? readPreferredResponse(operation, catalogue, preferences) : noPreferredResponse
  if (!response.ok) return response
  const { example } = response.value
  const all = [...scenarios.value, ...response.value.scenarios]
  const isDecisive = all.length > 0 || sequence.value !== undefined || example !== undefined
  const applied = ['code', 'example', 'seed'].filter((key) => preferences.has(key))
  const appliedPreferences = applied.map((key) => `${key}=${preferences.get(key)}`).join(', ')
  return success({ isDecisive, scenarios: all, sequence: sequence.value, example, appliedPreferences })
}

function readScenarios(header: string | undefined, catalogue: Catalogue): Result<readonly ActiveScenario[]> {
  const scenarios = parseScenarios(header ?? '', catalogue)
  if (header === undefined || !scenarios.ok || scenarios.value.length > 0) return scenarios
  return failure('X-Sim-Scenario is empty. Name a scenario, such as "rate-limited", or leave the header out.')
}

function findHeaderProblem(exchange: Exchange, controls: readonly string[]): string | undefined {
  const { request, expectation, replayOf } = exchange
  const { headers } = request
  const unknown = controls.find((name) => !controlHeaders.includes(name))
  if (unknown) return describeUnknownHeader(unknown)
  const [replay, expect] = [headers[replayHeader], headers[expectationHeader]]
  if (replay !== undefined && replayOf === undefined)
    return `X-Sim-Replay-Of must be the ID of a recorded request, such as req-7; got "${cutText(replay)}".`
  if (expect !== undefined && expectation === undefined)
    return `X-Sim-Expect must be ${expectations.join(' or ')}; got "${cutText(expect)}".`
  const isTooLong = (headers['prefer'] ?? '').length > maxControlLength
  return isTooLong ? `A Prefer header must be at most ${maxControlLength} characters long.` : undefined
}

function describeUnknownHeader(unknown: string): string {
  const withoutPrefix = (name: string) => name.slice('x-sim-'.length)
  const nearest = findNearest(withoutPrefix(unknown), controlHeaders.map(withoutPrefix))
  const guess = nearest === undefined ? '' : ` Did you mean "x-sim-${nearest}"?`
  return `Unknown control header "${cutText(unknown)}".${guess} Known: ${controlHeaders.join(', ')}.`
}

const noPreferredResponse = success({ scenarios: [], example: undefined })

const noControls = success({
  isDecisive: false,
  scenarios: [],
  sequence: undefined,
  example: undefined,
  appliedPreferences: '',
})

/** Reads `Prefer: code=` and `example=`. If both are present, the example must belong to the status in `code`. */
function readPreferredResponse(
  operation: Operation,
  catalogue: Catalogue,
  preferences: ReadonlyMap<string, string>,
): Result<Pick<RequestedControls, 'scenarios' | 'example'>> {
  const code = preferences.get('code')
  const name = preferences.get('example')
  if (code !== undefined && !(/^[2-5]\d\d$/.test(code) && isDocumented(operation, Number(code))))
    return failure(
      `The code in "Prefer: code=${code}" must be a status from 200 to 599 in the responses of ${operation.id}: ` +
        `${operation.responses.join(', ')}.`,
    )
  if (name !== undefined) {
    const example = exampleReply(operation, name, code)
    return example.ok ? success({ scenarios: [], example: example.value }) : example
  }
  // The catalogue has no scenario for a status below 400 that is documented only by a range (`2XX`).
  const find = (status: string) => catalogue.find(status) ?? createStatusScenario(Number(status))
  const scenarios = parseScenarios(code ?? '', { ...catalogue, find })
  return scenarios.ok ? success({ scenarios: scenarios.value, example: undefined }) : scenarios
}

/** Returns the reply with the named example. Without a code, the success status is searched first. */
function exampleReply(operation: Operation, name: string, code: string | undefined): Result<Reply> {
  const statuses = code === undefined ? [operation.successStatus, ...operation.statuses] : [Number(code)]
  for (const status of statuses) {
    const example = operation.examples(status).find((candidate) => candidate.name === name)
    if (!example) continue
    const mediaType = operation.responseMediaTypes(status).find(isJson) ?? 'application/json'
    const body = documentedBody({ value: example.value, mediaType })
    return success({ status, headers: standardHeaders(status), body: { ...body, isExact: true }, origin: 'scenario' })
  }
  const known = operation.statuses.flatMap((status) =>
    operation.examples(status).map((example) => `${status} ${example.name}`),
  )
  const problem = `${operation.id} has no such JSON example${code === undefined ? '' : ` for ${code}`}`
  return failure(`"Prefer: example=${name}": ${problem}. Known: ${known.join(', ') || 'none'}.`)
}

/** Applies `X-Sim-Seed`, `X-Sim-Now` and `Prefer: seed=`. Returns a problem, if any. */
function setSeedAndNow(exchange: Exchange, preferredSeed: string | undefined): string | undefined {
  const { headers } = exchange.request
  const seed = headers['x-sim-seed'] ?? preferredSeed
  if (preferredSeed !== undefined && preferredSeed !== seed)
    return 'X-Sim-Seed and Prefer: seed= differ; send only one of them.'
  if (seed !== undefined) {
    if (!isSeed(seed))
      return `A seed must be sent only once and have 1 to 64 visible ASCII characters; got "${cutText(seed)}".`
    exchange.seed = seed
  }
  const now = headers['x-sim-now']
  if (now === undefined) return undefined
  const instant = parseNow(now)
  if (instant === undefined)
    return `X-Sim-Now must be a time in the years 1900 to 9999, such as 2026-01-15T12:00:00Z; got "${cutText(now)}".`
  exchange.now = instant
  return undefined
}

/**
 * Parses a `Prefer` header (RFC 7240). Semicolons separate items, as commas do, since the `example` in
 * `code=200;example=NAME` is not a parameter of `code`. Names are case-insensitive; the first item of each name wins.
 */
function readPreferences(header: string): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>()
  for (const item of splitOutsideQuotes(header, ',').flatMap((part) => splitOutsideQuotes(part, ';'))) {
    const { name, value } = splitPair(item)
    const key = name.toLowerCase()
    if (!preferences.has(key)) preferences.set(key, value)
  }
  return preferences
}
