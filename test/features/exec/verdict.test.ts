import { describe, expect, test } from 'vitest'
import { countGoodResponses, judgeOutcomes, type RunOutcome } from '../../../src/features/exec/report/judge-run.ts'
import { judged, requestsOf } from './made-up.ts'

/** Returns the outcome of a run from words such as `red met`, `green met good` or `late`. */
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
  'the verdict on "%s", then "%s" is %s for a transient fault, and %s for a permanent fault',
  (first, second, onTransient, onPermanent) => {
    const judge = (fault: string) =>
      judgeOutcomes(judged(fault, 'broke').run, (second === undefined ? [first] : [first, second]).map(outcomeOf))
    expect(judge('reset createEvent 1')).toBe(onTransient)
    expect(judge('drop-field createEvent /eventId')).toBe(onPermanent)
  },
)

describe('the good responses to a call with a fault', () => {
  const baseline = { requests: requestsOf('createEvent a', 'createEvent a'), varying: new Set<string>() }
  const [target = expect.unreachable(), ...others] = requestsOf('createEvent', 'createEvent a', 'createEvent b')

  test.each([
    ['include the response with the fault, if it is good', [true, true], { expected: 1, got: 2 }],
    ['include the responses to retries', [false, true, true], { expected: 2, got: 2 }],
    ['are too few if only another test makes the same call', [false, true], { expected: 2, got: 1 }],
    ['are missing without a further call', [false], { expected: 2, got: 0 }],
  ])('%s', (_, areGood, counts) => {
    const requests = areGood.map((isGood) => ({ ...target, call: 'createEvent a', isGood }))
    expect(countGoodResponses(baseline, { requests, target: requests[0] })).toEqual(counts)
  })

  test('include responses to other calls of the operation, if the baseline run has no such call', () => {
    const requests = [{ ...target, isGood: false }, ...others]
    expect(countGoodResponses(baseline, { requests, target: requests[0] })).toEqual({ expected: 2, got: 2 })
  })
})
