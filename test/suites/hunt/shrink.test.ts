import { describe, expect, test } from 'vitest'
import { type Candidate, toRules } from '../../../src/exec/hunt/candidate.ts'
import { drawCandidates } from '../../../src/exec/hunt/draw-candidates.ts'
import { shrink } from '../../../src/exec/hunt/shrink.ts'
import { parseFaultSet } from '../../../src/exec/plan/fault-set.ts'
import { inputs } from '../../support/catalogue.ts'

const { catalogue, contract } = inputs
const context = { catalogue, operations: contract.operations }

function faultsOf(set: string) {
  const faults = parseFaultSet(set, context)
  if (!faults.ok) throw new Error(faults.error)
  return faults.value
}

const operationOf = (id: string) => {
  const operation = contract.operations.find((one) => one.id === id)
  if (!operation) throw new Error(`no operation ${id}`)
  return operation
}

const [analytics, events] = [operationOf('getModelAnalytics'), operationOf('createEvent')]
const places = [
  { operation: events, occurrence: 1 },
  { operation: analytics, occurrence: 1 },
  { operation: analytics, occurrence: 5 },
]

/** Returns a candidate: `createEvent 1 reset`. */
const candidateOf = (...steps: string[]): Candidate =>
  steps.map((text) => {
    const [id = '', occurrence = '', scenario = ''] = text.split(' ')
    const [fault] = faultsOf(scenario)
    if (!fault) throw new Error(`no fault ${scenario}`)
    return { operation: operationOf(id), occurrence: Number(occurrence), scenario: fault.scenario }
  })

const written = (candidate: Candidate) =>
  candidate.map(({ operation, occurrence, scenario }) => `${operation.id} ${occurrence} ${scenario.text}`)

/** Shrinks a candidate for a suite that breaks where `breaks` says so of the written steps. */
async function shrinkFor(candidate: Candidate, breaks: (steps: readonly string[]) => boolean) {
  let runs = 0
  const shrunk = await shrink(candidate, {
    breaks: async (one) => {
      runs += 1
      return breaks(written(one))
    },
    catalogue,
  })
  return { steps: written(shrunk), runs }
}

const has = (steps: readonly string[], pattern: RegExp) => steps.some((step) => pattern.test(step))

describe('shrinking', () => {
  const drawn = candidateOf(
    'createEvent 1 reset',
    'getModelAnalytics 1 unavailable',
    'getModelAnalytics 2 slow',
    'getModelAnalytics 3 all-null',
  )

  test('leaves out faults, and moves the later ones where a retry is missing', async () => {
    const { steps } = await shrinkFor(drawn, (all) => all.length > 2 || (has(all, / 1 slow/) && has(all, / 2 null/)))
    expect(steps[0]).toMatch(/^getModelAnalytics 1 slow/)
    expect(steps).toHaveLength(2)
  })

  test('finds two fields of 23 with few runs, and keeps all-null where its counts matter', async () => {
    const needed = [/\bhallucinationCount\b/, /dataPoints\.avgGrowthScore/]
    const candidate = candidateOf('getModelAnalytics 1 all-null')
    const { steps, runs } = await shrinkFor(candidate, (all) =>
      all.some((step) => /all-null/.test(step) || needed.every((field) => field.test(step))),
    )
    expect(steps).toEqual(['getModelAnalytics 1 null;fields=hallucinationCount|dataPoints.avgGrowthScore'])
    expect(runs).toBeLessThan(60)
    const kept = await shrinkFor(candidate, (all) => has(all, /all-null/))
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

describe('drawing', () => {
  const sources = { places, faults: faultsOf('resilience,extremes'), catalogue, seed: '1' }
  const drawn = [...take(drawCandidates(sources), 1500)]

  function* take<T>(items: Iterable<T>, count: number) {
    let left = count
    for (const item of items) {
      if (left === 0) return
      left -= 1
      yield item
    }
  }

  test('begins with each fault alone, then a failure before an extreme answer, and repeats none', () => {
    const lengths = drawn.map(({ length }) => length)
    expect(lengths.slice(0, 26)).toEqual(new Array(26).fill(1)) // 5 and 11 for 2 places: lost-ack and extremes fit one operation
    expect(new Set(drawn.map((one) => JSON.stringify(toRules(one)))).size).toBe(drawn.length)
    expect(Math.max(...lengths)).toBe(4)
  })

  test('is the same with the same seed, and other with another', () => {
    const first = (seed: string) => [...take(drawCandidates({ ...sources, seed }), 20)].map(written)
    expect(first('1')).toEqual(drawn.slice(0, 20).map(written))
    expect(first('2')).not.toEqual(first('1'))
  })

  test('never has more than two failures one after the other', () => {
    for (const candidate of drawn) {
      const failed = candidate
        .filter(({ operation, scenario }) => operation === analytics && scenario.definition.family !== 'data')
        .map(({ occurrence }) => occurrence)
      for (const first of failed) expect(failed).not.toEqual(expect.arrayContaining([first, first + 1, first + 2]))
    }
  })

  test('has rules that the file of scenarios takes', async () => {
    const { readRules } = await import('../../../src/scenarios/rules.ts')
    for (const candidate of drawn) {
      const read = readRules({ rules: toRules(candidate).map((rule) => ({ ...rule })) }, { catalogue, contract })
      expect(read).toMatchObject({ ok: true })
    }
  })

  test('ends once there is nothing more to draw', () => {
    const few = drawCandidates({ ...sources, places: [places[0] as never], faults: faultsOf('reset') })
    expect([...few].length).toBeLessThan(20)
  })
})
