import { type Fault, parseFaultSet } from '../../../src/features/exec/plan/fault-set.ts'
import type { PlannedRun } from '../../../src/features/exec/plan/plan.ts'
import type { JudgedRun, SuiteVerdict } from '../../../src/features/exec/report/judge-run.ts'
import { toSuitePage } from '../../../src/features/exec/report/suite-page.ts'
import type { SuiteReport } from '../../../src/features/exec/report/suite-report.ts'
import type { RecordedRequest } from '../../../src/features/exec/runs/recorded-request.ts'
import { eachSettings, parseSuiteFailOn } from '../../../src/features/exec/settings.ts'
import { renderReport, reportFormats } from '../../../src/server/reports/formats/index.ts'
import { renderText } from '../../../src/server/reports/page/text.ts'
import type { Report } from '../../../src/server/reports/report.ts'
import { defaultsOf } from '../../../src/server/settings/setting.ts'
import { inputs, operationOf } from '../../support/catalogue.ts'
import { frozenNow } from '../../support/start.ts'

export const context = { catalogue: inputs.catalogue, operations: inputs.contract.operations }

export function faultsIn(set: string): readonly Fault[] {
  const faults = parseFaultSet(set, context)
  if (!faults.ok) throw new Error(faults.error)
  return faults.value.faults
}

/** Returns the error for a set that cannot be parsed, or an empty string if the set is valid. */
export function problemOf(set: string): string {
  const faults = parseFaultSet(set, context)
  return faults.ok ? '' : faults.error
}

/** Creates recorded requests. Each signature names an operation and a body shape, such as `createEvent a`. */
export function requestsOf(...signatures: readonly string[]): RecordedRequest[] {
  const counts = new Map<string, number>()
  return signatures.map((signature, receivedAt) => {
    const [id = ''] = signature.split(' ')
    const occurrence = (counts.get(id) ?? 0) + 1
    counts.set(id, occurrence)
    return {
      operation: operationOf(id),
      occurrence,
      call: signature,
      members: new Map(),
      signature,
      status: 200,
      isOrdinary: true,
      isGood: true,
      stored: undefined,
      response: { success: true, eventId: 'an id' },
      line: `${id} 200`,
      receivedAt,
      scenarios: [],
      damage: [],
    }
  })
}

/** Creates a judged run from a description such as `reset createEvent 2` or `drop-field createEvent /eventId`. */
export function judgedRun(description: string, verdict: SuiteVerdict, parts: Partial<JudgedRun> = {}): JudgedRun {
  const [scenario = '', operation = '', target = ''] = description.split(' ')
  const [fault] = faultsIn(scenario)
  if (!fault) throw new Error(`Unknown fault "${scenario}".`)
  const pointer = target.startsWith('/') ? target : undefined
  const run: PlannedRun = { fault, operation, pointer, occurrence: pointer ? 1 : Number(target), isReachable: true }
  const isRed = ['broke', 'noticed', 'hung', 'flaky'].includes(verdict)
  const end = { code: isRed ? 1 : 0, isTimedOut: verdict === 'hung' }
  const responses = verdict === 'not-reached' ? undefined : { expected: 1, got: verdict === 'recovered' ? 1 : 0 }
  const lists = { client: [], failed: [], lastLines: [], requests: [] }
  return { run, verdict, attemptCount: isRed ? 2 : 1, responses, ...end, ms: 250, ...lists, ...parts }
}

/** Creates a report on judged runs. `failOn`: the value of `--fail-on`. The coverage of the baseline run is 1%. */
export function reportOn(
  runs: readonly JudgedRun[],
  parts: Partial<SuiteReport> = {},
  failOn = '',
  requests = requestsOf('createEvent a'),
): SuiteReport {
  const now = Date.parse(frozenNow)
  const clock = { mode: 'frozen', now }
  const noFindings = { violations: none, unexpected: none, retries: none, advice: none }
  const report = {
    contract: { title: 'Made up', version: '1' },
    run: { at: now, version: '1.0.0', command: undefined, seed: '0', clock, contractDigest: 'sha256:0', failOn: [] },
    findings: noFindings,
    unjudged: [],
    unmet: [],
    coverage: () => ({ percent: 1 }),
  } as unknown as Report
  return {
    suite: { settings: defaultsOf(eachSettings), args: ['npm', 'test'], failOn: parseSuiteFailOn(failOn) ?? [] },
    baseline: { requests, varying: new Set(), report, limitMs: 1500, changes: [] },
    plan: { skippedRuns: 0, skippedRequests: [] },
    runs,
    notMade: 0,
    earlyEnd: undefined,
    changes: [],
    failed: [],
    ...parts,
  }
}

const none = { list: [], further: 0 }

const renderAs = (format: keyof typeof reportFormats) => (report: SuiteReport) =>
  renderReport(reportFormats[format], toSuitePage(report))

/** Functions that render a report, by format. */
export const render = {
  text: (report: SuiteReport) => renderText(toSuitePage(report)),
  html: renderAs('html'),
  json: renderAs('json'),
  junit: renderAs('junit'),
  markdown: renderAs('markdown'),
  github: renderAs('github'),
}

/** Renders a report in each format that is meant for people. */
export const renderForPeople = (report: SuiteReport) =>
  [render.text, render.markdown, render.html].map((renderOne) => renderOne(report))
