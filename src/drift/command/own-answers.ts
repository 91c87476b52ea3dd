import { defaultSettings } from '../../config/settings.ts'
import type { Contract } from '../../contract/contract.ts'
import type { Json } from '../../core/json.ts'
import { silentLog } from '../../core/log.ts'
import { type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import type { SimRequest } from '../../exchange/request.ts'
import { createSimulator, type Simulator } from '../../simulator/simulator.ts'
import type { MatchedSample } from '../answer.ts'
import type { DriftSettings } from './command.ts'

/** A simulator in this process that answers the requests that the real service has answered. */
export interface OwnAnswers {
  readonly contract: Contract
  /** Returns the simulator's body for a request; undefined where its status is another one. */
  answer(sample: MatchedSample, status: number): Promise<Json | undefined>
  close(): Promise<void>
}

/** Creates the simulator, with its state in memory and without a socket. */
export async function createOwnAnswers(
  { contract, overlay, fixtures }: DriftSettings,
  now: () => number,
): Promise<Result<OwnAnswers, Findings>> {
  const settings = { ...defaultSettings(), contract, overlay, fixtures, state: ':memory:' }
  const created = await createSimulator(settings, { now, log: silentLog })
  if (!created.ok) return created
  const simulator = created.value
  return success({
    contract: simulator.contract,
    answer: (sample, status) => ask(simulator, sample, status, now()),
    close: () => simulator.close(),
  })
}

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
