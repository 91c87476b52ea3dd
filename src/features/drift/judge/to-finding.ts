import type { Json } from '../../../base/core/json.ts'
import { joinPointer, parsePointer } from '../../../base/core/json-pointer.ts'
import { cutText } from '../../../base/core/text.ts'
import { isHiddenText, redactJson, redactText } from '../../../base/redaction/redact.ts'
import { redacted } from '../../../base/redaction/redact-token.ts'
import type { Assumption, Contract } from '../../../service/contract/contract.ts'
import { isAboutMember, type Observation } from '../observe/observation.ts'
import { findAssumption, findOperation, findResponse, findSchema } from '../observe/places.ts'
import type { ObservedResponse } from '../observe/response.ts'
import type { DriftFinding } from './finding.ts'
import type { Tally } from './tally.ts'

const maxSampleLength = 120

/** The surroundings of a finding: the contract, and the token, which is redacted everywhere. */
export interface FindingContext {
  readonly contract: Contract
  readonly token: string | undefined
}

/**
 * Makes a finding of equal differences. `of`: the responses that could show it. One that no response shows is a note.
 */
export function toFinding(
  { first, firstResponse, seen, values }: Pick<Tally, 'first' | 'firstResponse' | 'seen' | 'values'>,
  of: number,
  { contract, token }: FindingContext,
): DriftFinding {
  const { operation, status } = firstResponse
  const { kind, pointer, detail, isSimulated, keyword, message } = first
  const isDrift = seen > 0
  // A name on the way to a value, or its new name, may say that it is a credential: `/accessToken`, `/secrets/0`.
  const names = parsePointer(pointer).concat(kind === 'renamed-field' ? detail : [])
  const isSecret = (value: Json) => names.some((name) => isHiddenText(name, JSON.stringify(value)))
  const redact = (value: Json) => (isSecret(value) ? redacted : redactJson(value, token))
  const shown = first.value === undefined ? undefined : JSON.stringify(redact(first.value))
  const clean = redactText(message, token)
  const { place, assumption } = locate(contract, first, firstResponse)
  return {
    operation,
    status,
    pointer: redactText(pointer, token),
    kind,
    detail: redactText(detail, token),
    seen,
    of,
    breaks: isDrift && breaksClients(first),
    isDrift,
    isSimulated,
    keyword,
    message: shown === hidden ? clean.replace(/; got .*$/s, `; got ${redacted}`) : clean,
    sample: {
      request: redactText(firstResponse.request, token),
      value: shown === undefined ? undefined : cutText(shown, maxSampleLength),
    },
    place,
    // An absence proves nothing, so it settles no assumption either.
    assumption: isDrift ? assumption : undefined,
    // Of a list the patch takes the values themselves.
    values: kind === 'enum-value' ? values.map(redact) : values,
  }
}

/** Returns true for a difference at which a client generated from the contract may fail. */
export const breaksClients = ({ kind, keyword, isSimulated }: Observation) =>
  !isSimulated && (kind !== 'new-field' || keyword !== '')

const hidden = JSON.stringify(redacted)

/** Finds the place of a difference in the contract, and the assumption that it settles. */
function locate(
  contract: Contract,
  { kind, pointer, detail, isSimulated }: Observation,
  { operation, status }: ObservedResponse,
): { readonly place: string | undefined; readonly assumption: Assumption | undefined } {
  const { document } = contract
  const response = findResponse(document, operation, status)
  if (!response) return locateStatus(contract, operation, status)
  const whole = [response.site, response.pointer]
  if (kind === 'header') {
    const place = joinPointer(response.pointer, 'headers')
    return { place: `${place}/${detail}`, assumption: findAssumption(contract, whole) }
  }
  const parent = pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')))
  const own = pointer === '' ? undefined : findSchema(document, operation, status, pointer)
  const owner = findSchema(document, operation, status, parent)
  // Whether a member is there is settled by its object, and what it holds by its schema.
  const isAboutOwner = isAboutMember(kind) || isSimulated || parent === ''
  const places = [
    own?.site,
    ...(isAboutMember(kind) ? [] : [own?.pointer]),
    ...(isAboutOwner ? [owner?.site, owner?.pointer] : []),
  ]
  return {
    place: own?.site ?? owner?.pointer ?? response.pointer,
    assumption: findAssumption(contract, [...places, ...(parent === '' ? whole : [])]),
  }
}

/** Finds the documented responses of the same class, whose status is an assumption that another status settles. */
function locateStatus(contract: Contract, operation: ObservedResponse['operation'], status: number) {
  const { document } = contract
  const isAlike = (other: number) => Math.floor(other / 100) === Math.floor(status / 100)
  const near = operation.statuses.filter(isAlike).flatMap((other) => findResponse(document, operation, other) ?? [])
  const pointer = findOperation(document, operation)
  // A refused request is what 400 stands for; this status says nothing about other errors, which have their own.
  const isSuccess = status >= 200 && status < 300
  const settled = near.filter(({ site }) => isSuccess || (status === 422 && site.endsWith('/400')))
  return {
    place: pointer === undefined ? undefined : joinPointer(pointer, 'responses'),
    assumption: findAssumption(
      contract,
      settled.flatMap((found) => [found.site, found.pointer]),
    ),
  }
}
