import type { Operation } from '../contract/contract.ts'
import type { Violation } from '../documents/violation.ts'
import { jsonBody } from './body.ts'
import { retryHeaders } from './rate-headers.ts'
import type { Origin, Reply } from './reply.ts'

/** Returns a reply with the service's error body. `error` says what is wrong and what a right request looks like. */
export function refuse(
  status: number,
  error: string,
  origin: Origin,
  headers: Record<string, string> = {},
): Reply {
  return { status, headers, body: jsonBody({ success: false, error }), origin }
}

/**
 * Returns the first of these statuses that the operation documents, or the first of all where it documents none. So the contract decides
 * whether a refused body is a 400 or a 422.
 */
export function documentedStatus(operation: Operation, wanted: readonly [number, ...number[]]): number {
  return wanted.find((status) => operation.statuses.includes(status)) ?? wanted[0]
}

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

/** The error of a request whose client disconnected before the end of the body. */
export const abortedMessage = 'The client went away before the end of its body.'

/** The refusals of the pipeline. Their order in time is the order of its stages. */
export const refusals = {
  outsideBase: (base: string, path: string, meant: boolean) =>
    refuse(
      404,
      meant
        ? `Nothing is served at ${path}. The base URL of this service ends in ${base}: ask for ${base}${path}.`
        : `Nothing is served at ${path}. The service is under ${base}, the simulator's controls are under /__sim.`,
      'simulator',
    ),
  unknownPath: (path: string, known: readonly string[]) =>
    refuse(404, `No operation has the path ${path}. Known paths: ${known.join(', ')}.`, 'contract'),
  malformedPath: (reason: string) => refuse(400, `The path cannot be read: ${reason}`, 'contract'),
  wrongMethod: (method: string, path: string, allowed: readonly string[]) =>
    refuse(405, `${method} is not allowed on ${path}. Allowed: ${allowed.join(', ')}.`, 'contract', {
      Allow: allowed.join(', '),
    }),
  unauthorized: (operation: Operation, problem: string) =>
    refuse(
      documentedStatus(operation, [401]),
      `${problem} Send your API key as "Authorization: Bearer <API_KEY>".`,
      'contract',
      { 'WWW-Authenticate': 'Bearer' },
    ),
  plan: (operation: Operation, plan: string, wanted: readonly string[]) =>
    refuse(
      documentedStatus(operation, [403]),
      `Your plan "${plan}" does not include this feature. It is part of: ${quoted(wanted)}.`,
      'contract',
    ),
  invalid: (operation: Operation, violations: readonly Violation[]) =>
    refuse(documentedStatus(operation, invalidStatuses(violations)), sentenceOf(violations), 'contract'),
  /** Never reaches the client, which has gone; the log and the journal record it. */
  aborted: () => refuse(400, abortedMessage, 'simulator'),
  unreadableBody: (operation: Operation, status: number, reason: string) =>
    refuse(documentedStatus(operation, [status, 400, 422]), reason, 'contract'),
  unknownModel: (operation: Operation, modelId: string) =>
    refuse(documentedStatus(operation, [404]), `Model ${modelId} not found.`, 'contract'),
  rateLimited: (operation: Operation, limit: number, resetMs: number) =>
    refuse(
      documentedStatus(operation, [429]),
      `Analytics rate limit exceeded: ${limit} an hour. Try again in ${Math.ceil(resetMs / 1000)} s.`,
      'contract',
      retryHeaders(resetMs),
    ),
  /** Refuses a control that cannot be parsed or carried out. */
  control: (problem: string) => refuse(400, problem, 'simulator'),
  ownFault: (problem: string) => refuse(500, problem, 'simulator'),
}

function invalidStatuses(violations: readonly Violation[]): readonly [number, ...number[]] {
  const onlyMediaType = violations.every((violation) => violation.keyword === 'media-type')
  return onlyMediaType ? [415, 400, 422] : [400, 422]
}

/** Returns the number of broken rules, named or only counted. */
export function totalOf(violations: readonly Violation[]): number {
  return violations.reduce((total, { count = 1 }) => total + count, 0)
}

/** Returns one sentence with all broken rules, each with its place and what would be right. */
export function sentenceOf(violations: readonly Violation[]): string {
  const each = violations.map(({ in: place, pointer, message }) => `${place}${pointer}: ${message}`)
  const count = violations.length === 1 ? '' : ` (${totalOf(violations)} problems)`
  return `Invalid request${count}: ${each.join('; ')}.`
}
