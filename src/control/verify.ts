import type { Json, JsonObject } from '../core/json.ts'
import type { JournalEntry } from '../journal/entry.ts'
import {
  type Difference,
  type RequestMatch,
  type RequestQuery,
  type RequestSubjects,
  stripSandboxPath,
} from '../journal/match.ts'
import { isCredentialName, redacted, redactHeader, redactJson, redactQuery } from '../journal/redact.ts'
import { type CountBounds, MatchCounter, type Verdict, type Verification, verify } from '../journal/verify.ts'
import { modelsIn, productsOf } from '../scenarios/subject.ts'
import { ControlError, type ControlHandler, CustomReply } from './control.ts'
import { journalSandbox } from './requests.ts'
import type { Seen } from './seen.ts'

/** `POST verify`, `POST requests/count`: whether a request came, and how often. */
export function verifyHandlers(seen: Seen): Record<string, ControlHandler> {
  const { journal, stopping } = seen
  const subject = subjectOf(seen)
  return {
    async verify(request) {
      const asked = request.body as unknown as Partial<Verification> // proved by the control document
      const problem = problemOf(asked, seen) ?? countProblem(asked.count)
      if (problem !== undefined) return new ControlError(400, problem)
      const verification = { ...asked, count: asked.count ?? {}, withinMs: asked.withinMs ?? 0 }
      const ends = [request.gone, stopping]
      const sandbox = journalSandbox(request)
      const verdict = await verify(journal, sandbox, verification, subject, request.elapsed, ends)
      return new CustomReply({
        status: verdict.satisfied ? 200 : 417,
        body: shownVerdict(verdict, verification),
      })
    },
    countRequests(request) {
      const question = (request.body ?? {}) as unknown as RequestQuery // proved by the control document
      const problem = problemOf(question, seen)
      if (problem !== undefined) return new ControlError(400, problem)
      const { count, truncated } = new MatchCounter(
        journal,
        journalSandbox(request),
        question,
        subject,
      ).update()
      return { count, truncated }
    },
  }
}

/** What the entry of a request does not tell by itself: which models and products it is about. */
function subjectOf({ contract, productsOfModel }: Seen): RequestSubjects {
  const models = ({ request }: JournalEntry) => {
    const match = contract.match(request.method, stripSandboxPath(request.path))
    return match.kind === 'operation' ? modelsIn(match.path) : []
  }
  return { models, products: (entry, body) => productsOf(body, models(entry), productsOfModel) }
}

/** Why a question cannot be answered: one that can never match would be taken for a client that did not ask. */
function problemOf({ operation, match }: RequestQuery, { contract }: Seen): string | undefined {
  const known = contract.operations.map(({ id }) => id)
  if (operation !== undefined && !known.includes(operation))
    return `There is no operation "${operation}". Known: ${known.join(', ')}.`
  const secret = hiddenIn(match)
  if (secret === undefined) return undefined
  return `The journal does not keep the value of the ${secret}, so that it cannot be matched; null asks whether it was not sent.`
}

/** What is asked for a value that the journal redacts. That it was not sent at all is known. */
function hiddenIn({ header = {}, query = {} }: RequestMatch = {}): string | undefined {
  const isHidden = ([name, value]: [string, string | null]) =>
    value !== null && redactHeader(name.toLowerCase(), value) !== value
  const [headerName] = Object.entries(header).find(isHidden) ?? []
  if (headerName !== undefined) return `header "${headerName}"`
  const isSecret = ([name, value]: [string, string | null]) => {
    const pair = new URLSearchParams({ [name]: value ?? '' }).toString()
    return value !== null && redactQuery(pair) !== pair
  }
  const [parameter] = Object.entries(query).find(isSecret) ?? []
  return parameter === undefined ? undefined : `query parameter "${parameter}"`
}

function countProblem({ exactly, atLeast, atMost }: CountBounds = {}): string | undefined {
  if (exactly !== undefined && (atLeast ?? atMost) !== undefined)
    return '"count" has either "exactly", or "atLeast" and "atMost".'
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost)
    return `No count is at least ${atLeast} and at most ${atMost}.`
  return undefined
}

function shownVerdict(verdict: Verdict, verification: Verification): JsonObject {
  const { satisfied, count, truncated, unproved, matched, nearMisses } = verdict
  return {
    satisfied,
    count,
    truncated,
    ...(unproved && { problem }),
    message: sentenceOf(verdict, verification),
    matched: matched.map(({ id }) => id),
    nearMisses: nearMisses.map(({ entry, differences }) => ({
      id: entry.id,
      method: entry.request.method,
      path: entry.request.path,
      status: entry.answer.status,
      differences: differences.map(shownDifference),
    })),
  }
}

/** Why no upper bound holds, and what to do. */
const problem =
  'The journal has dropped requests or bodies, so that there may have been more than were counted: no upper bound can be proved. ' +
  'Give the test a sandbox of its own, forget the requests before it begins (DELETE /__sim/requests), or start with a larger --journal-size.'

function shownDifference({ field, expected, actual }: Difference): JsonObject {
  return { field, expected, ...(actual !== undefined && { actual: shownValue(field, actual) }) }
}

/** What stands at a field, as far as it may be shown. */
function shownValue(field: string, actual: Json): Json {
  return field.split('/').some((name) => isCredentialName(name)) ? redacted : redactJson(actual)
}

function sentenceOf(
  { count, truncated, unproved, nearMisses }: Verdict,
  { operation, count: wanted }: Verification,
) {
  const what = `requests${operation === undefined ? '' : ` of ${operation}`} as described`
  const dropped = truncated ? ' The journal has dropped requests or bodies, which are not counted.' : ''
  const cut = unproved ? ` ${problem}` : dropped
  const [nearest] = nearMisses
  const near = nearest
    ? ` The nearest, ${nearest.entry.id}, differs in ${fieldsOf(nearest.differences)}.`
    : ''
  return `Expected ${boundsText(wanted)} ${what}; got ${count}.${cut}${near}`
}

function boundsText({ exactly, atLeast, atMost }: CountBounds): string {
  if (exactly !== undefined) return `exactly ${exactly}`
  if (atMost === undefined) return `at least ${atLeast ?? 1}`
  return atLeast === undefined ? `at most ${atMost}` : `${atLeast} to ${atMost}`
}

function fieldsOf(differences: readonly Difference[]): string {
  return differences
    .map(({ field, expected, actual }) => {
      const got = actual === undefined ? 'nothing' : JSON.stringify(shownValue(field, actual)).slice(0, 80)
      return `${field} (expected ${JSON.stringify(expected).slice(0, 80)}, got ${got})`
    })
    .join(', ')
}
