import type { Json } from '../../../base/core/json.ts'
import { joinPointer, parsePointer } from '../../../base/core/json-pointer.ts'
import { cutText } from '../../../base/core/text.ts'
import { isHiddenText, redactJson, redactText } from '../../../base/redaction/redact.ts'
import { redacted } from '../../../base/redaction/redact-token.ts'
import type { Contract, Operation } from '../../../service/contract/contract.ts'
import { isAboutMember, type Observation } from '../observe/observation.ts'
import { findResponse, findSchema, parentOf } from '../observe/places.ts'
import type { DriftFinding } from './finding.ts'
import type { Tally } from './tally.ts'

const maxSampleLength = 120

export interface FindingContext {
  readonly contract: Contract
  readonly operation: Operation
  readonly status: number
  /** The token of the real service, which is redacted everywhere, if any. */
  readonly token: string | undefined
}

/** Makes a finding of equal differences; without a response it is a note. `of`: the responses that could show it. */
export function toFinding(
  { first, samples, seen, values }: Pick<Tally, 'first' | 'samples' | 'seen' | 'values'>,
  of: number,
  context: FindingContext,
): DriftFinding {
  const { contract, operation, status, token } = context
  const { value, ...described } = first
  const { kind, pointer, detail, message } = described
  const isDrift = seen > 0
  // A name on the way to a value, or its new name, may say that it is a credential: `/accessToken`, `/secrets/0`.
  const names = parsePointer(pointer).concat(kind === 'renamed-field' ? detail : [])
  const isSecret = (item: Json) => names.some((name) => isHiddenText(name, JSON.stringify(item)))
  const redact = (item: Json) => (isSecret(item) ? redacted : redactJson(item, token))
  const shown = value === undefined ? undefined : JSON.stringify(redact(value))
  const clean = redactText(message, token)
  const { place, settled } = locate(context, first)
  const settledAssumptions = settled.flatMap((at) => contract.assumptions.find((one) => one.pointer === at) ?? [])
  return {
    ...described,
    operation,
    status,
    pointer: redactText(pointer, token),
    detail: redactText(detail, token),
    seen,
    of,
    breaks: isDrift && breaksClients(first),
    isDrift,
    message: shown === hidden ? clean.replace(/; got .*$/s, `; got ${redacted}`) : clean,
    sample: { request: samples[0]?.request ?? '', value: shown && cutText(shown, maxSampleLength) },
    place,
    // An absence proves nothing, so it settles no assumption either.
    assumption: isDrift ? settledAssumptions[0] : undefined,
    // Of a list the patch takes the values themselves.
    values: kind === 'enum-value' ? values.map(redact) : values,
  }
}

/** Returns true for a difference at which a client generated from the contract may fail. */
export const breaksClients = ({ kind, keyword, isSimulated }: Observation) =>
  !isSimulated && (kind !== 'new-field' || keyword !== '')

const hidden = JSON.stringify(redacted)

/** Finds the place of a difference in the contract, and those whose assumptions it settles, the most specific first. */
function locate(context: FindingContext, { kind, pointer, detail, isSimulated }: Observation) {
  const { operation, status } = context
  const { document } = context.contract
  const response = findResponse(document, operation, status)
  if (!response) return locateStatus(context)
  const whole = [response.site, response.pointer]
  if (kind === 'header') return { place: joinPointer(response.pointer, 'headers', detail), settled: whole }
  const parent = parentOf(pointer)
  const own = pointer === '' ? undefined : findSchema(document, operation, status, pointer)
  const owner = findSchema(document, operation, status, parent)
  // Whether a member is there is settled by its object, and what it holds by its schema.
  const isMember = isAboutMember(kind)
  return {
    place: own?.site ?? owner?.pointer ?? response.pointer,
    settled: [
      own?.site,
      ...(isMember ? [] : [own?.pointer]),
      ...(isMember || isSimulated || parent === '' ? [owner?.site, owner?.pointer] : []),
      ...(parent === '' ? whole : []),
    ],
  }
}

/** Locates an undocumented status at the documented responses of the same class. */
function locateStatus({ contract: { document }, operation, status }: FindingContext) {
  const isAlike = (other: number) => Math.floor(other / 100) === Math.floor(status / 100)
  const near = operation.statuses.filter(isAlike).flatMap((other) => findResponse(document, operation, other) ?? [])
  // A refused request is what 400 stands for; this status says nothing about other errors, which have their own.
  const isSuccess = status >= 200 && status < 300
  const settled = near.filter(({ site }) => isSuccess || (status === 422 && site.endsWith('/400')))
  return {
    place: joinPointer(operation.pointer, 'responses'),
    settled: settled.flatMap((found) => [found.site, found.pointer]),
  }
}
