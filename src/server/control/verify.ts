import { maxWorkMs } from '../../base/core/slices.ts'
import { redactHeader, redactText } from '../../base/redaction/redact.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { listHiddenNames } from '../../service/contract/security.ts'
import { jsonBody } from '../../service/exchange/body.ts'
import { type RequestMatch, type RequestQuery, requestConditions } from '../../service/exchange/match.ts'
import { releaseBody } from '../../service/exchange/request.ts'
import { modelsIn, productsOf } from '../../service/scenarios/match-rule.ts'
import {
  findUnknownFields,
  findUnknownOperation,
  findUnknownParameter,
} from '../../service/scenarios/rule-match-problems.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { type RequestSubjects, stripSandboxPath } from '../journal/match.ts'
import type { ControlDeps } from './deps.ts'
import { ControlError, type ControlHandlers, type ControlRequest, CustomReply, refuseUnused } from './handler.ts'
import { verdictToJson } from './verdict-json.ts'
import { type CountBounds, createMatchCounter, type JournalSearch, type Verification, verify } from './verification.ts'

/** A query whose unknown names are allowed by `force`. */
interface Forceable {
  readonly force?: boolean
}

/** The most verifications that are in progress at a time: each waiting one looks at every new request. */
const maxWaiting = 100

const waitingMessage =
  `${maxWaiting} verifications are waiting already. Send this one again when one of them is handled, ` +
  'or let them wait for less time (withinMs).'

const tooLongMessage =
  `The comparison with the requests of the journal took more than ${maxWorkMs} ms and was given up. ` +
  'Expect less of the body, forget the requests before the test begins (DELETE /__sim/requests), ' +
  'or give the test a sandbox of its own.'

/** Handles `POST verify` and `POST requests/count`: the count of the requests that match a query. */
export function verifyHandlers(deps: ControlDeps) {
  const { journal, contract, sandboxes, stopping } = deps
  const subjects = createSubjects(deps)
  const searchFor = ({ sandboxFilter: sandbox, source }: ControlRequest, query: RequestQuery): JournalSearch => ({
    journal,
    sandbox,
    conditions: requestConditions(query),
    subjects,
    elapsed: source.elapsed,
  })
  const responseVerification = async (request: ControlRequest, verification: Verification & Forceable) => {
    const search = searchFor(request, verification)
    const verdict = await verify(search, verification, [request.clientGone, stopping])
    if (verdict === undefined) return new ControlError(400, tooLongMessage)
    const { satisfied, count } = verdict
    const provesAbsence = satisfied && count === 0
    const refusal = provesAbsence && !verification.force ? refuseUnused(search.sandbox, sandboxes) : undefined
    if (refusal) return refusal
    const body = jsonBody(await verdictToJson(verdict, verification, search.elapsed))
    return new CustomReply({ status: satisfied ? 200 : 417, body })
  }
  let waiting = 0
  return {
    async verify(request) {
      const body = request.body as unknown as Partial<Verification> & Forceable // proved by the control document
      const problem = findQueryProblem(body, contract) ?? findCountProblem(body.count)
      if (problem !== undefined) return new ControlError(400, problem)
      if (waiting >= maxWaiting) return new ControlError(429, waitingMessage, { 'Retry-After': '1' })
      waiting += 1
      releaseBody(request.source)
      try {
        return await responseVerification(request, { ...body, count: body.count ?? {}, withinMs: body.withinMs ?? 0 })
      } finally {
        waiting -= 1
      }
    },
    async countRequests(request) {
      const query = (request.body ?? {}) as unknown as RequestQuery & Forceable // proved by the control document
      const problem = findQueryProblem(query, contract)
      if (problem !== undefined) return new ControlError(400, problem)
      const counted = await createMatchCounter(searchFor(request, query))()
      if (counted === undefined) return new ControlError(400, tooLongMessage)
      return { count: counted.count, truncated: counted.truncated }
    },
  } satisfies Partial<ControlHandlers>
}

/** Creates the functions that find the models and products of an entry, which need the contract and the fixtures. */
function createSubjects({ contract, productsOfModel }: ControlDeps): RequestSubjects {
  const models = ({ request }: JournalEntry) => {
    const match = contract.match(request.method, stripSandboxPath(request.path))
    return match.kind === 'operation' ? modelsIn(match.path) : []
  }
  return { models, products: (entry, body) => productsOf(body, models(entry), productsOfModel()) }
}

/** Finds the reason for which a query can never match, which would look like a client that sent nothing, if any. */
function findQueryProblem(query: RequestQuery & Forceable, contract: Contract): string | undefined {
  const hidden = findRedactedField(query.match, listHiddenNames(contract.document))
  if (hidden === undefined) return query.force ? undefined : findUnknownName(query, contract)
  return (
    `The journal does not keep the value of the ${hidden}, so that it cannot be matched; ` +
    'null asks whether it was not sent.'
  )
}

/**
 * Finds a field whose value the journal redacts: `header "Authorization"`. Null, for absence, can be matched.
 * @param names those that the contract declares as credentials, in lower case
 */
function findRedactedField(
  { header = {}, query = {} }: RequestMatch = {},
  names: readonly string[],
): string | undefined {
  const isDeclared = (name: string) => names.includes(name.toLowerCase())
  const isRedactedHeader = ([name, value]: [string, string | null]) =>
    value !== null && (isDeclared(name) || redactHeader(name.toLowerCase(), value) !== value)
  const [headerName] = Object.entries(header).find(isRedactedHeader) ?? []
  if (headerName !== undefined) return `header "${headerName}"`
  const isRedactedParameter = ([name, value]: [string, string | null]) => {
    const pair = new URLSearchParams({ [name]: value ?? '' }).toString()
    return value !== null && (isDeclared(name) || redactText(pair) !== pair)
  }
  const [parameter] = Object.entries(query).find(isRedactedParameter) ?? []
  return parameter === undefined ? undefined : `query parameter "${parameter}"`
}

function findCountProblem({ exactly, atLeast, atMost }: CountBounds = {}): string | undefined {
  if (exactly !== undefined && (atLeast ?? atMost) !== undefined)
    return '"count" has either "exactly", or "atLeast" and "atMost".'
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost)
    return `No count is at least ${atLeast} and at most ${atMost}.`
  return undefined
}

/** Finds an operation, a query parameter or a field of the body that the contract does not have, if any. */
function findUnknownName({ operation, match }: RequestQuery, { operations }: Contract): string | undefined {
  const named = operations.filter(({ id }) => operation === undefined || id === operation)
  const unknown = findUnknownOperation(operation, operations)
  if (unknown !== undefined) return unknown
  const parameter = findUnknownParameter(match?.query ?? {}, named)
  if (parameter !== undefined) return `${parameter} A request with another one is found with "force": true.`
  const [field] = findUnknownFields(match?.body ?? {}, named)
  return field && `${field} A request with other fields is found with "force": true.`
}
