import type { Json } from '../../core/json.ts'
import type { SimRequest } from '../../exchange/request.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { type MatchedSample, type ObservedAnswer, observeAnswer } from '../observe/answer.ts'

/** The most answers of an operation with one status to whose requests the simulator's own answers are compared. */
const maxOwnAnswers = 100

/**
 * Reads the answers of the real service, and asks the simulator for its own.
 * @param onProgress is called before each answer, with the number of those before it
 */
export async function observeAnswers(
  samples: readonly MatchedSample[],
  simulator: Simulator,
  now: () => number,
  onProgress: (done: number, all: number) => void,
): Promise<ObservedAnswer[]> {
  const answers: ObservedAnswer[] = []
  const asked = new Map<string, number>()
  for (const [index, matched] of samples.entries()) {
    onProgress(index, samples.length)
    const { answer } = matched.sample
    if ('problem' in answer) continue
    const key = `${matched.operation.id} ${answer.status}`
    const count = asked.get(key) ?? 0
    asked.set(key, count + 1)
    const own = count < maxOwnAnswers ? await ask(simulator, matched, answer.status, now()) : undefined
    answers.push(observeAnswer(matched, answer, own))
  }
  return answers
}

/** Returns the simulator's body for a request; undefined where its status is another one. */
async function ask(
  { service, contract }: Simulator,
  { sample, target }: MatchedSample,
  status: number,
  now: number,
): Promise<Json | undefined> {
  const [path = '', ...query] = target.split('?')
  const request: SimRequest = {
    id: 'drift',
    at: now,
    receivedAt: 0,
    openedAt: undefined,
    elapsed: () => 0,
    method: sample.method,
    path: contract.basePath + path,
    query: query.join('?'),
    headers: { authorization: 'Bearer convsim-drift', 'content-type': 'application/json' },
    body: sample.requestBody?.length ? { kind: 'bytes', bytes: sample.requestBody } : { kind: 'absent' },
  }
  const { reply } = await service(request)
  return reply.status === status ? reply.body?.value : undefined
}
