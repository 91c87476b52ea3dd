import type { JsonObject } from '../../core/json.ts'
import type { PageFinding } from '../../reports/page/page.ts'
import { renderText } from '../../reports/page/text.ts'
import type { Bundle, BundleVersions } from '../bundle.ts'
import { countReplayVerdicts, type ReplayedRequest, type ReplayVerdict } from './replay.ts'

/** A replay with what it was done with. */
export interface ReplayReport {
  readonly bundle: Pick<Bundle, 'writtenAt' | 'reasons' | 'versions' | 'contract'>
  /** The versions of this process. */
  readonly versions: BundleVersions
  /** The digest of the contract of the replay. */
  readonly contractDigest: string
  readonly results: readonly ReplayedRequest[]
}

/** Returns the verdict on a whole replay. A replay without any result is not judged. */
export function judgeReplay({ results }: ReplayReport): ReplayVerdict {
  const { differs, 'not-judged': open } = countReplayVerdicts(results)
  if (differs > 0) return 'differs'
  return open > 0 || results.length === 0 ? 'not-judged' : 'same'
}

/** Returns sentences about what the replay was done with in place of what the run had. */
function describeSurroundings({ bundle, versions, contractDigest }: ReplayReport): string[] {
  const names = ['convsim', 'faker'] as const
  const others = names.filter((name) => bundle.versions[name] !== versions[name])
  return [
    ...others.map(
      (name) =>
        `The run had ${name} ${bundle.versions[name]}, this is ${versions[name]}: ` +
        'another version may answer otherwise.',
    ),
    ...(bundle.contract.digest === contractDigest
      ? []
      : [`The run had the contract ${bundle.contract.digest}, this convsim has ${contractDigest}.`]),
  ]
}

/** Formats a replay as lines for people. */
export function formatReplay(report: ReplayReport): string {
  const { bundle, versions, contractDigest, results } = report
  const { same, differs, 'not-judged': open } = countReplayVerdicts(results.filter(({ id }) => id !== 'state'))
  const findings = results.filter(isRemarkable).map(replayFindingToPage)
  const reasons = bundle.reasons.length === 0 ? '' : ` (${bundle.reasons.join('; ')})`
  const lines = [
    `The bundle of ${bundle.writtenAt}${reasons} had Node ${bundle.versions.node}, this is ${versions.node}.`,
    ...describeSurroundings(report),
  ]
  const cut = { after: 20, rest: '--format json lists' }
  return renderText({
    subject: { title: 'Replay', version: contractDigest },
    heading: 'the bundle',
    verdict: {
      text:
        `Requests: ${same} same, ${differs} different, ${open} not judged. ` +
        `The state at the end: ${describeState(results)}.`,
      isGood: judgeReplay(report) === 'same',
    },
    sections: [
      ...(findings.length === 0
        ? []
        : [{ key: 'requests', title: 'Requests', blocks: [{ kind: 'findings', findings, cut } as const] }]),
      { key: 'bundle', title: 'Bundle', blocks: [{ kind: 'lines', lines }] },
    ],
  })
}

/** Returns true for a result that is more than "same". */
const isRemarkable = ({ verdict, reasons }: ReplayedRequest) => verdict !== 'same' || reasons.length > 0

const words: Readonly<Record<ReplayVerdict, string>> = {
  same: 'same',
  differs: 'different',
  'not-judged': 'not judged',
}

const severities = { same: 'info', 'not-judged': 'warning', differs: 'error' } as const

function describeState(results: readonly ReplayedRequest[]): string {
  const counts = countReplayVerdicts(results.filter(({ id }) => id === 'state'))
  if (counts.differs > 0) return words.differs
  if (counts['not-judged'] > 0) return words['not-judged']
  return counts.same > 0 ? words.same : 'not compared'
}

function replayFindingToPage({ sandbox, id, request, verdict, differences, reasons }: ReplayedRequest): PageFinding {
  const subject = id === 'state' ? 'the state at the end' : `${id} ${request}`
  return {
    severity: severities[verdict],
    title: `${subject} (sandbox ${sandbox})`,
    sentence: `${words[verdict]}${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}`,
    notes: differences.map(
      ({ part, expected, actual }) => `${part}: was ${JSON.stringify(expected)}, is ${JSON.stringify(actual)}`,
    ),
  }
}

/** Converts a replay to JSON. Of the requests it lists those whose answer is not simply the same. */
export function replayToJson(report: ReplayReport): JsonObject {
  const { bundle, versions, contractDigest, results } = report
  return {
    verdict: judgeReplay(report),
    counts: countReplayVerdicts(results.filter(({ id }) => id !== 'state')),
    state: describeState(results),
    warnings: describeSurroundings(report),
    run: { writtenAt: bundle.writtenAt, versions: { ...bundle.versions }, contract: bundle.contract.digest },
    replay: { versions: { ...versions }, contract: contractDigest },
    requests: results.filter(isRemarkable).map(({ differences, reasons, ...result }) => ({
      ...result,
      differences: differences.map((difference) => ({ ...difference })),
      reasons: [...reasons],
    })),
  }
}
