import { groupBy } from '../../../base/core/group-by.ts'
import type { Contract } from '../../../service/contract/contract.ts'
import type { ObservedResponse } from '../observe/response.ts'
import type { DriftFinding, DriftReport, NotJudged, NotJudgedReason } from './finding.ts'
import { judgeStatus } from './judge-status.ts'
import { OperationSummary } from './operation-summary.ts'

/** The responses of the real service, and the rules by which they are judged. */
export interface DriftInput {
  readonly responses: readonly ObservedResponse[]
  /** The operations on which a verdict is expected, by id: those that were probed, or that the traffic has. */
  readonly expected: ReadonlySet<string>
  /** An operation with fewer successful responses is not judged as the same. */
  readonly minSamples: number
  readonly notJudged: readonly NotJudged[]
  readonly howToGetMore: string
  /** The token of the real service, which is redacted everywhere, if any. */
  readonly token: string | undefined
  /** Is called before each response is compared, with the number of those before it. */
  readonly onProgress?: (compared: number, all: number) => void
}

/** Compares the shapes of responses with the contract, in linear time. Values never count. */
export function judgeDrift(contract: Contract, input: DriftInput): DriftReport {
  const { token, onProgress } = input
  const byOperation = groupBy(input.responses, ({ operation }) => operation.id)
  const summaries = new Map([...byOperation].map(([id, own]) => [id, new OperationSummary(id, own, token)]))
  const findings: DriftFinding[] = []
  let omitted = 0
  let compared = 0
  const onResponse = () => onProgress?.(compared++, input.responses.length)
  for (const { id } of contract.operations) {
    const summary = summaries.get(id)
    const own = byOperation.get(id) ?? []
    if (!summary) continue
    const byStatus = [...groupBy(own, ({ status }) => status)].sort(([a], [b]) => a - b)
    for (const [, responses] of byStatus) {
      const context = { contract, token, responses, responsesOfOperation: own.length, summary, onResponse }
      const judged = judgeStatus(context)
      findings.push(...judged.findings)
      omitted += judged.omitted
    }
  }
  const counts = [...summaries].map(([id, summary]) => [id, summary.judged] as const)
  const judged = new Map(counts.filter(([, count]) => count > 0))
  const notJudged = listNotJudged(input, summaries)
  const { title, version, file } = contract
  // Too few responses, a fault that cannot be read, and nothing judged at all are never the same.
  const isUnknown = judged.size === 0 || notJudged.some(({ reason }) => unknowns.includes(reason))
  const isDrift = findings.some((finding) => finding.isDrift)
  const verdict = isDrift ? 'drift' : isUnknown ? 'not-judged' : 'same'
  return { verdict, contract: { title, version, file }, judged, findings, omitted, notJudged }
}

const unknowns: readonly NotJudgedReason[] = ['too-few-samples', 'unreadable', 'check-stopped']

/** Lists the requests that the traffic lacks, operations with too few responses, and parts of responses. */
function listNotJudged(
  { expected, minSamples, notJudged, howToGetMore, token }: DriftInput,
  summaries: ReadonlyMap<string, OperationSummary>,
): NotJudged[] {
  // Where requests had no response to judge, their own reasons say what to do.
  const explained = new Set(notJudged.flatMap(({ request, operation }) => (request ? [operation] : [])))
  const tooFew = [...expected].flatMap((id) => {
    const summary = summaries.get(id) ?? new OperationSummary(id, [], token)
    const next = explained.has(id) ? 'This list has the reasons of the other requests.' : howToGetMore
    return summary.describeTooFew(minSamples, next) ?? []
  })
  return [...notJudged, ...tooFew, ...[...summaries.values()].flatMap((summary) => summary.listParts())]
}
