import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { findFailure } from '../../../src/features/exec/report/suite-findings.ts'
import type { SuiteReport } from '../../../src/features/exec/report/suite-report.ts'
import { judgedRun, render, renderForPeople, reportOn, requestsOf } from './made-up.ts'

const recovered = judgedRun('reset createEvent 1', 'recovered')
const broken = judgedRun('reset createEvent 2', 'broke')
const flaky = judgedRun('reset createEvent 1', 'flaky')
const unreached = judgedRun('drop-field createEvent /eventId', 'not-reached', { attemptCount: 0 })
const swallowed = judgedRun('truncated createEvent 1', 'swallowed', { responses: { expected: 2, got: 1 } })
const skippedRequests = [{ operation: 'createEvent', occurrences: [2, 3, 4], similarTo: [1, 5] }]
const changes = ['at the end, the command failed with exit code 1']
const unmatched = requestsOf('createEvent a').map((request) => ({ ...request, operation: undefined }))
const mixed = reportOn([recovered, swallowed], { plan: { skippedRuns: 3, skippedRequests } })
const withFlaky = reportOn([flaky, broken], { changes })
const red = reportOn([recovered], { earlyEnd: 'red-baseline-run', notMade: 4 })

test.each<[string, SuiteReport, string]>([
  ['time ran out', reportOn([], { notMade: 3, earlyEnd: 'time' }), 'time ran out before'],
  ['the suite was interrupted', reportOn([], { notMade: 3, earlyEnd: 'interrupt' }), 'the suite was interrupted'],
  ['no response has the fields', reportOn([unreached]), 'no response has a field that can drift'],
  ['no fault applies', reportOn([]), 'none applies to an operation that the command calls'],
])('if no fault was injected, the report says why and does not claim success: %s', (_, report, reason) => {
  for (const text of renderForPeople(report)) {
    expect(text).toContain(`No fault was tested: ${reason}`)
    expect(text).not.toMatch(/There are none|No problems found/)
  }
  expect(render.text(report).startsWith('Runs:\nfault ')).toBe(report.runs.length > 0)
  expect(render.junit(report)).toContain('failures="1"')
})

test.each<[string, SuiteReport, RegExp]>([
  ['how many requests were skipped', mixed, /3 requests to createEvent \(similar to requests 1 and 5\)\./],
  ['that the verdicts are unreliable', withFlaky, /The verdicts are not reliable.*at the end, the command failed with/],
  ['that the command fails without faults', red, /The command fails without faults, too\./],
  ['how many runs are flaky', withFlaky, /1 of 2 runs is flaky and excluded from the percentages/],
])('the text, Markdown and HTML formats say %s', (_, report, words) => {
  for (const text of renderForPeople(report)) expect(text).toMatch(words)
})

test('the text, Markdown, HTML, JUnit and JSON formats say that a failure was swallowed', () => {
  for (const text of [...renderForPeople(mixed), render.junit(mixed), render.json(mixed)])
    for (const words of ['recovered', 'green, but the failure was swallowed']) expect(text).toContain(words)
  expect(render.html(mixed)).toContain('<td class="bad">green, but the failure was swallowed</td>')
})

test.each<[string, SuiteReport, RegExp]>([
  [
    'how many verdicts are good if a failure was swallowed',
    mixed,
    /^resilience: 1 of 2 good \(50%\): 1 recovered, 1 "green, but the failure was swallowed"\.$/m,
  ],
  ['a percentage that excludes flaky runs', withFlaky, /^resilience: 0 of 1 good \(0%\): 1 broke, 1 flaky\.$/m],
  ['how many runs were repeated', withFlaky, /^2 runs, 2 repeated\.$/m],
  ['no percentage if all runs are flaky', reportOn([flaky]), /^resilience: no verdict: 1 flaky\.$/m],
  ['why the suite ended early', red, /^1 run, 4 not run \(the command failed without faults\)\.$/m],
  ['a row for each run', reportOn([unreached, recovered]), /^drift:drop-field +createEvent +\/eventId +not reached$/m],
  [
    'how flaky runs disagree',
    reportOn([flaky]),
    /warning: Flaky: in at least one run, the command failed with exit code 1 when "reset" was injected into request 1 of /,
  ],
  [
    'that no fault was injected in a run in which the client broke a rule',
    reportOn([judgedRun('reset createEvent 2', 'not-reached', { client: ['advice: createEvent'] })]),
    /The client broke a rule; "reset" was not injected into request 2 of createEvent\./,
  ],
  [
    'how many requests match no operation',
    reportOn([], {}, '', [...requestsOf('createEvent a', 'createEvent b'), ...unmatched]),
    /Without faults, the command calls createEvent 2 times, and sends 1 request with no matching operation in the contract\./,
  ],
  [
    'which faults were injected into each field',
    reportOn([
      judgedRun('drop-field createEvent /eventId', 'unnoticed'),
      judgedRun('drop-field createEvent /success', 'noticed'),
      judgedRun('wrong-type createEvent /success', 'noticed'),
    ]),
    /no test notices when 1 field drifts \(drop-field\): \/eventId\.\n.*a test notices when 1 field drifts \(drop-field, wrong-type\): \/success\./,
  ],
])('the text format shows %s', (_, report, words) => {
  expect(render.text(report)).toMatch(words)
})

test('the JSON format has the verdicts, their counts and the skipped requests', () => {
  const { runs: rows, summary } = JSON.parse(render.json(mixed))
  expect(summary).toMatchObject({ recovered: 1, swallowed: 1 })
  expect(rows.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['recovered', 'swallowed'])
  expect(summary.skippedRequests).toEqual(skippedRequests)
  expect(JSON.parse(render.json(withFlaky))).toMatchObject({
    summary: { flaky: 1, made: 2, repeated: 2 },
    findings: [{ kind: 'flaky' }, { kind: 'not-resilient' }],
  })
})

describe('the JUnit report', () => {
  const parser = new XMLParser({ ignoreAttributes: false })
  const failures = (report: SuiteReport) => {
    const xml = render.junit(report)
    expect(XMLValidator.validate(xml)).toBe(true)
    return parser.parse(xml).testsuites['@_failures']
  }

  test('has the duration of each run', () => {
    expect(render.junit(reportOn([recovered]))).toContain('name="resilience:reset@createEvent#1" time="0.25"')
  })

  test('marks a flaky run as skipped and gives the reason', () => {
    expect(failures(withFlaky)).toBe('0')
    expect(render.junit(withFlaky)).toMatch(/<skipped message="Flaky: in at least one run/)
  })

  test('has a failure for each run that meets a --fail-on condition, and for a baseline run that fails', () => {
    const careless = { ...recovered, client: ['retries: createEvent: retry-after: too soon'] }
    const failed = ['1 retry problem']
    expect(failures(reportOn([{ ...careless, failed }], {}, 'retry'))).toBe('1')
    expect(failures(reportOn([careless]))).toBe('0')
    expect(failures(reportOn([careless], {}, 'coverage<2'))).toBe('1')
    expect(failures(red)).toBe('1')
  })
})

test('the number of good runs is followed by the number of those in which the client broke a rule', () => {
  const report = reportOn([{ ...recovered, client: ['retries: createEvent: retry-after: too soon'] }])
  expect(render.text(report)).toMatch(
    /^resilience: 1 of 1 good \(100%\): 1 recovered; in 1 good run, the client broke a rule/m,
  )
  const { summary } = JSON.parse(render.json(report))
  expect([summary.clientFindings, summary.groups[0].clientFindings]).toEqual([1, 1])
  expect(render.html(report)).toContain('<li class="bad"><a href="#verdicts">')
})

test('each finding is shown with its output, its requests, and the command that repeats its run', () => {
  const parts = { requests: ['POST /v1/events 503 unavailable'], lastLines: ['not `ok`, but ```'] }
  const report = reportOn([judgedRun('reset createEvent 1', 'broke', parts)])
  const repeat = 'convsim each --only resilience:reset@createEvent#1 -- npm test'
  expect(render.text(report)).toContain(
    `    ${repeat}\n    output:\n    | not \`ok\`, but \`\`\`\n    requests:\n    | POST /v1/events 503 unavailable\n`,
  )
  for (const block of [`\`\`\`sh\n${repeat}\n\`\`\``, '````\nnot `ok`, but ```\n````', '```\nPOST /v1/events 503 una'])
    expect(render.markdown(report)).toContain(block)
})

test('a GitHub annotation is an error if its finding meets a --fail-on condition, and a warning otherwise', () => {
  const runs = [broken, judgedRun('drop-field createEvent /success', 'unnoticed')]
  const failed = ['1 of 1 fault was not handled (100%)']
  const lines = render.github(reportOn(runs, { failed }, 'not-resilient')).split('\n')
  expect(lines.slice(0, 3)).toEqual([
    expect.stringMatching(/^::error::resilience:reset@createEvent#2: Not resilient: the command failed with exit/),
    expect.stringMatching(/^::warning::drift:drop-field@createEvent\/success: Unnoticed: /),
    '::error::--fail-on: 1 of 1 fault was not handled (100%25)',
  ])
})

test.each([
  ['TAP', "ok 1 - reads\n# Subtest: writes\nnot ok 2 - writes\n  ---\n  error: 'Expected 1 event'\n1..2\n# fail 1", 0],
  ['pytest', '____ test_a ____\n    def test_a():\n>       assert 1\nE       assert 2 == 1\n1 failed in 0.2s', 1],
  ['vitest', ' × writes 12ms\n\n FAIL  a.test.ts > writes\nAssertionError: expected 2 to be 1\n Tests  1 failed', 1],
  ['a passing run', 'reading\ndone', undefined],
])('the output of %s is shown from two lines above the first failed assertion, if there is one', (_, output, first) => {
  expect(findFailure(output.split('\n'))).toBe(first)
})
