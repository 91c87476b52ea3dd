import { nameMember, type RecordedRequest } from '../plan/recorded-request.ts'

/** The numbers of good responses to a call, without faults and under a fault. */
export interface ResponseCounts {
  readonly expected: number
  readonly got: number
}

/** The requests without faults, which those under a fault are compared with. */
export interface PlainRequests {
  readonly requests: readonly RecordedRequest[]
  /** The members whose values differ between two runs without faults; see `findVaryingMembers`. */
  readonly varying: ReadonlySet<string>
}

type FaultyCall = Pick<RecordedRequest, 'call' | 'operation' | 'members'>

/**
 * Counts the good responses to tries of a faulted call. They are counted, since the next test may make the same call:
 * its response is no response to the faulted one. If the run without faults has no such call, since its values are
 * random, those of the same shape are counted, else those of the same operation.
 */
export function countGoodResponses(
  { requests, varying }: PlainRequests,
  run: readonly RecordedRequest[],
  faulted: FaultyCall,
): ResponseCounts {
  const good = requests.filter(({ isGood }) => isGood)
  const isSameOperation = ({ operation }: FaultyCall) => operation?.id === faulted.operation?.id
  const isSameShape = ({ call }: FaultyCall) => call === faulted.call
  const isTry = (one: FaultyCall) => isSameOperation(one) && isTryOf(one, faulted, varying)
  const isLike = [isTry, isSameShape].find((isAlike) => good.some(isAlike)) ?? isSameOperation
  return { expected: good.filter(isLike).length, got: run.filter((one) => one.isGood && isLike(one)).length }
}

/**
 * Returns true for a request with the `insertId` of a faulted one, or with all its values that do not vary between
 * runs. A client may add members when it tries again, such as `eventAt`.
 */
function isTryOf(one: FaultyCall, faulted: FaultyCall, varying: ReadonlySet<string>): boolean {
  const insertId = faulted.members.get('/insertId')
  if (insertId !== undefined && one.members.get('/insertId') === insertId) return true
  return [...faulted.members].every(
    ([name, value]) => one.members.get(name) === value || varying.has(nameMember(faulted.call, name)),
  )
}

/** Returns true if a faulted call got a good response: at once, such as a slow one, or in a further request. */
export function hasGoodResponse(
  plain: PlainRequests,
  run: readonly RecordedRequest[],
  faulted: RecordedRequest,
): boolean {
  const { expected, got } = countGoodResponses(plain, run, faulted)
  return faulted.isGood || got >= expected
}
