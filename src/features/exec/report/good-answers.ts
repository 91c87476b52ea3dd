import { nameMember, type RecordedRequest } from '../plan/recorded-request.ts'

/** The numbers of good answers to a call, without faults and under a fault. */
export interface AnswerCounts {
  readonly expected: number
  readonly got: number
}

/** The requests without faults, which those under a fault are compared with. */
export interface PlainRequests {
  readonly requests: readonly RecordedRequest[]
  /** The members whose values differ between two runs without faults; see `findVaryingMembers`. */
  readonly varying: ReadonlySet<string>
}

type StruckCall = Pick<RecordedRequest, 'call' | 'operation' | 'members'>

/**
 * Counts the good answers to tries of a struck call. They are counted, since the next test may make the same call: its
 * answer is no answer to the struck one. If the run without faults has no such call, since its values are random, those
 * of the same shape are counted, else those of the same operation.
 */
export function countGoodAnswers(
  { requests, varying }: PlainRequests,
  run: readonly RecordedRequest[],
  struck: StruckCall,
): AnswerCounts {
  const good = requests.filter(({ isGood }) => isGood)
  const isSameOperation = ({ operation }: StruckCall) => operation?.id === struck.operation?.id
  const isSameShape = ({ call }: StruckCall) => call === struck.call
  const isTry = (one: StruckCall) => isSameOperation(one) && isTryOf(one, struck, varying)
  const isLike = [isTry, isSameShape].find((isAlike) => good.some(isAlike)) ?? isSameOperation
  return { expected: good.filter(isLike).length, got: run.filter((one) => one.isGood && isLike(one)).length }
}

/**
 * Returns true for a request with the `insertId` of a struck one, or with all its values that do not vary between runs.
 * A client may add members when it tries again, such as `eventAt`.
 */
function isTryOf(one: StruckCall, struck: StruckCall, varying: ReadonlySet<string>): boolean {
  const insertId = struck.members.get('/insertId')
  if (insertId !== undefined && one.members.get('/insertId') === insertId) return true
  return [...struck.members].every(
    ([name, value]) => one.members.get(name) === value || varying.has(nameMember(struck.call, name)),
  )
}

/** Returns true if a struck call got a good answer: at once, such as a slow one, or in a further request. */
export function hasGoodAnswer(plain: PlainRequests, run: readonly RecordedRequest[], struck: RecordedRequest): boolean {
  const { expected, got } = countGoodAnswers(plain, run, struck)
  return struck.isGood || got >= expected
}
