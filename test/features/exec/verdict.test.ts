import { XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { countGoodResponses, hasGoodResponse } from '../../../src/features/exec/report/good-responses.ts'
import { judgeRuns, type RunOutcome } from '../../../src/features/exec/report/verdict.ts'
import {
  judged,
  renderHtml,
  renderJson,
  renderJunit,
  renderMarkdown,
  renderText,
  reportOn,
  requestsOf,
} from './made-up.ts'

/** Returns the outcome of a run by its words: `red met`, `green met good`, `late`. */
const outcomeOf = (words: string): RunOutcome => ({
  code: words.includes('green') ? 0 : 1,
  isTimedOut: words.includes('late'),
  wasApplied: words.includes('met'),
  hasSucceeded: words.includes('good'),
})

describe('the verdict on a fault that passes, and on one that stays', () => {
  test.each([
    ['green met good', undefined, 'recovered', 'unnoticed'],
    ['green met', undefined, 'never-succeeded', 'unnoticed'],
    ['green met', 'green met', 'never-succeeded', 'unnoticed'],
    ['green met', 'green met good', 'unsteady', 'unnoticed'],
    ['green', 'green met good', 'unsteady', 'unsteady'],
    ['green met', 'red met', 'unsteady', 'unsteady'],
    ['green', undefined, 'not-reached', 'not-reached'],
    ['red met', 'red met', 'broke', 'noticed'],
    ['red met', 'green met good', 'unsteady', 'unsteady'],
    ['red met', 'green met', 'unsteady', 'unsteady'],
    ['red', 'green met good', 'unsteady', 'unsteady'],
    ['red', 'red met', 'unsteady', 'unsteady'],
    ['red met', 'red', 'unsteady', 'unsteady'],
    ['red', 'red', 'not-reached', 'not-reached'],
    ['late met', 'late met', 'hung', 'hung'],
    ['late met', 'red met', 'hung', 'hung'],
    ['late met', 'green met good', 'unsteady', 'unsteady'],
  ])('%s, then %s: %s, %s', (first, second, onPassing, onLasting) => {
    const judge = (fault: string) =>
      judgeRuns(judged(fault, 'broke').run, (second === undefined ? [first] : [first, second]).map(outcomeOf))
    expect(judge('reset createEvent 1')).toBe(onPassing)
    expect(judge('drop-field createEvent /eventId')).toBe(onLasting)
  })
})

describe('a faulted call has a good response', () => {
  const plain = requestsOf('createEvent a', 'createEvent a')
  const responded = (...isGood: readonly boolean[]) => {
    const made = requestsOf(...isGood.map(() => 'createEvent a'))
    const run = made.map((one, at) => ({ ...one, isGood: isGood[at] === true }))
    const [faulted] = run
    if (!faulted) throw new Error('there is no request')
    return hasGoodResponse({ requests: plain, varying: new Set() }, run, faulted)
  }

  test.each([
    ['if it was handled itself', [true, true], true],
    ['if it was made again', [false, true, true], true],
    ['not by the same call of the next test', [false, true], false],
    ['not by nothing', [false], false],
  ])('%s', (_, isGood, expected) => {
    expect(responded(...isGood)).toBe(expected)
  })

  test('if the operation was asked again, where the run without faults has no such call', () => {
    const [faulted, ...others] = requestsOf('createEvent', 'createEvent a', 'createEvent b')
    if (!faulted) throw new Error('there is no request')
    const run = [{ ...faulted, isGood: false }, ...others]
    expect(countGoodResponses({ requests: plain, varying: new Set() }, run, faulted)).toEqual({ expected: 2, got: 2 })
  })
})

describe('a run that is green, but whose call never succeeded', () => {
  const runs = [
    judged('reset createEvent 1', 'recovered'),
    judged('truncated createEvent 1', 'never-succeeded', { responses: { expected: 2, got: 1 } }),
  ]
  const words = 'green, but the call never succeeded'

  test('is named beside the recovered ones in each format', () => {
    const report = reportOn(runs)
    for (const render of [renderText, renderMarkdown, renderHtml, renderJunit, renderJson]) {
      expect(render(report)).toContain('recovered')
      expect(render(report)).toContain(words)
    }
    expect(renderText(report)).toMatch(
      /^resilience: 1 of 2 good \(50 %\): 1 recovered, 1 "green, but the call never succeeded"\.$/m,
    )
    const { runs: rows, summary } = JSON.parse(renderJson(report))
    expect(rows.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['recovered', 'never-succeeded'])
    expect(summary).toMatchObject({ recovered: 1, 'never-succeeded': 1 })
    expect(renderHtml(report)).toContain(`<td class="bad">${words}</td>`)
  })
})

describe('an unsteady run', () => {
  const runs = [judged('reset createEvent 1', 'unsteady'), judged('reset createEvent 2', 'broke')]

  test('is counted, named, and in no share', () => {
    const report = reportOn(runs)
    for (const render of [renderText, renderMarkdown, renderHtml])
      expect(render(report)).toContain('1 of 2 runs is unsteady, since two runs disagree')
    expect(renderText(report)).toMatch(/^resilience: 0 of 1 good \(0 %\): 1 broke, 1 unsteady\.$/m)
    expect(renderText(report)).toContain(
      'Unsteady: in one of two runs the command failed with exit code 1 when "reset" was injected into request 1 of ',
    )
    expect(renderText(report)).toMatch(/^2 runs, 2 of them made twice\.$/m)
    expect(JSON.parse(renderJson(report))).toMatchObject({
      summary: { unsteady: 1, made: 2, repeated: 2 },
      findings: [{ kind: 'unsteady' }, { kind: 'not-resilient' }],
    })
  })

  test('is skipped in JUnit, with the reason', () => {
    const xml = renderJunit(reportOn(runs))
    expect(XMLValidator.validate(xml)).toBe(true)
    expect(xml).toMatch(/<skipped message="Unsteady: in one of two runs/)
  })

  test('alone says nothing about the suite', () => {
    const text = renderText(reportOn(runs.slice(0, 1)))
    expect(text).toMatch(/^resilience: no fault has a verdict: 1 unsteady\.$/m)
  })
})

test('runs that end since the command is red without faults fail the case without faults in JUnit', () => {
  const parts = { earlyEnd: 'red-baseline-run', notMade: 4 } as const
  const report = reportOn([judged('reset createEvent 1', 'recovered')], parts)
  expect(renderJunit(report)).toContain('failures="1"')
  for (const render of [renderText, renderMarkdown, renderHtml])
    expect(render(report)).toContain('The command fails without faults, too.')
  expect(renderText(report)).toMatch(/^1 run, 4 not made \(the command failed without faults\)\.$/m)
})

test('a report without a verdict says once that the command is red without faults', () => {
  const text = renderText(reportOn([], { earlyEnd: 'red-baseline-run', notMade: 5 }))
  expect(text.match(/command fails without faults, too/g)).toHaveLength(1)
})
