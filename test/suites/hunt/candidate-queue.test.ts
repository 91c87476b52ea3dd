import { expect, test } from 'vitest'
import type { Candidate } from '../../../src/exec/hunt/candidate.ts'
import { CandidateQueue } from '../../../src/exec/hunt/candidate-queue.ts'
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

test('a queue confirms all that broke side by side, though the first one does not break again', () => {
  const queue = new CandidateQueue<string>(draw(), 2)
  for (const one of [...queue.take()].reverse()) queue.finish(one, 'broke')
  expect([queue.takeBroken()?.number, queue.takeBroken()?.number, queue.takeBroken()]).toEqual([1, 2, undefined])
})
