import { describe, expect, test } from 'vitest'
import { countGoodResponses, judgeOutcomes, type RunOutcome } from '../../../src/features/exec/report/judge-run.ts'
import { judged, requestsOf } from './made-up.ts'

/** Returns the outcome of a run by its words: `red met`, `green met good`, `late`. */
const outcomeOf = (words: string): RunOutcome => ({
  code: words.includes('green') ? 0 : 1,
  isTimedOut: words.includes('late'),
  twice: words.includes('twice') ? ['1', '2'] : undefined,
  responses: words.includes('met') ? { expected: 1, got: words.includes('good') ? 1 : 0 } : undefined,
})

test.each([
  ['green met good', undefined, 'recovered', 'unnoticed'],
  ['green met', undefined, 'never-succeeded', 'unnoticed'],
  ['green met', 'green met', 'never-succeeded', 'unnoticed'],
  ['green met', 'green met good', 'unsteady', 'unnoticed'],
  ['green met good twice', 'green met good twice', 'recorded-twice', 'unnoticed'],
  ['green met good twice', 'green met good', 'unsteady', 'unnoticed'],
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
])(
  'the verdict on %s, then %s is %s for a transient fault, %s for a permanent one',
  (first, second, onPassing, onLasting) => {
    const judge = (fault: string) =>
      judgeOutcomes(judged(fault, 'broke').run, (second === undefined ? [first] : [first, second]).map(outcomeOf))
    expect(judge('reset createEvent 1')).toBe(onPassing)
    expect(judge('drop-field createEvent /eventId')).toBe(onLasting)
  },
)

describe('a call with a fault has a good response', () => {
  const baseline = { requests: requestsOf('createEvent a', 'createEvent a'), varying: new Set<string>() }
  const [target = expect.unreachable(), ...others] = requestsOf('createEvent', 'createEvent a', 'createEvent b')

  test.each([
    ['if it got one itself', [true, true], { expected: 1, got: 2 }],
    ['if it was repeated', [false, true, true], { expected: 2, got: 2 }],
    ['but not from the same call of the next test', [false, true], { expected: 2, got: 1 }],
    ['but not without a further call', [false], { expected: 2, got: 0 }],
  ])('%s', (_, areGood, counts) => {
    const requests = areGood.map((isGood) => ({ ...target, call: 'createEvent a', isGood }))
    expect(countGoodResponses(baseline, { requests, target: requests[0] })).toEqual(counts)
  })

  test('if the operation was called again, and the baseline run has no such call', () => {
    const requests = [{ ...target, isGood: false }, ...others]
    expect(countGoodResponses(baseline, { requests, target: requests[0] })).toEqual({ expected: 2, got: 2 })
  })
})
