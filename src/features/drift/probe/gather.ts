import { redactNamed, redactText } from '../../../base/redaction/redact.ts'
import type { Simulator } from '../../../server/simulator/simulator.ts'
import { findRedirect } from '../../../server/upstream/send.ts'
import type { TrafficSample } from '../../../server/upstream/traffic/sample.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import { createRequest, type RequestBody } from '../../../service/exchange/request.ts'
import { NotJudgedList } from '../judge/finding.ts'
import type { DriftInput } from '../judge/judge.ts'
import type { ObservedResponse } from '../observe/observation.ts'

/** A response with the parts of its request that are sent to the simulator, too. */
interface GatheredResponse extends ObservedResponse {
  readonly method: string
  /** The target as sent, below the base path of the contract: `/models/ID/analytics?period=7d`. */
  readonly target: string
  readonly requestBody: Uint8Array | undefined
}

export interface GatheredTraffic extends Pick<DriftInput, 'expected' | 'notJudged' | 'howToGetMore'> {
  readonly responses: readonly GatheredResponse[]
}

/** Collects the responses that can be judged, and notes all other requests. */
export class Gathering {
  readonly responses: GatheredResponse[] = []
  readonly notJudged = new NotJudgedList()
  readonly #unauthorized: string
  readonly #token: string | undefined

  /**
   * @param unauthorized the sentence about a 401
   * @param token a token that is redacted in requests, if any
   */
  constructor(unauthorized: string, token?: string) {
    this.#unauthorized = unauthorized
    this.#token = token
  }

  /** Adds a sample. `target`: the target as sent, below the base path of the contract. */
  add(operation: Operation, sample: TrafficSample, target: string): void {
    const { id } = operation
    const { method, requestBody, response, origin = anyOrigin } = sample
    const request = `${method} ${redactTarget(operation, sample.target, this.#token)}`
    if ('problem' in response) this.notJudged.add(id, response.problem, response.sentence, request)
    else if (response.status === 401) this.notJudged.add(id, 'unauthorized', this.#unauthorized, request)
    else if (findRedirect(response.status, response.headers['location'], origin + sample.target))
      this.notJudged.add(id, 'redirect', recordedRedirect, request)
    else this.responses.push({ ...response, operation: id, request, method, target, requestBody, own: undefined })
  }
}

/** Stands for the origin that a recording does not have, so that a relative address can be read. */
const anyOrigin = 'http://localhost'

const recordedRedirect =
  'The service redirects this request, which is no response to it. Record requests to the address that it redirects to.'

/** Returns a target without the credentials of its query, also those that the contract declares. */
export function redactTarget({ queryKeys }: Operation, target: string, token?: string): string {
  const [path = '', ...rest] = redactText(target, token).split('?')
  if (rest.length === 0) return path
  const names = queryKeys.map((name) => name.toLowerCase())
  return `${path}?${redactNamed({ path, query: rest.join('?'), headers: {} }, names).query}`
}

/** The most responses of an operation with one status to whose requests the simulator's own responses are compared. */
const maxOwnResponses = 100

/** Adds the simulator's own bodies to responses. `onProgress` is called before each response. */
export async function askSimulator(
  responses: readonly GatheredResponse[],
  { service, contract }: Simulator,
  now: () => number,
  onProgress: (done: number, all: number) => void,
): Promise<ObservedResponse[]> {
  const headers = { authorization: 'Bearer convsim-drift', 'content-type': 'application/json' }
  const observed: ObservedResponse[] = []
  const counts = new Map<string, number>()
  for (const [index, response] of responses.entries()) {
    onProgress(index, responses.length)
    const { operation, status, method, target, requestBody: bytes } = response
    const count = (counts.get(`${operation} ${status}`) ?? 0) + 1
    counts.set(`${operation} ${status}`, count)
    const body: RequestBody = bytes?.length ? { kind: 'bytes', bytes } : { kind: 'absent' }
    const request = createRequest({ id: 'drift', method, target: contract.basePath + target, headers, body }, now())
    const reply = count > maxOwnResponses ? undefined : (await service(request)).reply
    observed.push({ ...response, own: reply?.status === status ? reply.body?.value : undefined })
  }
  return observed
}
