import type { SuiteGate } from '../parse-suite-fail-on.ts'
import type { PlannedRun } from '../plan/plan.ts'
import { listClientFindings } from '../report/client-findings.ts'
import { countGoodAnswers, hasGoodAnswer } from '../report/good-answers.ts'
import { judgeRequests } from '../report/judge-suite.ts'
import type { JudgedRun } from '../report/suite-report.ts'
import { isRed, judgeRuns, needsSecondRun, type RunOutcome } from '../report/verdict.ts'
import type { EndedRun } from './faulty-run.ts'
import type { PlainRun } from './plain-runs.ts'

/** Returns true for a run that is made once more before it counts. */
export function mustRepeat(run: PlannedRun, ended: EndedRun, plain: PlainRun): boolean {
  return needsSecondRun(run, toOutcome(ended, plain))
}

/**
 * Judges a run by itself and its repetition. `again`: undefined if it needs none. `failOn`: the conditions of
 * `--fail-on`.
 */
export function judgeRun(
  run: PlannedRun,
  ended: EndedRun,
  again: EndedRun | undefined,
  plain: PlainRun,
  failOn: readonly SuiteGate[],
): JudgedRun {
  const all = again ? [ended, again] : [ended]
  const shown = chooseShown(ended, all)
  const struck = shown.recorder.struck
  return {
    run,
    verdict: judgeRuns(run, toOutcome(ended, plain), again && toOutcome(again, plain)),
    made: all.length,
    wasMet: struck !== undefined,
    answers: struck && countGoodAnswers(plain, shown.recorder.requests, struck),
    code: shown.code,
    isTimedOut: shown.isTimedOut,
    ms: all.reduce((sum, { ms }) => sum + ms, 0),
    client: unique(all.flatMap(({ findings }) => listClientFindings(findings, plain.report))),
    failed: unique(all.flatMap(({ findings }) => judgeRequests(findings, failOn))),
    lastLines: shown.lastLines,
    requests: shown.recorder.listLastLines(),
  }
}

const unique = (lines: readonly string[]): readonly string[] => [...new Set(lines)]

/** Chooses the run that the report shows: a red one, if possible one that hung or failed before the fault. */
function chooseShown(first: EndedRun, all: readonly EndedRun[]): EndedRun {
  const red = all.filter(isRed)
  const odd = red.find(({ isTimedOut, recorder }) => isTimedOut || !recorder.struck)
  return odd ?? red.at(-1) ?? first
}

function toOutcome({ code, isTimedOut, recorder }: EndedRun, plain: PlainRun): RunOutcome {
  const { struck, requests } = recorder
  const hasSucceeded =
    struck !== undefined && hasGoodAnswer(struck, countGoodAnswers(plain, requests, struck))
  return { code, isTimedOut, wasMet: struck !== undefined, hasSucceeded }
}
