import { describe, expect, test } from 'vitest'
import { parseFaultSet, parseRunName } from '../../../src/features/exec/plan/fault-set.ts'
import { chooseRuns, nameRun, planRuns } from '../../../src/features/exec/plan/plan.ts'
import { describeSkipped } from '../../../src/features/exec/report/suite-report.ts'
import { inputs } from '../../support/catalogue.ts'
import { context, faultsIn, problemOf, requestsOf } from './made-up.ts'

function planOf(requests: ReturnType<typeof requestsOf>, set: string) {
  const plan = planRuns(requests, { faults: faultsIn(set) })
  if (!plan.ok) throw new Error(plan.error)
  return plan.value
}

describe('requests that differ only in values', () => {
  const requests = requestsOf('createEvent a', 'createEvent a', 'createEvent b', 'createEvent a', 'createEvent a')

  test('are skipped, except for the first and the last request, and the report counts the skipped requests', () => {
    const { runs, skippedRuns, skippedRequests } = planOf(requests, 'reset,unavailable')
    expect(runs.map(nameRun).slice(0, 3)).toEqual([
      'resilience:reset@createEvent#1',
      'resilience:reset@createEvent#3',
      'resilience:reset@createEvent#5',
    ])
    expect([runs.length, skippedRuns]).toEqual([6, 4])
    expect(skippedRequests).toEqual([{ operation: 'createEvent', occurrences: [2, 4], similarTo: [1, 5] }])
    expect(describeSkipped(skippedRequests)).toEqual([
      expect.stringMatching(
        /^Skipped and excluded from the percentages: 2 requests to createEvent \(similar to requests 1 and 5\)\. .*To inject a fault into a skipped request, use --only FAULT@createEvent#2\.$/,
      ),
    ])
  })

  test('can each be selected with --only', () => {
    const named = parseRunName('resilience:reset@createEvent#2', context)
    if (!named.ok) throw new Error(named.error)
    const plan = planRuns(requests, { faults: [named.value.fault], only: named.value })
    expect(plan).toMatchObject({ ok: true, value: { runs: [{ occurrence: 2 }] } })
  })
})

test('if no request got an ordinary response, the error says how many requests got each status', () => {
  const bad = requestsOf('createEvent a', 'createEvent a').map((request, at) => ({
    ...request,
    isOrdinary: false,
    ...(at === 0 ? { status: 401 } : { status: 404, operation: undefined }),
  }))
  expect(planRuns(bad, { faults: faultsIn('reset') })).toEqual({
    ok: false,
    error: 'No fault can be injected, since no request got an ordinary response: 1 x 401, 1 x 404 (no operation).',
  })
})

test('if only some runs are chosen, each set contributes the same number of runs, even if one set has more', () => {
  const { runs } = planOf(requestsOf('createEvent a', 'getModelAnalytics a'), 'resilience,extra-field')
  const drifts = Array.from({ length: 200 }, (_, at) => ({
    ...runs.filter(({ fault }) => fault.isLasting)[0],
    pointer: `/${at}`,
    isReachable: true,
  }))
  const many = [...runs, ...(drifts as typeof runs)]
  const chosen = chooseRuns(many, { seed: '0', maxRuns: 6, time: undefined })
  const groups = chosen.map(({ fault }) => fault.group)
  expect(groups.filter((group) => group === 'resilience')).toHaveLength(3)
  expect(groups.filter((group) => group === 'drift')).toHaveLength(3)
})

describe('parsing a set of faults', () => {
  const names = (set: string) => faultsIn(set).map(({ name }) => name)

  test('accepts a set before a scenario name, as in reports, but only if the set contains the scenario', () => {
    expect(names('drift:drop-field,time:slow;ms=5')).toEqual(['drift:drop-field', 'time:slow;ms=5'])
    expect(problemOf('drift:reset')).toBe('"reset" is not in the set drift, but in resilience and connection.')
  })

  test('assigns each individually named scenario to a set', () => {
    expect(names('lost-ack,reset,slow;ms=5,empty-lists,forbidden')).toEqual([
      'resilience:lost-ack',
      'resilience:reset',
      'resilience:slow;ms=5',
      'extremes:empty-lists',
      'refusals:forbidden',
    ])
    expect(names('unavailable,resilience').every((name) => name.startsWith('resilience:'))).toBe(true)
  })

  test('suggests a similar field if no response has the given field', () => {
    expect(problemOf('null-required;pointer=/succes')).toMatch(
      /applies to no operation: it cannot change \/succes in any response\. Did you mean "\/success"\? Known: \//,
    )
    expect(problemOf('wrong-type;pointer=/x')).toMatch(/Known: \//)
  })

  test('omits inapplicable scenarios, but fails if all are inapplicable or if an inapplicable one is named', () => {
    const operations = inputs.contract.operations.filter(({ method }) => method === 'GET')
    const parse = (set: string) => parseFaultSet(set, { ...context, operations })
    expect(parse('resilience')).toMatchObject({
      value: { faults: { length: 9 }, inapplicable: ['lost-ack'] },
    })
    const problem = '"lost-ack" applies to no operation: getModelAnalytics writes nothing.'
    expect(parse('resilience,lost-ack')).toEqual({ ok: false, error: problem })
    expect(parse('idempotency')).toEqual({ ok: false, error: problem })
  })
})
