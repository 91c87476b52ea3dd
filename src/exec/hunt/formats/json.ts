import type { JsonObject } from '../../../core/json.ts'
import { type Candidate, toRules } from '../candidate.ts'
import { describeHuntFinding, type HuntFinding, type HuntReport } from '../hunt-report.ts'

/** Renders the outcome of a hunt as JSON. */
export function renderHuntJson(report: HuntReport): string {
  const { contract, run, counts, scenarios, unrepeatable, neverSucceeded, end, finding } = report
  const { plainCounts, changes, failed } = report
  const { command, version, seed, clock, contractDigest } = run
  const json: JsonObject = {
    found: finding ? findingToJson(finding, report) : null,
    summary: {
      runs: counts.single + counts.pair + counts.longer,
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
  return `${JSON.stringify(json, null, 2)}\n`
}

function findingToJson(finding: HuntFinding, report: HuntReport): JsonObject {
  const { verdict, code, candidate, drawn, certainty, tally, needed, file, repeat, lastLines, requests } =
    finding
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
    confirmed: certainty === 'confirmed' && needed.length === candidate.length,
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
