import type { Contract, Operation } from '../contract/contract.ts'
import { formatChallenges } from '../contract/security.ts'
import { hourMs, type RateLimit, rateHeaders, retryHeaders } from '../exchange/rate-headers.ts'
import { messages, pickDocumentedStatus, readError, refuse } from '../exchange/refusals.ts'
import type { ScenarioDefinition } from './definition.ts'
import { integer, numberOf, type Parameter, readValues, type ScenarioValues } from './parameters.ts'

interface Refusal {
  readonly name: string
  /** Statuses in order of preference. The first documented one is sent, or the first one if none is documented. */
  readonly statuses: readonly [number, ...number[]]
  /** Appears in the catalogue, and in the error body if neither `message` nor an example provides a message. */
  readonly summary: string
  /** Returns the message in the error body, or undefined to use the message in the first documented example. */
  readonly message?: (values: ScenarioValues, modelId: string | undefined, operation: Operation) => string | undefined
  readonly parameters?: readonly Parameter[]
  /** Returns the response headers. `now` is the sandbox's time in epoch milliseconds. */
  readonly headers?: (values: ScenarioValues, now: number, operation?: Operation) => Record<string, string>
}

const retryAfter = integer('retry-after', [0, 86_400], 'The wait before a retry; "date" sends an HTTP date.', {
  default: 1,
  unit: 's',
  words: ['date', 'none'],
})

const retryAfterMs = integer('retry-after-ms', [0, 86_400_000], 'The wait; the default is retry-after, if numeric.', {
  unit: 'ms',
  words: ['none'],
})

const limit = integer('limit', [1, 1_000_000], 'The limit in the rate limit headers.', {
  default: 60,
  unit: 'per hour',
})

const namedRefusals: readonly Refusal[] = [
  { name: 'bad-request', statuses: [400, 422], summary: 'The request was refused as invalid.' },
  {
    name: 'unauthorized',
    statuses: [401],
    summary: 'The API key is not valid.',
    message: (_values, _modelId, operation) => messages.unauthorized('The API key is not valid.', operation),
    headers: (_values, _now, operation) => ({ 'WWW-Authenticate': formatChallenges(operation?.security ?? []) }),
  },
  { name: 'forbidden', statuses: [403], summary: 'Your plan does not include this feature.' },
  {
    name: 'not-found',
    statuses: [404],
    summary: 'Not found.',
    message: (_values, modelId) => (modelId === undefined ? undefined : messages.unknownModel(modelId)),
  },
  {
    name: 'rate-limited',
    statuses: [429],
    summary: 'Rate limit exceeded.',
    message: (values) => messages.rateLimited(limitOf(values), resetMsOf(values)),
    parameters: [retryAfter, retryAfterMs, limit],
    headers: (values, now) => ({ ...rateHeaders(limitOf(values), 0, resetMsOf(values)), ...headersOf(values, now) }),
  },
  { name: 'server-error', statuses: [500], summary: 'Internal server error.' },
  {
    name: 'unavailable',
    statuses: [503],
    summary: 'The service is temporarily unavailable. Retry later.',
    parameters: [retryAfter, retryAfterMs],
    headers: headersOf,
  },
]

const limitOf = (values: ScenarioValues): RateLimit => ({ quota: numberOf(values, 'limit'), windowMs: hourMs })

/** The wait in seconds if neither `retry-after` nor `retry-after-ms` is a number. */
const defaultSeconds = 2

const httpDateRoundedUp = (at: number) => new Date(Math.ceil(at / 1000) * 1000).toUTCString()

const resetMsOf = ({ 'retry-after': seconds, 'retry-after-ms': ms }: ScenarioValues) => {
  if (typeof seconds === 'number') return seconds * 1000
  return typeof ms === 'number' ? ms : defaultSeconds * 1000
}

function headersOf(values: ScenarioValues, now: number): Record<string, string> {
  const { 'retry-after': form, 'retry-after-ms': ms = typeof form === 'number' ? resetMsOf(values) : 'none' } = values
  const { 'Retry-After': seconds = '' } = retryHeaders(resetMsOf(values))
  return {
    ...(form !== 'none' && { 'Retry-After': form === 'date' ? httpDateRoundedUp(now + resetMsOf(values)) : seconds }),
    ...(ms !== 'none' && { 'retry-after-ms': String(ms) }),
  }
}

export const refusalScenarios = namedRefusals.map((refusal) =>
  refusalScenario(refusal.name, `Returns ${refusal.statuses[0]}: ${refusal.summary}`, refusal.statuses, refusal),
)

/** Returns a scenario for each documented final status, such as `404`. */
export function statusScenarios({ operations }: Contract): ScenarioDefinition[] {
  const statuses = new Set(operations.flatMap((operation) => [operation.successStatus, ...operation.statuses]))
  // A response with a 1xx status is not final.
  return [...statuses]
    .filter((status) => status >= 200)
    .sort((a, b) => a - b)
    .map(createStatusScenario)
}

export function createStatusScenario(status: number): ScenarioDefinition {
  const name = String(status)
  const namedRefusal = namedRefusals.find((refusal) => refusal.statuses[0] === status)
  if (status < 400) {
    return {
      name,
      family: 'refusals',
      description: `The ordinary response, with status ${status} if documented; scenarios in wider scopes are ignored.`,
      parameters: [],
      // Every success status applies to every operation, so that "429*2, 200" works for an operation that returns 201.
      effect: () => ({ kind: 'ordinary', status }),
    }
  }
  const detail = namedRefusal ? `, as "${namedRefusal.name}" does` : ', with the documented body, if any'
  return refusalScenario(name, `Returns ${status}${detail}.`, [status], namedRefusal)
}

/** Creates a scenario that refuses requests. Without a `refusal`, the message comes from the contract, if possible. */
function refusalScenario(
  name: string,
  description: string,
  statuses: Refusal['statuses'],
  refusal: Refusal | undefined,
): ScenarioDefinition {
  return {
    name,
    family: 'refusals',
    description,
    parameters: refusal?.parameters ?? [],
    effect: (values) => ({
      kind: 'response',
      reply(operation, modelId, now = 0) {
        const status = pickDocumentedStatus(operation, statuses)
        const message =
          refusal?.message?.(values, modelId, operation) ??
          operation.examples(status).flatMap(({ value }) => readError(value) || [])[0] ??
          refusal?.summary ??
          operation.responseDescription(status) ??
          `Status ${status}.`
        return refuse(status, message, 'scenario', refusal?.headers?.(values, now, operation))
      },
    }),
  }
}

/** Returns the headers that the named scenario for a status sends by default, such as `Retry-After` for a 429. */
export function standardHeaders(status: number): Record<string, string> {
  const { parameters = [], headers } = namedRefusals.find(({ statuses }) => statuses[0] === status) ?? {}
  const defaults = readValues(parameters, new Map())
  return (defaults.ok && headers?.(defaults.value, 0)) || {}
}
