import { redactNamed, redactText } from '../../../base/redaction/redact.ts'
import type { CommandContext } from '../../../command-line/process/command.ts'
import type { CountProgress } from '../../../command-line/process/count-progress.ts'
import type { Simulator } from '../../../server/simulator/simulator.ts'
import { findRedirect } from '../../../server/upstream/send.ts'
import type { TrafficSample } from '../../../server/upstream/traffic/sample.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import { createRequest, type RequestBody } from '../../../service/exchange/request.ts'
import { NotJudgedList } from '../judge/finding.ts'
import type { DriftInput } from '../judge/judge.ts'
import type { ObservedResponse } from '../observe/observation.ts'

export type DriftContext = CommandContext & { readonly progress: CountProgress }

export interface MatchedSample {
  readonly sample: TrafficSample
  readonly operation: Operation
  /** The target as sent, below the base path of the contract: `/models/ID/analytics?period=7d`. */
  readonly target: string
}

/** The traffic of the real service. `notJudged` has the operations and requests without samples. */
export interface GatheredTraffic extends Pick<DriftInput, 'expected' | 'notJudged' | 'howToGetMore'> {
  readonly samples: readonly MatchedSample[]
  readonly unauthorized: string
}

/** The most responses of an operation with one status to whose requests the simulator's own responses are compared. */
const maxOwnResponses = 100

/** Collects the responses that can be judged, and notes all other requests. `token` is redacted in requests. */
export async function gatherResponses(
  { samples, unauthorized, ...traffic }: GatheredTraffic,
  simulator: Simulator,
  token: string | undefined,
  { now, progress }: DriftContext,
) {
  const responses: ObservedResponse[] = []
  const others = new NotJudgedList()
  const counts = new Map<string, number>()
  for (const [index, { operation, sample, target }] of samples.entries()) {
    progress.show('asking the simulator', index, samples.length)
    const { id } = operation
    const request = `${sample.method} ${redactTarget(operation, sample.target, token)}`
    const response = findResponse(sample, unauthorized)
    if ('problem' in response) {
      others.add(id, response.problem, response.sentence, request)
      continue
    }
    const key = `${id} ${response.status}`
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    const reply = count > maxOwnResponses ? undefined : await askSimulator(simulator, sample, target, now())
    const own = reply?.status === response.status ? reply.body?.value : undefined
    responses.push({ ...response, operation: id, request, own })
  }
  return { ...traffic, responses, notJudged: [...others.list(), ...traffic.notJudged] }
}

/** Stands for the origin that a recording does not have, so that a relative address can be read. */
const anyOrigin = 'http://localhost'

const recordedRedirect =
  'The service redirects this request, which is no response to it. Record requests to the address that it redirects to.'

function findResponse({ response, target, origin = anyOrigin }: TrafficSample, unauthorized: string) {
  if ('problem' in response) return response
  if (response.status === 401) return { problem: 'unauthorized', sentence: unauthorized } as const
  const redirect = findRedirect(response.status, response.headers['location'], origin + target)
  return redirect ? ({ problem: 'redirect', sentence: recordedRedirect } as const) : response
}

/** Returns a target without the credentials of its query, also those that the contract declares. */
export function redactTarget({ queryKeys }: Operation, target: string, token?: string): string {
  const [path = '', ...rest] = redactText(target, token).split('?')
  if (rest.length === 0) return path
  const names = queryKeys.map((name) => name.toLowerCase())
  return `${path}?${redactNamed({ path, query: rest.join('?'), headers: {} }, names).query}`
}

const ownHeaders = { authorization: 'Bearer convsim-drift', 'content-type': 'application/json' }

async function askSimulator(
  { service, contract }: Simulator,
  { method, requestBody: bytes }: TrafficSample,
  target: string,
  now: number,
) {
  const body: RequestBody = bytes?.length ? { kind: 'bytes', bytes } : { kind: 'absent' }
  const head = { id: 'drift', method, target: contract.basePath + target, headers: ownHeaders }
  return (await service(createRequest({ ...head, body }, now))).reply
}
