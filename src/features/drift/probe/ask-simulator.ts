import type { Json } from '../../../base/core/json.ts'
import type { Simulator } from '../../../server/simulator/simulator.ts'
import { createRequest, type RequestBody } from '../../../service/exchange/request.ts'
import { type MatchedSample, type ObservedResponse, observeResponse } from '../observe/response.ts'

/** The most responses of an operation with one status to whose requests the simulator's own responses are compared. */
const maxOwnResponses = 100

/** Reads the responses of the real service, and asks the simulator for its own. `onProgress` is called before each. */
export async function observeResponses(
  samples: readonly MatchedSample[],
  simulator: Simulator,
  now: () => number,
  onProgress: (done: number, all: number) => void,
): Promise<ObservedResponse[]> {
  const responses: ObservedResponse[] = []
  const asked = new Map<string, number>()
  for (const [index, matched] of samples.entries()) {
    onProgress(index, samples.length)
    const { response } = matched.sample
    if ('problem' in response) continue
    const key = `${matched.operation.id} ${response.status}`
    const count = asked.get(key) ?? 0
    asked.set(key, count + 1)
    const own = count < maxOwnResponses ? await askSimulatorFor(simulator, matched, response.status, now()) : undefined
    responses.push(observeResponse(matched, response, own))
  }
  return responses
}

/** Returns the simulator's body for a request; undefined where its status is another one. */
async function askSimulatorFor(
  { service, contract }: Simulator,
  { sample, target }: MatchedSample,
  status: number,
  now: number,
): Promise<Json | undefined> {
  const { method, requestBody: bytes } = sample
  const headers = { authorization: 'Bearer convsim-drift', 'content-type': 'application/json' }
  const body: RequestBody = bytes?.length ? { kind: 'bytes', bytes } : { kind: 'absent' }
  const request = createRequest({ id: 'drift', method, target: contract.basePath + target, headers, body }, now)
  const { reply } = await service(request)
  return reply.status === status ? reply.body?.value : undefined
}
