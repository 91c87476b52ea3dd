import { maxWorkMs } from '../../base/core/slices.ts'
import { redactHeader, redactText } from '../../base/redaction/redact.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { listHiddenNames } from '../../service/contract/security.ts'
import { type RequestMatch, requestConditions } from '../../service/exchange/match.ts'
import { jsonBody } from '../../service/exchange/reply.ts'
import { releaseBody } from '../../service/exchange/request.ts'
import {
  findUnknownFields,
  findUnknownOperation,
  findUnknownParameter,
} from '../../service/scenarios/rule-match-problems.ts'
import {
  ControlError,
  type ControlRequest,
  CustomReply,
  createSlots,
  type HandlerGroup,
  refuseUnused,
} from './handler.ts'
import { type CountBounds, type Verdict, type Verification, verdictToJson, verify } from './verification.ts'

/** The maximum number of concurrent verifications. Each waiting verification checks every new request. */
const maxWaiting = 100

const tooLongMessage =
  `Comparing the requests in the journal took more than ${maxWorkMs} ms and was stopped. ` +
  'Match less of the body, clear the journal before the test begins (DELETE /__sim/requests), ' +
  'or give the test its own sandbox.'

export const verifyHandlers: HandlerGroup = ({ journal, sandboxes, served, stopping }) => {
  const advice = 'Retry when one of them has ended. To make verifications end sooner, use a shorter withinMs.'
  const takeSlot = createSlots(maxWaiting, `${maxWaiting} verifications are already waiting. ${advice}`)
  const judge = async ({ sandboxFilter: sandbox, source, exchangeEnded }: ControlRequest, expected: Verification) => {
    const search = { journal, sandbox, conditions: requestConditions(expected), served, elapsed: source.elapsed }
    return (await verify(search, expected, [exchangeEnded, stopping])) ?? new ControlError(400, tooLongMessage)
  }
  return {
    async verify(request) {
      const body = request.body as unknown as Partial<Verification> // validated against the control document
      const verification = { count: {}, withinMs: 0, ...body }
      const problem = findQueryProblem(body, served().contract) ?? findCountProblem(verification.count)
      if (problem !== undefined) return new ControlError(400, problem)
      const refused = takeSlot(request.exchangeEnded)
      if (refused) return refused
      releaseBody(request.source)
      const verdict = await judge(request, verification)
      if (verdict instanceof ControlError) return verdict
      const isEmpty = isEmptyAsExpected(verdict, verification)
      const unused = isEmpty ? refuseUnused(request.sandboxFilter, sandboxes) : undefined
      const json = await verdictToJson(verdict, verification, request.source.elapsed)
      return unused ?? new CustomReply({ status: verdict.satisfied ? 200 : 417, body: jsonBody(json) })
    },
    async countRequests(request) {
      const query = (request.body ?? {}) as unknown as Query // validated against the control document
      const problem = findQueryProblem(query, served().contract)
      if (problem !== undefined) return new ControlError(400, problem)
      const verdict = await judge(request, { ...query, count: { atLeast: 0 }, withinMs: 0 })
      return verdict instanceof ControlError ? verdict : { count: verdict.count, truncated: verdict.truncated }
    },
  }
}

const isEmptyAsExpected = ({ satisfied, count }: Verdict, { force }: Verification) => satisfied && count === 0 && !force

type Query = Pick<Verification, 'operation' | 'match' | 'force'>

/** Returns the problem, if any, that would make a count of 0 for this query misleading. */
function findQueryProblem(query: Query, contract: Contract): string | undefined {
  const hidden = findRedactedField(query.match, listHiddenNames(contract.document))
  if (hidden === undefined) return query.force ? undefined : findUnknownName(query, contract)
  return (
    `The journal does not store the value of the ${hidden}, so the value cannot be matched. ` +
    `To match requests without the ${hidden}, use null.`
  )
}

/** Returns the first field whose value the journal redacts, such as `header "Cookie"`, if any. Ignores null values. */
function findRedactedField({ header = {}, query = {} }: RequestMatch = {}, hidden: readonly string[]) {
  const find = (values: RequestMatch['query'] & object, isRedacted: (name: string, value: string) => boolean) => {
    const isHidden = (name: string, value: string) => hidden.includes(name.toLowerCase()) || isRedacted(name, value)
    return Object.entries(values).find(([name, value]) => value !== null && isHidden(name, value))?.[0]
  }
  const headerName = find(header, (name, value) => redactHeader(name.toLowerCase(), value) !== value)
  if (headerName !== undefined) return `header "${headerName}"`
  const parameter = find(query, (name, value) => {
    const pair = new URLSearchParams({ [name]: value }).toString()
    return redactText(pair) !== pair
  })
  return parameter === undefined ? undefined : `query parameter "${parameter}"`
}

function findCountProblem({ exactly, atLeast, atMost }: CountBounds): string | undefined {
  if (exactly !== undefined && (atLeast ?? atMost) !== undefined)
    return '"count" takes either "exactly" or a range ("atLeast", "atMost").'
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost)
    return `No count can be at least ${atLeast} and at most ${atMost}.`
  return undefined
}

/** Describes the first operation, parameter or body field that a query names and the contract lacks, if any. */
function findUnknownName({ operation, match }: Query, { operations }: Contract): string | undefined {
  const candidates = operations.filter(({ id }) => operation === undefined || id === operation)
  const unknown = findUnknownOperation(operation, operations)
  if (unknown !== undefined) return unknown
  const parameter = findUnknownParameter(match ?? {}, candidates)
  if (parameter !== undefined) return `${parameter} Set "force": true to match requests with other parameters.`
  const [field] = findUnknownFields(match ?? {}, candidates)
  return field && `${field} Set "force": true to match requests with other fields.`
}
