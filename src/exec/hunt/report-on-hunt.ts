import { readFile, stat } from 'node:fs/promises'
import { reasonOf } from '../../core/result.ts'
import { writePrivateFile } from '../../documents/private-file.ts'
import type { FindingsReport, Report } from '../../reports/report.ts'
import { describeCommand } from '../../reports/reported-run.ts'
import { parseSuiteFailOn, type SuiteGate } from '../parse-suite-fail-on.ts'
import type { Fault } from '../plan/fault-set.ts'
import { judgeSuite } from '../report/judge-suite.ts'
import { countByOperation } from '../report/suite-report.ts'
import type { PlainRun } from '../runs/plain-runs.ts'
import { describeRepeat } from '../runs/repeat-command.ts'
import type { SuiteOutcome, TestSuite } from '../runs/test-suite.ts'
import { type Candidate, describeStep, toRules } from './candidate.ts'
import { huntToJson, toHuntPage } from './hunt-formats.ts'
import { describeSwallowed, type HuntEnd, type HuntFinding, type HuntReport, redPlainRun } from './hunt-report.ts'
import type { ShrunkFinding } from './shrink.ts'

/** The outcome of the runs of a hunt. */
export interface HuntOutcome {
  readonly tally: Pick<HuntReport, 'counts' | 'unrepeatable' | 'neverSucceeded'> & {
    /** The findings on the requests of each run; empty without `--fail-on`. */
    readonly findings: readonly FindingsReport[]
  }
  /** See `SuiteReport.changes`. */
  readonly changes: readonly string[]
  readonly end: HuntEnd
  /** The candidate that broke the suite again, or undefined if none did. */
  readonly found: { readonly drawn: Candidate; readonly shrunk: ShrunkFinding } | undefined
}

/** The conditions of a hunt that names none: what it has found is a failure. */
const defaultFailOn = 'not-resilient,hung'

/** Writes the file of scenarios, and reports on the hunt. */
export async function reportOnHunt(
  { settings, files }: TestSuite,
  { plain, faults }: { readonly plain: PlainRun; readonly faults: readonly Fault[] },
  { tally, changes, end, found }: HuntOutcome,
): Promise<SuiteOutcome> {
  const { counts, unrepeatable, neverSucceeded, findings } = tally
  const repeat = describeRepeat(['--rules', huntFile], settings, files)
  const problem = found && (await writeHuntFile(found.shrunk.candidate, repeat))
  const file = problem === undefined ? huntFile : undefined
  const finding = found && { ...toHuntFinding(found.shrunk), drawn: found.drawn, file, repeat }
  const failOn = parseSuiteFailOn(settings.failOn ?? defaultFailOn) ?? []
  const { contract, run } = plain.report
  const report: HuntReport = {
    contract,
    run: { ...run, command: describeCommand(files) },
    plainCounts: countByOperation(plain.requests),
    limitMs: plain.limitMs,
    counts,
    neverSucceeded,
    finding,
    scenarios: faults.map(({ scenario }) => scenario.text),
    unrepeatable,
    end,
    hasFailOn: settings.failOn !== undefined,
    changes,
    failed: judgeHunt({ counts, neverSucceeded, finding }, plain.report, findings, failOn),
  }
  return {
    page: toHuntPage(report),
    toJson: () => huntToJson(report),
    failed: report.failed,
    problem: end === 'red-plain-run' ? redPlainRun : problem,
  }
}

function toHuntFinding({ ended, ...finding }: ShrunkFinding): Omit<HuntFinding, 'drawn' | 'file' | 'repeat'> {
  const { code, isTimedOut, lastLines, recorder } = ended
  const verdict = isTimedOut ? 'hung' : 'broke'
  return { ...finding, verdict, code, lastLines, requests: recorder.listLastLines() }
}

/** Judges a hunt and its requests. @returns a sentence for each condition that is met */
function judgeHunt(
  hunt: Pick<HuntReport, 'finding' | 'counts' | 'neverSucceeded'>,
  plain: Report,
  findings: readonly FindingsReport[],
  conditions: readonly SuiteGate[],
): string[] {
  const hasCondition = (wanted: SuiteGate['kind']) => conditions.some(({ kind }) => kind === wanted)
  const { finding } = hunt
  const isMet = finding && hasCondition(finding.verdict === 'hung' ? 'hung' : 'not-resilient')
  const faults = finding?.candidate.map(({ scenario }) => `"${scenario.text}"`).join(' and ')
  const swallowing = hasCondition('not-resilient') ? describeSwallowed(hunt) : undefined
  return [
    ...(isMet ? [`the command ${finding.verdict} under ${faults}`] : []),
    ...(swallowing === undefined ? [] : [swallowing]),
    ...judgeSuite([], plain, findings, conditions),
  ]
}

/** The file that a hunt writes, in the folder in which it runs. */
const huntFile = 'convsim-hunt.yaml'

/** The begin of each file that a hunt has written, which tells it from other files. */
const mark = '# Written by convsim exec --hunt'

/** Finds a problem that would prevent the file from being written, or would lose another file, if any. */
export async function findHuntFileProblem(): Promise<string | undefined> {
  const existing = await stat(huntFile).catch(() => undefined)
  if (!existing) return undefined
  if (!existing.isFile()) return `${huntFile} is no file.`
  const text = await readFile(huntFile, 'utf8').catch(() => '')
  if (text.startsWith(mark)) return undefined
  return `${huntFile} exists, and no hunt has written it, so it is not replaced. Move it away.`
}

/** Writes the scenarios of a candidate. @returns the reason of a failure; undefined for success */
async function writeHuntFile(candidate: Candidate, repeat: string): Promise<string | undefined> {
  const comments = [
    `${mark}. The command fails under these scenarios:`,
    ...candidate.map((step) => `- ${describeStep(step)}`),
    ...repeat.split(/[\r\n]+/),
  ]
  const head = comments.map((line, index) => (index === 0 ? line : `# ${line}`)).join('\n')
  try {
    await writePrivateFile(huntFile, `${head}\n${renderRules(candidate)}`)
    return undefined
  } catch (error) {
    return `${huntFile} cannot be written: ${reasonOf(error)}`
  }
}

/** Renders the rules of a candidate as YAML. */
export function renderRules(candidate: Candidate): string {
  const rules = toRules(candidate).map(
    ({ operation, sequence }) =>
      `  - operation: ${JSON.stringify(operation)}\n    sequence: ${JSON.stringify(sequence)}\n`,
  )
  return `rules:\n${rules.join('')}`
}
