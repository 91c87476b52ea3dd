import type { Json } from '../../../base/core/json.ts'
import { joinPointer, parsePointer } from '../../../base/core/json-pointer.ts'
import { cutText } from '../../../base/core/text.ts'
import { isHiddenText, redactJson, redactText } from '../../../base/redaction/redact.ts'
import { redacted } from '../../../base/redaction/redact-token.ts'
import type { Assumption, Contract, Operation } from '../../../service/contract/contract.ts'
import { simulatedValues } from '../../../service/contract/simulated-values.ts'
import { isAboutMember, type ResponseDifference } from '../observe/observe.ts'
import { findResponse, findSchema, parentOf } from '../observe/places.ts'

export interface DriftFinding extends Omit<ResponseDifference, 'value'> {
  readonly operation: Operation
  readonly status: number
  readonly seen: number
  /** The number of the operation's responses with this status, or of all responses if the status is undocumented. */
  readonly of: number
  /** True if a client generated from the contract may fail. */
  readonly breaks: boolean
  /** The first response with this difference: the redacted request, and the redacted value as truncated JSON. */
  readonly sample: { readonly request: string; readonly value: string | undefined }
  readonly contractPointer: string
  /** The most specific assumption about this part of the contract; undefined if there is none. */
  readonly assumption: Assumption | undefined
  /** True if there is an assumption and the finding shows that it is wrong. */
  readonly settles: boolean
  /** Distinct values at the pointer. A patch uses their types and, for an enum, the values themselves. */
  readonly values: readonly Json[]
}

export interface Tally {
  readonly first: ResponseDifference
  readonly status: number
  readonly request: string
  seen: number
  /** The distinct values at the pointer, keyed by their JSON. */
  readonly values: Map<string, Json>
}

export const breaksClients = ({ kind, keyword, isSimulated }: ResponseDifference) =>
  !isSimulated && (kind !== 'new-field' || keyword !== '')

/** The number of unlisted values at which an enum counts as open-ended. */
const minOpenEndedValues = 3

/** Creates a finding from a tally. `of` is the number of responses in which the difference could occur. */
export function toFinding(
  { first, status, request, seen, values: seenValues }: Tally,
  of: number,
  contract: Contract,
  operation: Operation,
  token: string | undefined,
): DriftFinding {
  const { value, ...described } = first
  const { pointer, detail } = described
  // A name on the path to a value may mark the value as a credential: `/accessToken`, `/secrets/0`.
  const isSecret = (item: Json) => parsePointer(pointer).some((name) => isHiddenText(name, JSON.stringify(item)))
  const redact = (item: Json) => (isSecret(item) ? redacted : redactJson(item, token))
  const isEnumValue = first.kind === 'enum-value'
  const kind = isEnumValue && seenValues.size >= minOpenEndedValues ? 'no-enum' : first.kind
  const values = isEnumValue ? [...seenValues.values()].map(redact) : [...seenValues.values()]
  const shown = value === undefined ? undefined : JSON.stringify(redact(value))
  const clean = redactText(first.message, token)
  const message = shown === JSON.stringify(redacted) ? clean.replace(/; got .*$/s, `; got ${redacted}`) : clean
  return {
    ...described,
    kind,
    operation,
    status,
    pointer: redactText(pointer, token),
    detail: redactText(detail, token),
    seen,
    of,
    breaks: breaksClients(first),
    message: isEnumValue && values.length > 1 ? describeValues(values) : message,
    sample: { request, value: shown && cutText(shown, 120) },
    ...locate(contract, operation, status, first),
    values,
  }
}

function describeValues(values: readonly Json[]): string {
  const shown = values.slice(0, 5).map((value) => cutText(JSON.stringify(value), 60))
  const more = values.length > shown.length ? ', ...' : ''
  return `has ${values.length} unlisted values: ${shown.join(', ')}${more}`
}

function locate(
  { document, assumptions }: Contract,
  operation: Operation,
  status: number,
  { kind, pointer, detail, isSimulated }: ResponseDifference,
): Pick<DriftFinding, 'contractPointer' | 'assumption' | 'settles'> {
  type Sites = readonly (string | undefined)[]
  const withAssumption = (contractPointer: string, near: Sites, settled: Sites) => {
    const [assumption] = near.flatMap((site) => assumptions.find((one) => one.pointer === site) ?? [])
    return { contractPointer, assumption, settles: assumption !== undefined && settled.includes(assumption.pointer) }
  }
  const response = findResponse(document, operation, status)
  if (!response) {
    // An undocumented success status contradicts the assumptions about documented ones; an error status does not.
    const isSuccess = (code: number) => code >= 200 && code < 300
    const successes = operation.statuses.filter((other) => isSuccess(status) && isSuccess(other))
    const documented = successes.flatMap((other) => findResponse(document, operation, other) ?? [])
    const sites = documented.flatMap((found) => [found.site, found.pointer])
    return withAssumption(joinPointer(operation.pointer, 'responses'), sites, sites)
  }
  const responseSites = [response.site, response.pointer]
  if (kind === 'header') return withAssumption(joinPointer(response.pointer, 'headers', detail), responseSites, [])
  const parent = parentOf(pointer)
  const own = pointer === '' ? undefined : findSchema(document, operation, status, pointer)
  const owner = findSchema(document, operation, status, parent)
  // The object's schema says whether a member may exist; the member's own schema says which values it may have.
  const sites = isAboutMember(kind) ? [own?.site, owner?.site, owner?.pointer] : [own?.site, own?.pointer]
  // A missing or new member may be unrelated to the assumption. If the schema has `x-simulated-values`, the assumption
  // is about those values, so a violation of another rule in the schema may also be unrelated to the assumption.
  const isRelated = isSimulated || !(isAboutMember(kind) || own?.value[simulatedValues])
  const near = [...sites, ...(parent === '' ? responseSites : [])]
  return withAssumption(own?.site ?? owner?.pointer ?? response.pointer, near, isRelated ? sites : [])
}
