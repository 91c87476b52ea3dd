import { describe, expect, test } from 'vitest'
import { type Candidate, toRules } from '../../../src/exec/hunt/candidate.ts'
import { drawCandidates } from '../../../src/exec/hunt/draw-candidates.ts'
import { describeNeed } from '../../../src/exec/hunt/hunt-report.ts'
import { shrinkFinding } from '../../../src/exec/hunt/shrink.ts'
import type { EndedRun } from '../../../src/exec/runs/suite-run.ts'
import { readRules } from '../../../src/scenarios/rules.ts'
import { inputs, operationOf } from '../../support/catalogue.ts'
import { faultsOf } from '../made-up.ts'

const { catalogue, contract } = inputs
const [analytics, events] = [operationOf('getModelAnalytics'), operationOf('createEvent')]
const places = [
  { operation: events, occurrence: 1 },
  { operation: analytics, occurrence: 1 },
  { operation: analytics, occurrence: 5 },
]

/** Returns the candidate with the given steps: `createEvent 1 reset`. */
const candidateOf = (...steps: string[]): Candidate =>
  steps.map((text) => {
    const [id = '', occurrence = '', scenario = ''] = text.split(' ')
    const [fault] = faultsOf(scenario)
    if (!fault) throw new Error(`no fault ${scenario}`)
    return { operation: operationOf(id), occurrence: Number(occurrence), scenario: fault.scenario }
  })

const writeSteps = (candidate: Candidate) =>
  candidate.map(({ operation, occurrence, scenario }) => `${operation.id} ${occurrence} ${scenario.text}`)

/** Returns the end of a run with an exit code. */
const endWith = (code: number) => ({ code, isTimedOut: false }) as EndedRun

/** Shrinks a candidate for a suite that breaks if `breaks` returns true for the written steps. */
async function shrinkFor(drawn: Candidate, breaks: (steps: readonly string[]) => boolean) {
  const run = async (smaller: Candidate) => endWith(breaks(writeSteps(smaller)) ? 5 : 0)
  const { candidate = [], shrinkingRuns = 0 } = (await shrinkFinding(drawn, endWith(5), catalogue, run)) ?? {}
  return { steps: writeSteps(candidate), runs: shrinkingRuns }
}

const hasStep = (steps: readonly string[], pattern: RegExp) => steps.some((step) => pattern.test(step))

describe('shrinking', () => {
  const drawn = candidateOf(
    'createEvent 1 reset',
    'getModelAnalytics 1 unavailable',
    'getModelAnalytics 2 slow',
    'getModelAnalytics 3 all-null',
  )

  test('leaves out faults, and moves later ones one request earlier, as a left-out failure has no retry', async () => {
    const { steps } = await shrinkFor(
      drawn,
      (all) => all.length > 2 || (hasStep(all, / 1 slow/) && hasStep(all, / 2 null/)),
    )
    expect(steps[0]).toMatch(/^getModelAnalytics 1 slow/)
    expect(steps).toHaveLength(2)
  })

  test('finds two fields of 23 with few runs, and leaves all-null as it is if null alone does not break', async () => {
    const needed = [/\bhallucinationCount\b/, /dataPoints\.avgGrowthScore/]
    const candidate = candidateOf('getModelAnalytics 1 all-null')
    const { steps, runs } = await shrinkFor(candidate, (all) =>
      all.some((step) => /all-null/.test(step) || needed.every((field) => field.test(step))),
    )
    expect(steps).toEqual(['getModelAnalytics 1 null;fields=hallucinationCount|dataPoints.avgGrowthScore'])
    expect(runs).toBeLessThan(60)
    const kept = await shrinkFor(candidate, (all) => hasStep(all, /all-null/))
    expect(kept.steps).toEqual(['getModelAnalytics 1 all-null'])
    expect(kept.runs).toBeLessThan(5)
  })

  test('shortens a delay', async () => {
    const { steps } = await shrinkFor(candidateOf('getModelAnalytics 1 slow'), (all) => {
      const ms = Number(/ms=(\d+)/.exec(all[0] ?? '')?.[1] ?? 1000)
      return ms > 200
    })
    expect(steps).toEqual(['getModelAnalytics 1 slow;ms=250'])
  })
})

describe('a finding of a hunt', () => {
  const drawn = candidateOf('getModelAnalytics 1 reset', 'getModelAnalytics 2 empty-lists')

  /**
   * Shrinks two faults with a suite that breaks if `breaks` returns true for the number of the run, the number of its
   * faults, and the number of runs with one fault so far. There is time for `maxRuns` runs.
   */
  function shrinkWith(breaks: (run: number, length: number, single: number) => boolean, maxRuns = 100) {
    let [runs, single] = [0, 0]
    return shrinkFinding(drawn, endWith(5), catalogue, async ({ length }) => {
      if (runs >= maxRuns) return undefined
      runs += 1
      if (length === 1) single += 1
      return endWith(breaks(runs, length, single) ? 5 : 0)
    })
  }

  test('is dropped if it does not break again', async () => {
    expect(await shrinkWith(() => false)).toBeUndefined()
  })

  test.each<[string, Parameters<typeof shrinkWith>, object, RegExp]>([
    ['confirmed by runs that break each time', [(_, length) => length === 2], {}, /^It passes if any one of them is/],
    [
      'unreliable if it breaks in some runs only',
      [(run) => run === 1],
      { candidate: drawn, tally: { made: 3, failed: 2 } },
      /^It failed in 2 of 3 runs, so the suite itself may not be reliable\.$/,
    ],
    [
      'unreliable, and stays as it was drawn, if a smaller one breaks in some runs only',
      [(_, length, single) => length === 2 || single === 1],
      { candidate: drawn, tally: { made: 3, failed: 3 } },
      /^It failed in 3 of 3 runs; a smaller one failed in some/,
    ],
    ['incomplete without a run', [() => true, 0], { candidate: drawn }, /before it was repeated, so it may not fail/],
    ['incomplete after one run', [() => true, 1], { candidate: drawn }, /before every smaller one was tried/],
  ])('is %s', async (title, how, parts, need) => {
    const finding = await shrinkWith(...how)
    expect(finding).toMatchObject({ certainty: title.split(/\W/)[0], ...parts })
    expect(describeNeed(finding as never)).toMatch(need)
  })
})

describe('drawing', () => {
  const sources = { places, faults: faultsOf('resilience,extremes'), catalogue, seed: '1' }
  const drawn = [...takeFirst(drawCandidates(sources), 1500)]

  function* takeFirst<T>(items: Iterable<T>, count: number) {
    let left = count
    for (const item of items) {
      if (left === 0) return
      left -= 1
      yield item
    }
  }

  test('begins with each fault alone, then a failure before an extreme answer, and repeats none', () => {
    const lengths = drawn.map(({ length }) => length)
    // 6 for the place of createEvent, with lost-ack; 10 for each of the two of getModelAnalytics, with 5 extremes.
    expect(lengths.slice(0, 26)).toEqual(new Array(26).fill(1))
    expect(new Set(drawn.map((one) => JSON.stringify(toRules(one)))).size).toBe(drawn.length)
    expect(Math.max(...lengths)).toBe(4)
  })

  test('is the same with the same seed, and different with another', () => {
    const first = (seed: string) => [...takeFirst(drawCandidates({ ...sources, seed }), 20)].map(writeSteps)
    expect(first('1')).toEqual(drawn.slice(0, 20).map(writeSteps))
    expect(first('2')).not.toEqual(first('1'))
  })

  test('never has more than two failures in a row', () => {
    for (const candidate of drawn) {
      const failed = candidate
        .filter(({ operation, scenario }) => operation === analytics && scenario.definition.family !== 'data')
        .map(({ occurrence }) => occurrence)
      for (const first of failed) expect(failed).not.toEqual(expect.arrayContaining([first, first + 1, first + 2]))
    }
  })

  test('gives rules that a file of scenarios can have', async () => {
    for (const candidate of drawn) {
      const read = readRules({ rules: toRules(candidate) }, { catalogue, contract })
      expect(read).toMatchObject({ ok: true })
    }
  })

  test('ends once there is nothing more to draw', () => {
    const few = drawCandidates({ ...sources, places: [places[0] as never], faults: faultsOf('reset') })
    expect([...few].length).toBeLessThan(20)
  })
})
