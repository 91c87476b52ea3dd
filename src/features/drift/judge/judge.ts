import { groupBy } from '../../../base/core/group-by.ts'
import type { Contract } from '../../../service/contract/contract.ts'
import type { ObservedAnswer } from '../observe/answer.ts'
import type { DriftFinding, DriftReport, NotJudged, NotJudgedReason } from './finding.ts'
import { judgeStatus } from './judge-status.ts'
import { OperationSummary } from './operation-summary.ts'

/** The answers of the real service, and the rules by which they are judged. */
export interface DriftInput {
  readonly answers: readonly ObservedAnswer[]
  /** The operations on which a verdict is expected, by id: those that were probed, or that the traffic has. */
  readonly expected: ReadonlySet<string>
  /** An operation with fewer successful answers is not judged as the same. */
  readonly minSamples: number
  readonly notJudged: readonly NotJudged[]
  readonly howToGetMore: string
  /** The token of the real service, which is redacted everywhere, if any. */
  readonly token: string | undefined
  /** Is called before each answer is compared, with the number of those before it. */
  readonly onProgress?: (compared: number, all: number) => void
}

/** Compares the shapes of answers with the contract, in linear time. Values never count. */
export function judgeDrift(contract: Contract, input: DriftInput): DriftReport {
  const { token, onProgress } = input
  const byOperation = groupBy(input.answers, ({ operation }) => operation.id)
  const summaries = new Map([...byOperation].map(([id, own]) => [id, new OperationSummary(id, own, token)]))
  const findings: DriftFinding[] = []
  let omitted = 0
  let compared = 0
  const onAnswer = () => onProgress?.(compared++, input.answers.length)
  for (const { id } of contract.operations) {
    const summary = summaries.get(id)
    const own = byOperation.get(id) ?? []
    if (!summary) continue
    const byStatus = [...groupBy(own, ({ status }) => status)].sort(([a], [b]) => a - b)
    for (const [, answers] of byStatus) {
      const context = { contract, token, answers, answersOfOperation: own.length, summary, onAnswer }
      const judged = judgeStatus(context)
      findings.push(...judged.findings)
      omitted += judged.omitted
    }
  }
  const counts = [...summaries].map(([id, summary]) => [id, summary.judged] as const)
  const judged = new Map(counts.filter(([, count]) => count > 0))
  const notJudged = listNotJudged(input, summaries)
  const { title, version, file } = contract
  // Too few answers, a fault that cannot be read, and nothing judged at all are never the same.
  const isUnknown = judged.size === 0 || notJudged.some(({ reason }) => unknowns.includes(reason))
  const isDrift = findings.some((finding) => finding.isDrift)
  const verdict = isDrift ? 'drift' : isUnknown ? 'not-judged' : 'same'
  return { verdict, contract: { title, version, file }, judged, findings, omitted, notJudged }
}

const unknowns: readonly NotJudgedReason[] = ['too-few-samples', 'unreadable', 'check-stopped']

/** Lists the requests that the traffic lacks, operations with too few answers, and parts of answers. */
function listNotJudged(
  { expected, minSamples, notJudged, howToGetMore, token }: DriftInput,
  summaries: ReadonlyMap<string, OperationSummary>,
): NotJudged[] {
  // Where requests had no answer to judge, their own reasons say what to do.
  const explained = new Set(notJudged.flatMap(({ request, operation }) => (request ? [operation] : [])))
  const tooFew = [...expected].flatMap((id) => {
    const summary = summaries.get(id) ?? new OperationSummary(id, [], token)
    const next = explained.has(id) ? 'This list has the reasons of the other requests.' : howToGetMore
    return summary.describeTooFew(minSamples, next) ?? []
  })
  return [...notJudged, ...tooFew, ...[...summaries.values()].flatMap((summary) => summary.listParts())]
}
