import type { Json } from '../../base/core/json.ts'
import { visitInSlices } from '../../base/core/slices.ts'
import { cutText } from '../../base/core/text.ts'
import { isCredentialName } from '../../base/redaction/credential-name.ts'
import { redactJson } from '../../base/redaction/redact.ts'
import { redacted } from '../../base/redaction/redact-token.ts'
import type { CountBounds, NearMiss, Verdict, Verification } from './verification.ts'

/** The longest value of a difference that is shown whole, in characters of JSON: it can be a body of a megabyte. */
const maxShown = 2000

/** Converts a verdict to the JSON of `POST verify`, without credentials. Values are cut after 2,000 characters. */
export async function verdictToJson(verdict: Verdict, verification: Verification, elapsed: () => number) {
  const { satisfied, count, truncated, unproved, matched } = verdict
  const nearMisses: ShownNearMiss[] = []
  for (const nearMiss of verdict.nearMisses) nearMisses.push(await showNearMiss(nearMiss, elapsed))
  return {
    satisfied,
    count,
    truncated,
    ...(unproved && { problem: truncationProblem }),
    message: describeVerdict(verdict, verification, nearMisses[0]),
    matched: matched.map(({ id }) => id),
    nearMisses,
  }
}

type ShownNearMiss = Awaited<ReturnType<typeof showNearMiss>>

async function showNearMiss({ entry, differences }: NearMiss, elapsed: () => number) {
  const shown: { field: string; expected: Json; actual?: Json }[] = []
  // In slices: each of the values can be the whole body.
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
  return text.length > maxShown ? cutText(text, maxShown) : value
}

const truncationProblem =
  'The journal has dropped requests or bodies, so that there may have been more than were counted: ' +
  'no upper bound can be proved. ' +
  'Give the test a sandbox of its own, forget the requests before it begins (DELETE /__sim/requests), ' +
  'or start with a larger --journal-size or --sandbox-limit.'

function describeVerdict(
  { satisfied, count, truncated, unproved, matched }: Verdict,
  { operation, count: bounds }: Verification,
  nearest: ShownNearMiss | undefined,
): string {
  const expected = bounds.exactly ?? bounds.atMost ?? bounds.atLeast ?? 1
  const ofOperation = operation === undefined ? '' : ` of ${operation}`
  const requests = `${expected === 1 ? 'request' : 'requests'}${ofOperation} as described`
  const dropped = truncated ? ' The journal has dropped requests or bodies, which are not counted.' : ''
  const cut = unproved ? ` ${truncationProblem}` : dropped
  const near = nearest ? ` The nearest, ${nearest.id}, differs in ${describeDifferences(nearest)}.` : ''
  const shown = matched.map(({ id, response }) => `${id} ${response.status}`).join(', ')
  const list = satisfied || count === 0 ? '' : ` (${count > matched.length ? 'the latest: ' : ''}${shown})`
  return `Expected ${describeBounds(bounds)} ${requests}; got ${count}${list}.${cut}${near}`
}

function describeBounds({ exactly, atLeast, atMost }: CountBounds): string {
  if (exactly !== undefined) return `exactly ${exactly}`
  if (atMost === undefined) return `at least ${atLeast ?? 1}`
  return atLeast === undefined ? `at most ${atMost}` : `${atLeast} to ${atMost}`
}

function describeDifferences({ differences }: ShownNearMiss): string {
  const quote = (value: Json) => JSON.stringify(value).slice(0, 80)
  const each = differences.map(({ field, expected, actual }) => {
    const got = actual === undefined ? 'nothing' : quote(actual)
    return `${field} (expected ${quote(expected)}, got ${got})`
  })
  return each.join(', ')
}
