import { describe, expect, test } from 'vitest'
import type { Candidate } from '../../../src/exec/hunt/candidate.ts'
import { CandidateQueue, type NumberedCandidate } from '../../../src/exec/hunt/candidate-queue.ts'
import { operationOf } from '../../support/catalogue.ts'
import { faultsOf } from '../made-up.ts'

const operation = operationOf('getModelAnalytics')
const drawn: readonly Candidate[] = faultsOf('reset,unavailable,slow,truncated').map(({ scenario }) => [
  { operation, occurrence: 1, scenario },
])

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
})
