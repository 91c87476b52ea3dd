import type { JsonObject } from '../../core/json.ts'
import { listFindings } from './suite-findings.ts'
import {
  countRepeated,
  countVerdicts,
  hasOnlyClientFindings,
  type JudgedRun,
  type SuiteReport,
  summarizeGroups,
} from './suite-report.ts'

export function suiteToJson(report: SuiteReport): JsonObject {
  const { runs, plainCounts, equivalent, leftOut, changes, notMade, earlyEnd, failed } = report
  return {
    runs: runs.map(suiteRunToJson),
    summary: {
      ...countVerdicts(runs),
      made: runs.filter((one) => one.made > 0).length,
      repeated: countRepeated(runs),
      equivalent,
      leftOut: leftOut.map(({ operation, occurrences, sameAs }) => ({
        operation,
        occurrences: [...occurrences],
        like: [...sameAs],
      })),
      clientFindings: runs.filter(hasOnlyClientFindings).length,
      changes: [...changes],
      notMade,
      ...(earlyEnd && { endedBy: earlyEnd }),
      requestsWithoutFaults: { ...plainCounts },
      groups: summarizeGroups(runs).map(({ group, counts, percent, withClientFindings }) => ({
        group,
        ...counts,
        percent: percent ?? null,
        clientFindings: withClientFindings,
      })),
      failOn: [...failed],
    },
    truncated: notMade > 0,
    findings: listFindings(report).map(({ client, lastLines, requests, ...finding }) => ({
      ...finding,
      client: [...client],
      lastLines: [...lastLines],
      requests: [...requests],
    })),
    ...circumstancesToJson(report),
  }
}

/** Converts the contract of a report and what it was made with to JSON. */
export function circumstancesToJson({ contract, run }: Pick<SuiteReport, 'contract' | 'run'>): JsonObject {
  const { at, version, command, seed, clock, contractDigest } = run
  return {
    contract: { ...contract },
    run: {
      at: new Date(at).toISOString(),
      version,
      command: command ?? null,
      seed,
      clock: { mode: clock.mode, now: new Date(clock.now).toISOString() },
      contract: contractDigest,
    },
  }
}

function suiteRunToJson({ run: { fault, operation, occurrence, pointer }, verdict }: JudgedRun): JsonObject {
  return { fault: fault.name, operation, occurrence, ...(pointer !== undefined && { pointer }), verdict }
}
