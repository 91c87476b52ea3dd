import { describe, expect, test } from 'vitest'
import { countGoodResponses, judgeOutcomes, type RunOutcome } from '../../../src/features/exec/report/judge-run.ts'
import { judgedRun, requestsOf } from './made-up.ts'

/**
 * `green`, `red`, `late`: the command passed, failed, or timed out. `faulted`: the fault was injected. `good`: the call
 * with the fault, or its retry, got a good response. `twice`: the service recorded an event twice.
 */
const outcomeOf = (words: string): RunOutcome => ({
  code: words.includes('green') ? 0 : 1,
  isTimedOut: words.includes('late'),
  twice: words.includes('twice') ? ['1', '2'] : undefined,
  responses: words.includes('faulted') ? { expected: 1, got: words.includes('good') ? 1 : 0 } : undefined,
})

test.each([
  ['green faulted good', 'none', 'recovered', 'unnoticed'],
  ['green faulted', 'none', 'swallowed', 'unnoticed'],
  ['green faulted', 'green faulted', 'swallowed', 'unnoticed'],
  ['green faulted', 'green faulted good', 'flaky', 'unnoticed'],
  ['green faulted good twice', 'green faulted good twice', 'recorded-twice', 'unnoticed'],
  ['green faulted good twice', 'green faulted good', 'flaky', 'unnoticed'],
  ['green', 'green faulted good', 'flaky', 'flaky'],
  ['green faulted', 'red faulted', 'flaky', 'flaky'],
  ['green', 'none', 'not-reached', 'not-reached'],
  ['red faulted', 'red faulted', 'broke', 'noticed'],
  ['red faulted', 'green faulted good', 'flaky', 'flaky'],
  ['red faulted', 'green faulted', 'flaky', 'flaky'],
  ['red', 'green faulted good', 'flaky', 'flaky'],
  ['red', 'red faulted', 'flaky', 'flaky'],
  ['red faulted', 'red', 'flaky', 'flaky'],
  ['red', 'red', 'not-reached', 'not-reached'],
  ['late faulted', 'late faulted', 'hung', 'hung'],
  ['late', 'late', 'hung', 'hung'],
  ['late faulted', 'red faulted', 'hung', 'hung'],
  ['late faulted', 'green faulted good', 'flaky', 'flaky'],
])(
  'after the outcomes "%s" and "%s", the verdict is %s for a transient fault, and %s for a permanent fault',
  (first, second, onTransient, onPermanent) => {
    const judge = (fault: string) =>
      judgeOutcomes(judgedRun(fault, 'broke').run, (second === 'none' ? [first] : [first, second]).map(outcomeOf))
    expect(judge('reset createEvent 1')).toBe(onTransient)
    expect(judge('drop-field createEvent /eventId')).toBe(onPermanent)
  },
)

describe('the good responses to a call with an injected fault', () => {
  const baseline = { requests: requestsOf('createEvent a', 'createEvent a'), varying: new Set<string>() }
  const [target = expect.unreachable(), ...others] = requestsOf('createEvent', 'createEvent a', 'createEvent b')

  test.each([
    ['include the response with the fault if that response is good', [true, true], { expected: 1, got: 2 }],
    ['include the responses to retries', [false, true, true], { expected: 2, got: 2 }],
    ['are too few if only an identical call in another test succeeds', [false, true], { expected: 2, got: 1 }],
    ['are missing if the call is not repeated', [false], { expected: 2, got: 0 }],
  ])('%s', (_, areGood, counts) => {
    const requests = areGood.map((isGood) => ({ ...target, call: 'createEvent a', isGood }))
    expect(countGoodResponses(baseline, { requests, target: requests[0] })).toEqual(counts)
  })

  test('include responses to other calls to the operation if the call is not in the baseline run', () => {
    const requests = [{ ...target, isGood: false }, ...others]
    expect(countGoodResponses(baseline, { requests, target: requests[0] })).toEqual({ expected: 2, got: 2 })
  })
})
