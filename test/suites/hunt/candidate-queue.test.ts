import { describe, expect, test } from 'vitest'
import type { Candidate } from '../../../src/exec/hunt/candidate.ts'
import { CandidateQueue, type NumberedCandidate } from '../../../src/exec/hunt/candidate-queue.ts'
import { parseFaultSet } from '../../../src/exec/plan/fault-set.ts'
import { inputs } from '../../support/catalogue.ts'

const { catalogue, contract } = inputs
const faults = parseFaultSet('reset,unavailable,slow,truncated', { catalogue, operations: contract.operations })
const [operation] = contract.operations
const drawn: readonly Candidate[] = faults.ok
  ? faults.value.map(({ scenario }) => [{ operation: operation as never, occurrence: 1, scenario }])
  : []

function* draw(): Generator<Candidate, undefined> {
  yield* drawn
  return undefined
}

/** Runs the candidates of a queue with so many at a time; the next ones are taken while these run, as with simulators that start ahead. */
function runAll(queue: CandidateQueue<string>, jobs: number, broken: readonly number[], run: number[]) {
  const left = queue.take()
  const takeSome = () => Array.from({ length: jobs }, () => left.next().value).filter((one) => one !== undefined)
  let next: readonly NumberedCandidate[] = takeSome()
  while (next.length > 0) {
    const current = next
    next = takeSome()
    for (const one of current.filter((each) => !queue.isAfterBroken(each))) {
      run.push(one.number)
      queue.finish(one, broken.includes(one.number) ? 'broke' : undefined)
    }
  }
}

/** Hunts with a runner that breaks under some candidates, of which none breaks again. */
function hunt(jobs: number, maxRuns: number, broken: readonly number[]) {
  const queue = new CandidateQueue<string>(draw(), maxRuns)
  const [run, confirmed]: [number[], number[]] = [[], []]
  for (;;) {
    runAll(queue, jobs, broken, run)
    const first = queue.takeBroken()
    if (!first) return { run, confirmed, end: queue.findEnd() }
    confirmed.push(first.number)
  }
}

describe('the queue of a hunt', () => {
  test.each([1, 2, 3])('with %i side by side, runs and confirms each candidate once, in its order', (jobs) => {
    const { run, confirmed, end } = hunt(jobs, 4, [1, 2, 4])
    expect(run).toEqual([1, 2, 3, 4])
    expect(confirmed).toEqual([1, 2, 4])
    expect(end).toBe('max-runs')
  })

  test('confirms all that broke side by side, though the first one does not break again', () => {
    const queue = new CandidateQueue<string>(draw(), 2)
    for (const one of [...queue.take()].reverse()) queue.finish(one, 'broke')
    expect([queue.takeBroken()?.number, queue.takeBroken()?.number, queue.takeBroken()]).toEqual([1, 2, undefined])
  })

  test('says why it is empty', () => {
    expect(hunt(1, 2, [1]).end).toBe('max-runs')
    expect(hunt(1, Number.POSITIVE_INFINITY, [1]).end).toBe('exhausted')
    const queue = new CandidateQueue<string>(draw(), 2)
    for (const one of [...queue.take()].slice(1)) queue.finish(one, undefined)
    expect(queue.findEnd()).toBeUndefined()
    for (const one of queue.take()) queue.finish(one, undefined)
    expect(queue.findEnd()).toBe('max-runs')
  })
})
