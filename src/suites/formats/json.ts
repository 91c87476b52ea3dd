import type { JsonObject } from '../../core/json.ts'
import {
  countVerdicts,
  type JudgedRun,
  listFindings,
  type SuiteReport,
  summarizeGroups,
} from '../suite-report.ts'

/** Renders a report as JSON. */
export function renderJson(report: SuiteReport): string {
  return `${JSON.stringify(reportToJson(report), null, 2)}\n`
}

function reportToJson(report: SuiteReport): JsonObject {
  const { contract, run, runs, plainCounts, equivalent, notMade, earlyEnd, failed } = report
  const { command, version, seed, clock, contractDigest } = run
  return {
    runs: runs.map(runToJson),
    summary: {
      ...countVerdicts(runs),
      made: runs.filter(({ code }) => code !== undefined).length,
      equivalent,
      notMade,
      ...(earlyEnd && { endedBy: earlyEnd }),
      requestsWithoutFaults: { ...plainCounts },
      groups: summarizeGroups(runs).map(({ group, counts, percent }) => ({
        group,
        ...counts,
        percent: percent ?? null,
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
    contract: { ...contract },
    run: {
      at: new Date(run.at).toISOString(),
      version,
      command: command ?? null,
      seed,
      clock: { mode: clock.mode, now: new Date(clock.now).toISOString() },
      contract: contractDigest,
    },
  }
}

function runToJson({ run: { fault, operation, occurrence, pointer }, verdict }: JudgedRun): JsonObject {
  return { fault: fault.name, operation, occurrence, ...(pointer !== undefined && { pointer }), verdict }
}
