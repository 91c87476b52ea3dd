import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import type { SuiteReport } from '../../../src/features/exec/report/suite-report.ts'
import { judgeRuns } from '../../../src/features/exec/report/verdict.ts'
import {
  gates,
  judged,
  renderGithub,
  renderHtml,
  renderJson,
  renderJunit,
  renderMarkdown,
  renderText,
  reportOn,
} from './made-up.ts'

describe('a report without a run that met its fault', () => {
  const unreached = judged('drop-field createEvent /eventId', 'not-reached', { made: 0 })

  test.each<[string, SuiteReport, string]>([
    ['the time was up', reportOn([], { notMade: 3, earlyEnd: 'time' }), 'the time was up before'],
    [
      'it was interrupted',
      reportOn([], { notMade: 3, earlyEnd: 'interrupt' }),
      'the first run with a fault was interrupted',
    ],
    ['no response has the field', reportOn([unreached]), 'no response has the fields that would drift'],
    ['no fault fits', reportOn([]), 'none fits an operation that the command asks'],
  ])('never says that there are no findings: %s', (_, report, reason) => {
    const sentence = `No fault was tried: ${reason}`
    const text = renderText(report)
    expect(text).toContain(sentence)
    expect(text).not.toMatch(/Nothing to complain about/)
    expect(text.startsWith('Runs:\nfault ')).toBe(report.runs.length > 0)
    for (const render of [renderMarkdown, renderHtml]) {
      expect(render(report)).toContain(sentence)
      expect(render(report)).not.toMatch(/There are none|Nothing to complain/)
    }
    expect(renderJunit(report)).toContain('failures="1"')
  })
})

test('names the requests that were skipped beside the share', () => {
  const leftOut = [{ operation: 'createEvent', occurrences: [2, 3, 4], sameAs: [1, 5] }]
  const report = reportOn([judged('reset createEvent 1', 'recovered')], { equivalent: 3, leftOut })
  for (const render of [renderText, renderMarkdown, renderHtml])
    expect(render(report)).toContain('createEvent: requests 2 to 4 are like requests 1, 5.')
  const listed = [{ operation: 'createEvent', occurrences: [2, 3, 4], like: [1, 5] }]
  expect(JSON.parse(renderJson(report)).summary.leftOut).toEqual(listed)
})

test('says which drift was tried where it speaks of fields', () => {
  const text = renderText(
    reportOn([
      judged('drop-field createEvent /eventId', 'unnoticed'),
      judged('drop-field createEvent /success', 'noticed'),
      judged('wrong-type createEvent /success', 'noticed'),
    ]),
  )
  expect(text).toContain('no test notices any drift that was tried (drop-field): /eventId.')
  expect(text).toContain('some test notices every drift that was tried (drop-field, wrong-type): /success.')
})

test('says that a command hung before its fault was injected', () => {
  const run = judged('reset createEvent 1', 'hung', { responses: undefined })
  const outcome = { code: 143, isTimedOut: true, wasApplied: false, hasSucceeded: false }
  expect(judgeRuns(run.run, [outcome, outcome])).toBe('hung')
  expect(renderText(reportOn([run]))).toContain(
    'did not end within 1.5 s, before "reset" could be injected into request 1 of createEvent.',
  )
  expect(renderText(reportOn([{ ...run, responses: { expected: 1, got: 0 } }]))).toContain(
    'warning: Hung: the command did not end within 1.5 s, and "reset" was injected into request 1 of createEvent. ',
  )
})

describe('a run whose client broke a rule', () => {
  const client = ['retry: createEvent: retry-after: too soon']
  const run = judged('reset createEvent 1', 'recovered', { client, failed: ['1 retry problem'] })

  test('is counted beside the good verdicts', () => {
    const report = reportOn([run])
    expect(renderText(report)).toMatch(
      /^resilience: 1 of 1 good \(100 %\): 1 recovered; in 1 of the 1 good the client broke a rule/m,
    )
    const { summary } = JSON.parse(renderJson(report))
    expect([summary.clientFindings, summary.groups[0].clientFindings]).toEqual([1, 1])
    expect(renderHtml(report)).toContain('<li class="bad"><a href="#verdicts">')
  })

  test('fails in JUnit where --fail-on does, and so does the run without faults', () => {
    const parser = new XMLParser({ ignoreAttributes: false })
    const failures = (parts: Partial<SuiteReport>, one = run) => {
      const xml = renderJunit(reportOn([one], parts))
      expect(XMLValidator.validate(xml)).toBe(true)
      return parser.parse(xml).testsuites['@_failures']
    }
    expect(failures({ failOn: gates('retry') })).toBe('1')
    expect(failures({}, { ...run, failed: [] })).toBe('0')
    expect(failures({ baselineFailed: ['1 % of the contract covered'] }, { ...run, failed: [] })).toBe('1')
  })
})

test('gives the duration of each run to JUnit', () => {
  expect(renderJunit(reportOn([judged('reset createEvent 1', 'recovered')]))).toContain(
    'name="resilience:reset@createEvent#1" time="0.25"',
  )
})

test('has the requests, the output and the line that repeats it with each finding', () => {
  const parts = { requests: ['POST /v1/events 503 unavailable'], lastLines: ['not `ok`, but ```'] }
  const report = reportOn([judged('reset createEvent 1', 'broke', parts)])
  const repeat = 'convsim each --only resilience:reset@createEvent#1 -- npm test'
  expect(renderText(report)).toContain(
    `    ${repeat}\n    output:\n    | not \`ok\`, but \`\`\`\n    requests:\n    | POST /v1/events 503 unavailable\n`,
  )
  const markdown = renderMarkdown(report)
  expect(markdown).toContain(`\`\`\`sh\n${repeat}\n\`\`\``)
  expect(markdown).toContain('````\nnot `ok`, but ```\n````')
  expect(markdown).toContain('```\nPOST /v1/events 503 unavailable\n```')
})

test('has a row for each run that is counted', () => {
  const run = judged('drop-field createEvent /eventId', 'not-reached', { made: 0 })
  const text = renderText(reportOn([run, judged('reset createEvent 1', 'recovered')]))
  expect(text).toMatch(/^drift:drop-field +createEvent +\/eventId +not reached$/m)
})

test('says that the verdicts are not reliable if the command differs at the end', () => {
  const changes = ['at the end it failed with exit code 1']
  const report = reportOn([judged('reset createEvent 1', 'broke')], { changes })
  for (const render of [renderText, renderMarkdown, renderHtml])
    expect(render(report)).toMatch(/The verdicts are not reliable.*at the end it failed with exit code 1\./)
})

test('tells requests that fit no operation from those of operations', () => {
  const about = (baselineCounts: Record<string, number>) => renderText(reportOn([], { baselineCounts }))
  expect(about({ '': 1, createEvent: 2 })).toContain(
    'Without faults the command asks createEvent 2 times, and sends 1 request that fits no operation.',
  )
})

test('annotates a run of GitHub, with an error for what fails', () => {
  const runs = [judged('reset createEvent 1', 'broke'), judged('drop-field createEvent /success', 'unnoticed')]
  const failed = ['1 of 1 fault did not recover (100 %)']
  const lines = renderGithub(reportOn(runs, { failOn: gates('not-resilient'), failed })).split('\n')
  expect(lines.slice(0, 3)).toEqual([
    expect.stringMatching(/^::error::resilience:reset@createEvent#1: Not resilient: the command failed with exit/),
    expect.stringMatching(/^::warning::drift:drop-field@createEvent\/success: Nobody noticed: /),
    '::error::--fail-on: 1 of 1 fault did not recover (100 %25)',
  ])
})
