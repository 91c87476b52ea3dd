import type { Operation } from '../contract/contract.ts'
import { parseNow } from '../core/instant.ts'
import { failure, type Result } from '../core/result.ts'
import { isSeed } from '../core/seeded.ts'
import { type Exchange, operationOf, type Reply } from '../exchange/exchange.ts'
import type { ActiveScenario, Catalogue } from '../scenarios/catalogue.ts'
import { parseScenarios, parseSequence, type Sequence, splitOutsideQuotes } from '../scenarios/parse.ts'
import { headersOf } from '../scenarios/refusals.ts'

/** The request headers that steer us. An `X-Sim-` header that is not one of these is refused, not ignored. */
const controlHeaders = ['x-sim-scenario', 'x-sim-sequence', 'x-sim-sandbox', 'x-sim-seed', 'x-sim-now']

/** What the request itself asks for. */
export interface RequestedControls {
  /** Whether it asks for anything that decides the answer. */
  readonly any: boolean
  readonly scenarios: readonly ActiveScenario[]
  readonly sequence: Sequence | undefined
  /** A documented example by name, as Prism's `Prefer: example=` has it. */
  readonly example: Reply | undefined
  /** The preferences that are ours, for `Preference-Applied`; empty for none. */
  readonly preferred: string
}

/** Reads every control of the request; sets its own seed and instant. */
export function readControls(exchange: Exchange, catalogue: Catalogue): Result<RequestedControls> {
  const { headers } = exchange.request
  const controls = Object.keys(headers).filter((name) => name.startsWith('x-sim-'))
  if (controls.length === 0 && headers['prefer'] === undefined) return nothingAsked // as most requests
  const unknown = controls.find((name) => !controlHeaders.includes(name))
  if (unknown) return failure(`There is no control header "${unknown}". Known: ${controlHeaders.join(', ')}.`)
  const preferences = readPreferences(headers['prefer'])
  const world = setWorld(exchange, preferences)
  if (world) return failure(world)
  const scenarios = parseScenarios(headers['x-sim-scenario'] ?? '', catalogue)
  if (!scenarios.ok) return scenarios
  if (headers['x-sim-scenario'] !== undefined && scenarios.value.length === 0)
    return failure(
      'X-Sim-Scenario names no scenario. Name one, such as "rate-limited", or leave the header out.',
    )
  const sequence =
    headers['x-sim-sequence'] === undefined ? none : parseSequence(headers['x-sim-sequence'], catalogue)
  if (!sequence.ok) return sequence
  const preferred = readPreferred(exchange, catalogue, preferences)
  if (!preferred.ok) return preferred
  const { byCode, example } = preferred.value
  const all = [...scenarios.value, ...byCode]
  const any = all.length > 0 || sequence.value !== undefined || example !== undefined
  return { ok: true, value: { any, scenarios: all, sequence: sequence.value, ...preferred.value } }
}

const nothingAsked: Result<RequestedControls> = {
  ok: true,
  value: { any: false, scenarios: [], sequence: undefined, example: undefined, preferred: '' },
}

const none = { ok: true, value: undefined } as const

/** `Prefer: code=` and `example=`, which together mean the example of that status. */
function readPreferred(
  exchange: Exchange,
  catalogue: Catalogue,
  preferences: ReadonlyMap<string, string>,
): Result<{
  readonly byCode: readonly ActiveScenario[]
  readonly example: Reply | undefined
  readonly preferred: string
}> {
  const operation = operationOf(exchange)
  const code = preferences.get('code')
  const name = preferences.get('example')
  if (code !== undefined && !operation.statuses.includes(Number(code))) {
    return failure(`Prefer: code=${code}: ${operation.id} documents ${operation.statuses.join(', ')}.`)
  }
  const applied = ['code', 'example', 'seed'].filter((key) => preferences.has(key))
  const preferred = applied.map((key) => `${key}=${preferences.get(key)}`).join(', ')
  if (name === undefined) {
    const byCode = parseScenarios(code ?? '', catalogue)
    return byCode.ok ? { ok: true, value: { byCode: byCode.value, example: undefined, preferred } } : byCode
  }
  const example = exampleReply(operation, name, code)
  return typeof example === 'string'
    ? failure(example)
    : { ok: true, value: { byCode: [], example, preferred } }
}

/** The example's reply, or why there is none. Without a code the success status is looked through first. */
function exampleReply(operation: Operation, name: string, code: string | undefined): Reply | string {
  const statuses = code === undefined ? [operation.successStatus, ...operation.statuses] : [Number(code)]
  for (const status of statuses) {
    const example = operation.examples(status).find((candidate) => candidate.name === name)
    if (example) return { status, headers: headersOf(status), body: example.value, origin: 'scenario' }
  }
  const known = operation.statuses.flatMap((status) =>
    operation.examples(status).map((example) => `${status} ${example.name}`),
  )
  return `Prefer: example=${name}: ${operation.id} documents ${known.join(', ')}.`
}

/** `X-Sim-Seed`, `X-Sim-Now` and `Prefer: seed=`. Returns what is wrong with them. */
function setWorld(exchange: Exchange, preferences: ReadonlyMap<string, string>): string | undefined {
  const { headers } = exchange.request
  const seed = headers['x-sim-seed'] ?? preferences.get('seed')
  if (seed !== undefined) {
    if (!isSeed(seed)) return 'A seed is 1 to 64 visible ASCII characters.'
    exchange.seed = seed
  }
  const now = headers['x-sim-now']
  if (now === undefined) return undefined
  const instant = parseNow(now)
  if (instant === undefined)
    return `X-Sim-Now is an instant such as 2026-01-15T12:00:00Z; got "${now.slice(0, 80)}".`
  exchange.now = instant
  return undefined
}

/** RFC 7240: preferences with commas, the first of a name counts, names in any case, values perhaps in quotes. */
function readPreferences(header: string | undefined): Map<string, string> {
  const preferences = new Map<string, string>()
  for (const item of splitOutsideQuotes(header ?? '', ',')) {
    const [first = ''] = splitOutsideQuotes(item, ';')
    const [, name = '', value = ''] = /^([^=\s]+)\s*=?\s*"?([^"]*)"?$/.exec(first) ?? []
    if (name && !preferences.has(name.toLowerCase())) preferences.set(name.toLowerCase(), value)
  }
  return preferences
}
