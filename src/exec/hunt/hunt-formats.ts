import type { JsonObject } from '../../core/json.ts'
import { listLines, type Page, type PageFinding } from '../../reports/page/page.ts'
import { describeRun } from '../../reports/reported-run.ts'
import { findFailure } from '../report/suite-findings.ts'
import { circumstancesToJson } from '../report/suite-formats.ts'
import { describePlainRun } from '../report/suite-report.ts'
import { type Candidate, describeStep, toRules } from './candidate.ts'
import {
  countRuns,
  describeHuntFinding,
  describeNeed,
  describeNothingFound,
  describeShrinking,
  type HuntFinding,
  type HuntReport,
  summarizeHunt,
} from './hunt-report.ts'

/** Describes the outcome of a hunt. In JUnit it is one test case, which fails where `--fail-on` does. */
export function toHuntPage(report: HuntReport): Page {
  const { contract, run, end, finding, failed } = report
  const found = finding && huntFindingToPage(finding, report)
  const summary = [describePlainRun(report), ...summarizeHunt(report)]
  const message = finding ? describeHuntFinding(finding, report) : (failed[0] ?? '')
  return {
    subject: contract,
    heading: 'hunt for faults that break the test suite',
    verdict: {
      text: finding ? `Found: ${message}` : describeNothingFound(report),
      isGood: !finding && end !== 'red-plain-run' && failed.length === 0,
    },
    summary,
    facts: describeRun(run),
    failed: report.hasFailOn ? failed : [],
    sections: found ? [{ key: 'findings', title: 'Found', blocks: [{ kind: 'findings', findings: [found] }] }] : [],
    cases: [
      {
        suite: 'hunt',
        name: 'survives combinations of faults',
        state: failed.length > 0 ? 'failed' : 'passed',
        type: finding?.verdict ?? 'fail-on',
        message,
        text: [...failed, ...(found ? listLines(found) : [describeNothingFound(report)]), ...summary].join('\n'),
      },
    ],
  }
}

function huntFindingToPage(finding: HuntFinding, report: HuntReport): PageFinding {
  const { candidate, file, repeat, requests, lastLines } = finding
  const folded = [
    { title: 'output', lines: lastLines, focus: findFailure(lastLines) },
    { title: 'requests', lines: requests },
  ]
  return {
    severity: report.failed.length > 0 ? 'error' : 'warning',
    title: candidate.map(describeStep).join(', and '),
    sentence: describeHuntFinding(finding, report),
    notes: [
      describeNeed(finding),
      describeShrinking(finding),
      ...(file === undefined ? [] : [`The scenarios are in ${file}. This repeats it:`]),
    ],
    details: [{ title: '', lines: file === undefined ? [] : [repeat] }, ...folded].filter(
      ({ lines }) => lines.length > 0,
    ),
  }
}

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
    rules: toRules(candidate),
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
