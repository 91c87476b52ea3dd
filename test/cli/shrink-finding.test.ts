import { describe, expect, test } from 'vitest'
import type { Candidate } from '../../src/exec/hunt/candidate.ts'
import { describeNeed } from '../../src/exec/hunt/hunt-report.ts'
import { shrinkFinding } from '../../src/exec/hunt/shrink-finding.ts'
import { parseFaultSet } from '../../src/exec/plan/fault-set.ts'
import type { EndedRun } from '../../src/exec/runs/suite-run.ts'
import { inputs } from '../support/catalogue.ts'

const { catalogue, contract } = inputs
const operation = contract.operations.find(({ id }) => id === 'getModelAnalytics')
const faults = parseFaultSet('reset,empty-lists', { catalogue, operations: contract.operations })

const drawn: Candidate =
  faults.ok && operation
    ? faults.value.map(({ scenario }, index) => ({ operation, occurrence: index + 1, scenario }))
    : []

const endWith = (code: number) => ({ code, isTimedOut: false }) as EndedRun

/** Shrinks two faults with a runner that breaks in the runs that `breaks` says, of which the first is 1. `endAfter`: the number of runs for which there is time. */
function shrinkWith(breaks: (run: number, candidate: Candidate) => boolean, endAfter = 100) {
  let runs = 0
  return shrinkFinding(drawn, endWith(5), {
    catalogue,
    run: async (candidate) => {
      if (runs >= endAfter) return undefined
      runs += 1
      return endWith(breaks(runs, candidate) ? 5 : 0)
    },
  })
}

describe('a finding of a hunt', () => {
  test('is confirmed by runs that break each time', async () => {
    const shrunk = await shrinkWith((_, { length }) => length === 2)
    expect(shrunk).toMatchObject({ certainty: 'confirmed', needed: shrunk?.candidate })
    expect(shrunk?.tally.made).toBe(shrunk?.tally.failed)
  })

  test('is none if it does not break again', async () => {
    expect(await shrinkWith(() => false)).toBeUndefined()
  })

  test('that breaks in some runs only says in how many of them', async () => {
    const shrunk = await shrinkWith((run) => run === 1)
    expect(shrunk).toMatchObject({ certainty: 'unreliable', candidate: drawn, tally: { made: 3, failed: 2 } })
    expect(describeNeed(shrunk as never)).toBe('It failed in 2 of 3 runs, so the suite itself may not be reliable.')
  })

  test('whose smaller one breaks in some runs only stays as it was drawn', async () => {
    let single = 0
    const shrunk = await shrinkWith((_, { length }) => length === 2 || ++single === 1)
    expect(shrunk).toMatchObject({ certainty: 'unreliable', candidate: drawn, tally: { made: 3, failed: 3 } })
    expect(describeNeed(shrunk as never)).toMatch(/^It failed in 3 of 3 runs; a smaller one failed in some/)
  })

  test.each([
    [0, /before it was repeated, so it may not fail again/],
    [1, /before every smaller one was tried/],
  ])('that ends after %i more runs is incomplete', async (endAfter, sentence) => {
    const shrunk = await shrinkWith(() => true, endAfter)
    expect(shrunk).toMatchObject({ certainty: 'incomplete', candidate: drawn, shrinkingRuns: endAfter })
    expect(describeNeed(shrunk as never)).toMatch(sentence)
  })
})
