import type { Json } from '../../base/core/json.ts'
import { visitInSlices } from '../../base/core/slices.ts'
import { cutText } from '../../base/core/text.ts'
import { redactJson } from '../../base/redaction/redact.ts'
import { isCredentialName, redacted } from '../../base/redaction/redact-token.ts'
import {
  type Condition,
  type Difference,
  findDifferences,
  matchOutcome,
  type RequestQuery,
} from '../../service/exchange/match.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { type MatchInputs, toMatchSubject } from '../journal/entry-json.ts'
import type { Journal } from '../journal/journal.ts'

export interface CountBounds {
  readonly exactly?: number
  readonly atLeast?: number
  readonly atMost?: number
}

export interface Verification extends RequestQuery {
  readonly count: CountBounds
  /** The maximum time to wait for the expected count, in milliseconds; 0 for no wait. */
  readonly withinMs: number
  /** True to accept names that are not in the contract, and a count of 0 in a sandbox that is not in use. */
  readonly force?: boolean
}

/** A request that does not match, with at most 100 of its differences from the query. */
interface NearMiss {
  readonly entry: JournalEntry
  readonly differences: readonly Difference[]
}

export type Verdict = NonNullable<Awaited<ReturnType<typeof verify>>>

const maxMatchedShown = 10
/** The maximum number of near misses that a verdict lists, nearest first. A `satisfied` verdict lists none. */
const maxNearMisses = 3
/** The maximum number of requests that are searched for near misses, most recent first. */
const maxSearched = 1000
/** The number of differences after which a comparison stops. A query can have 100,000 conditions. */
const maxDifferences = 100

interface JournalSearch {
  readonly journal: Journal
  readonly sandbox: string | undefined
  readonly conditions: readonly Condition[]
  readonly served: () => MatchInputs
  readonly elapsed: () => number
}

/**
 * Creates a function that counts the matching entries recorded since its last call. The function returns the totals and
 * the journal's version, or undefined if the comparison takes too long. A counted entry stays counted after its
 * eviction; the count restarts at 0 when the sandbox's entries are cleared.
 */
function createMatchCounter({ journal, sandbox, conditions, served, elapsed }: JournalSearch) {
  const begin = () => ({ upTo: 0, generation: 0, count: 0, uncertain: 0, matched: [] as JournalEntry[] })
  let totals = begin()
  const add = (entry: JournalEntry) => {
    const outcome = matchOutcome(conditions, toMatchSubject(entry, served()))
    if (outcome === 'uncertain') totals.uncertain += 1 // the decisive part is redacted or was not stored
    if (outcome !== 'yes') return
    totals.count += 1
    totals.matched = [...totals.matched, entry].slice(-maxMatchedShown)
  }
  return async function countMatches() {
    let slice = await journal.list({ sandbox, after: totals.upTo })
    if (totals.upTo > 0 && slice.counts.generation !== totals.generation) {
      totals = begin()
      slice = await journal.list({ sandbox })
    }
    const { entries, counts, latest, version } = slice
    totals.upTo = latest
    totals.generation = counts.generation
    if (!(await visitInSlices(entries, elapsed, add))) return undefined
    const { count, uncertain, matched } = totals
    const truncated = counts.dropped > 0 || uncertain > 0 // more may have matched
    return { count, truncated, matched, version }
  }
}

async function findNearMisses({ journal, sandbox, conditions, served, elapsed }: JournalSearch): Promise<NearMiss[]> {
  // A different operation counts as five differences.
  const distance = ({ differences }: NearMiss) =>
    differences.reduce((sum, { field }) => sum + (field === 'operation' ? 5 : 1), 0)
  const { entries } = await journal.list({ sandbox, order: 'newest', limit: maxSearched })
  let nearest: NearMiss[] = []
  await visitInSlices(entries, elapsed, (entry) => {
    const differences: Difference[] = []
    for (const difference of findDifferences(conditions, toMatchSubject(entry, served())))
      if (differences.push(difference) === maxDifferences) break
    if (differences.length === 0) return
    nearest = [...nearest, { entry, differences }].sort((a, b) => distance(a) - distance(b)).slice(0, maxNearMisses)
  })
  return nearest
}

/**
 * Waits for the expected number of matching requests until `withinMs` has passed or a signal in `ends` is aborted.
 * A lower bound is met as soon as it is reached. An upper bound fails as soon as it is exceeded. Otherwise it is met
 * when the wait ends, unless uncounted requests may have matched. Returns undefined if the comparison takes too long.
 */
export async function verify(
  search: JournalSearch,
  { count: expected, withinMs }: Verification,
  ends: readonly AbortSignal[],
) {
  const { min, max } = toBounds(expected)
  const countMatches = createMatchCounter(search)
  for (;;) {
    const left = withinMs - search.elapsed()
    const found = await countMatches()
    if (found === undefined) return undefined
    const { version, count, truncated, matched } = found
    // True if no further request can change the verdict.
    const isDecided = count >= min && (count > max || max === Number.POSITIVE_INFINITY || truncated)
    if (left > 0 && !isDecided && (await search.journal.waitForChange(version, left, ends)) !== 'end') continue
    // True if the count is within the upper bound, but requests that were not counted may also have matched.
    const isUnproved = max !== Number.POSITIVE_INFINITY && truncated && count <= max
    const satisfied = count >= min && count <= max && !isUnproved
    const nearMisses = satisfied ? [] : await findNearMisses(search)
    return { count, truncated, matched, isUnproved, satisfied, nearMisses }
  }
}

function toBounds({ exactly, atLeast, atMost }: CountBounds) {
  const min = exactly ?? atLeast ?? (atMost === undefined ? 1 : 0)
  return { min, max: exactly ?? atMost ?? Number.POSITIVE_INFINITY }
}

/** The maximum length of a value in a difference, in characters of JSON. The original value can be a 1 MB body. */
const maxValueLength = 2000

/** Converts a verdict to the JSON of `POST verify`. Credentials are redacted, and long values are shortened. */
export async function verdictToJson(verdict: Verdict, verification: Verification, elapsed: () => number) {
  const { satisfied, count, truncated, isUnproved, matched } = verdict
  const nearMisses: ShownNearMiss[] = []
  for (const nearMiss of verdict.nearMisses) nearMisses.push(await showNearMiss(nearMiss, elapsed))
  return {
    satisfied,
    count,
    truncated,
    ...(isUnproved && { problem: truncationProblem }),
    message: describeVerdict(verdict, verification, nearMisses[0]),
    matched: matched.map(({ id }) => id),
    nearMisses,
  }
}

type ShownNearMiss = Awaited<ReturnType<typeof showNearMiss>>

async function showNearMiss({ entry, differences }: NearMiss, elapsed: () => number) {
  const shown: { field: string; expected: Json; actual?: Json }[] = []
  // In slices, since each value can be an entire body.
  await visitInSlices(differences, elapsed, ({ field, expected, actual }) => {
    const isHidden = field.split('/').some((name) => isCredentialName(name))
    const clean = actual === undefined || isHidden ? redacted : redactJson(actual, entry.ownToken)
    shown.push({ field, expected: shorten(expected), ...(actual !== undefined && { actual: shorten(clean) }) })
  })
  const { id, request, response } = entry
  return { id, method: request.method, path: request.path, status: response.status, differences: shown }
}

function shorten(value: Json): Json {
  const text = JSON.stringify(value)
  return text.length > maxValueLength ? cutText(text, maxValueLength) : value
}

const truncationProblem =
  'The journal has dropped requests or bodies, or redacted values, so more requests may have matched than were ' +
  'counted, and no upper bound can be proved. ' +
  'Give the test its own sandbox, clear the journal before the test begins (DELETE /__sim/requests), start the ' +
  'simulator with a larger --journal-size or --sandbox-limit, or do not match values that contain credentials.'

function describeVerdict(
  { satisfied, count, truncated, isUnproved, matched }: Verdict,
  { operation, count: bounds }: Verification,
  nearest: ShownNearMiss | undefined,
): string {
  const expected = bounds.exactly ?? bounds.atMost ?? bounds.atLeast ?? 1
  const forOperation = operation === undefined ? '' : ` for ${operation}`
  const requests = `matching ${expected === 1 ? 'request' : 'requests'}${forOperation}`
  const dropped = truncated ? ' More requests may have matched, but were dropped or partly redacted.' : ''
  const truncation = isUnproved ? ` ${truncationProblem}` : dropped
  const near = nearest ? ` The nearest request, ${nearest.id}, differs in ${describeDifferences(nearest)}.` : ''
  const shown = matched.map(({ id, response }) => `${id} ${response.status}`).join(', ')
  const list = satisfied || count === 0 ? '' : ` (${count > matched.length ? 'the latest: ' : ''}${shown})`
  return `Expected ${describeBounds(bounds)} ${requests}; got ${count}${list}.${truncation}${near}`
}

function describeBounds({ exactly, atLeast, atMost }: CountBounds): string {
  if (exactly !== undefined) return `exactly ${exactly}`
  if (atMost === undefined) return `at least ${atLeast ?? 1}`
  return atLeast ? `${atLeast} to ${atMost}` : `at most ${atMost}`
}

function describeDifferences({ differences }: ShownNearMiss): string {
  const quote = (value: Json) => JSON.stringify(value).slice(0, 80)
  const each = differences.map(({ field, expected, actual }) => {
    const got = actual === undefined ? 'nothing' : quote(actual)
    return `${field} (expected ${quote(expected)}, got ${got})`
  })
  return each.join(', ')
}
