import { describe, expect, test } from 'vitest'
import { countGoodResponses, hasGoodResponse } from '../../../src/features/exec/report/judge-run.ts'
import { judgeRuns, type RunOutcome } from '../../../src/features/exec/report/verdict.ts'
import { judged, requestsOf } from './made-up.ts'

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
    ['late', 'late', 'hung', 'hung'],
    ['late met', 'red met', 'hung', 'hung'],
    ['late met', 'green met good', 'unsteady', 'unsteady'],
  ])('%s, then %s: %s, %s', (first, second, onPassing, onLasting) => {
    const judge = (fault: string) =>
      judgeRuns(judged(fault, 'broke').run, (second === undefined ? [first] : [first, second]).map(outcomeOf))
    expect(judge('reset createEvent 1')).toBe(onPassing)
    expect(judge('drop-field createEvent /eventId')).toBe(onLasting)
  })
})

describe('a call with a fault has a good response', () => {
  const baseline = { requests: requestsOf('createEvent a', 'createEvent a'), varying: new Set<string>() }
  const [target = expect.unreachable(), ...others] = requestsOf('createEvent', 'createEvent a', 'createEvent b')

  test.each([
    ['if it got one itself', [true, true], true],
    ['if it was made again', [false, true, true], true],
    ['not by the same call of the next test', [false, true], false],
    ['not by nothing', [false], false],
  ])('%s', (_, areGood, expected) => {
    const run = areGood.map((isGood) => ({ ...target, call: 'createEvent a', isGood }))
    const [first = target] = run
    expect(hasGoodResponse(baseline, run, first)).toBe(expected)
  })

  test('if the operation was asked again, where the run without faults has no such call', () => {
    const run = [{ ...target, isGood: false }, ...others]
    expect(countGoodResponses(baseline, run, target)).toEqual({ expected: 2, got: 2 })
  })
})
