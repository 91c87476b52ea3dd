import type { FindingsReport } from '../../reports/report.ts'
import { createSections } from '../../reports/sections.ts'
import type { SuiteGate } from '../parse-suite-fail-on.ts'
import type { PlannedRun } from '../plan/plan.ts'
import { countGoodAnswers, hasGoodAnswer } from '../report/good-answers.ts'
import { judgeRequests } from '../report/judge-suite.ts'
import type { JudgedRun } from '../report/suite-report.ts'
import { isRed, judgeRuns, type RunOutcome } from '../report/verdict.ts'
import type { PlainRun } from '../runs/plain-runs.ts'
import type { EndedRun, RunEnds } from '../runs/suite-run.ts'

/** Returns true for a run that counts only if a second one agrees: red, swallowed, or without its fault. */
export function mustRepeat(run: PlannedRun, first: EndedRun, plain: PlainRun): boolean {
  return isRed(first) || ['never-succeeded', 'not-reached'].includes(judgeRuns(run, [toOutcome(first, plain)]))
}

/** Judges a run by itself and its repetition. `failOn`: the conditions of `--fail-on`. */
export function judgeRun(run: PlannedRun, ends: RunEnds, plain: PlainRun, failOn: readonly SuiteGate[]): JudgedRun {
  const { recorder, code, isTimedOut, lastLines } = chooseShown(ends)
  const { target } = recorder
  return {
    run,
    verdict: judgeRuns(
      run,
      ends.map((ended) => toOutcome(ended, plain)),
    ),
    made: ends.length,
    answers: target && countGoodAnswers(plain, recorder.requests, target),
    code,
    isTimedOut,
    ms: ends.reduce((sum, { ms }) => sum + ms, 0),
    client: unique(ends.flatMap(({ findings }) => listClientFindings(findings, plain.report))),
    failed: unique(ends.flatMap(({ findings }) => judgeRequests(findings, failOn))),
    lastLines,
    requests: recorder.listLastLines(),
  }
}

const unique = (lines: readonly string[]): readonly string[] => [...new Set(lines)]

/** Chooses the run that the report shows: a red one, if possible one that hung or failed before the fault. */
function chooseShown(ends: RunEnds): EndedRun {
  const red = ends.filter(isRed)
  const odd = red.find(({ isTimedOut, recorder }) => isTimedOut || !recorder.target)
  return odd ?? red.at(-1) ?? ends[0]
}

function toOutcome({ code, isTimedOut, recorder }: EndedRun, plain: PlainRun): RunOutcome {
  const { target, requests } = recorder
  const hasSucceeded = target !== undefined && hasGoodAnswer(plain, requests, target)
  return { code, isTimedOut, wasApplied: target !== undefined, hasSucceeded }
}

/** Lists the findings on the client that the plain run does not have: `manners: createEvent: retry-after: ...`. */
function listClientFindings(report: FindingsReport, plain: FindingsReport): string[] {
  const known = new Set(listSentences(plain))
  return listSentences(report).filter((sentence) => !known.has(sentence))
}

function listSentences(report: FindingsReport): string[] {
  return createSections(report)
    .filter(({ key }) => key !== 'advice')
    .flatMap(({ key, findings }) => findings.map(({ title, sentence }) => `${key}: ${title}: ${sentence}`))
}
