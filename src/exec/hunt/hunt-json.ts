import type { JsonObject } from '../../core/json.ts'
import { circumstancesToJson } from '../report/suite-json.ts'
import { type Candidate, toRules } from './candidate.ts'
import { countRuns, describeHuntFinding, type HuntFinding, type HuntReport } from './hunt-report.ts'

export function huntToJson(report: HuntReport): JsonObject {
  const { counts, scenarios, unrepeatable, neverSucceeded, end, finding } = report
  const { plainCounts, changes, failed } = report
  return {
    found: finding ? huntFindingToJson(finding, report) : null,
    summary: {
      runs: countRuns(counts),
      ...counts,
      shrinkingRuns: finding?.shrinkingRuns ?? 0,
      unrepeatable,
      neverSucceeded,
      changes: [...changes],
      endedBy: end,
      scenarios: [...scenarios],
      requestsWithoutFaults: { ...plainCounts },
      failOn: [...failed],
    },
    ...circumstancesToJson(report),
  }
}

function huntFindingToJson(finding: HuntFinding, report: HuntReport): JsonObject {
  const { verdict, code, candidate, drawn, certainty, tally, file, repeat, lastLines, requests } = finding
  return {
    verdict,
    code,
    sentence: describeHuntFinding(finding, report),
    steps: stepsToJson(candidate),
    drawn: stepsToJson(drawn),
    rules: toRules(candidate).map((rule) => ({ ...rule })),
    certainty,
    runs: { ...tally },
    shrunk: certainty === 'confirmed',
    confirmed: certainty === 'confirmed',
    file: file ?? null,
    repeat,
    lastLines: [...lastLines],
    requests: [...requests],
  }
}

const stepsToJson = (candidate: Candidate): JsonObject[] =>
  candidate.map(({ operation, occurrence, scenario }) => ({
    operation: operation.id,
    occurrence,
    scenario: scenario.text,
  }))
