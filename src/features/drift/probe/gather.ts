import { failure, type Result, success } from '../../../base/core/result.ts'
import { sleep } from '../../../base/core/timers.ts'
import { type Upstream, upstreamTokenVariable } from '../../../server/upstream/parse-upstream.ts'
import { findRedirect, type UpstreamAccess } from '../../../server/upstream/send.ts'
import { sendWithRetries } from '../../../server/upstream/send-with-retries.ts'
import { describeOmitted, type ReadTraffic, type TrafficSample } from '../../../server/upstream/traffic/sample.ts'
import type { Contract } from '../../../service/contract/contract.ts'
import type { NotJudged, NotJudgedReason } from '../judge/finding.ts'
import { type MatchedSample, matchSample, redactTarget } from '../observe/response.ts'
import type { ProbePlan } from './plan-probes.ts'

export interface GatheredTraffic {
  readonly samples: readonly MatchedSample[]
  /** The ids of the operations on which a verdict is expected. */
  readonly expected: ReadonlySet<string>
  readonly notJudged: readonly NotJudged[]
  readonly howToGetMore: string
}

/** Collects the requests about which nothing is said: one entry for each operation and reason. */
class NotJudgedList {
  readonly #entries = new Map<string, NotJudged>()

  /** Adds a request; undefined: the whole operation is meant. */
  add(operation: string, reason: NotJudgedReason, sentence: string, request?: string): void {
    const key = `${operation} ${reason}`
    const earlier = this.#entries.get(key) ?? { operation, reason, sentence, request, count: 0 }
    this.#entries.set(key, { ...earlier, count: earlier.count + Number(request !== undefined) })
  }

  list(): readonly NotJudged[] {
    return [...this.#entries.values()]
  }
}

/** The longest wait that the real service can ask for, milliseconds. */
const maxPauseMs = 60_000

/** Sends the probes one after another, since they must not be a load. `announce` says that a wait is long. */
export async function gatherFromUpstream(
  access: UpstreamAccess,
  { probes, unplanned }: ProbePlan,
  announce: (text: string) => unknown,
  onProgress: (sent: number, all: number) => void,
): Promise<GatheredTraffic> {
  const samples: MatchedSample[] = []
  const notJudged = new NotJudgedList()
  const unauthorized =
    access.token === undefined
      ? `The service asks for a token (401). Set ${upstreamTokenVariable}.`
      : `The service does not accept the token in ${upstreamTokenVariable} (401). Set a valid one.`
  const pause = (ms: number) => {
    if (ms >= 2000) announce(`convsim drift: waiting ${Math.ceil(ms / 1000)} s, as the service asks.`)
    return sleep(ms)
  }
  for (const [index, { operation, target, body, isRepeatable }] of probes.entries()) {
    onProgress(index, probes.length)
    const request = { method: operation.method, target, body }
    const sent = await sendWithRetries(access, request, isRepeatable, { maxPauseMs, sleep: pause })
    const matched = sent.samples.map((sample): MatchedSample => {
      return { operation, sample: { ...sample, target: redactTarget(operation, sample.target) }, target }
    })
    samples.push(...matched.filter((one) => isJudged(one, notJudged, unauthorized)))
    if (isHopeless(sent.samples, samples.length)) break
    if (index === probes.length - 1 || sent.pauseMs === 0) continue
    if (sent.pauseMs > maxPauseMs) {
      const sentence =
        `The service asks to wait ${Math.ceil(sent.pauseMs / 1000)} s; ` +
        `${probes.length - index - 1} probes were not sent. Run it again after that, or with fewer --ids.`
      const path = redactTarget(operation, access.upstream.basePath + target)
      notJudged.add(operation.id, 'rate-limited', sentence, `${operation.method} ${path}`)
      break
    }
    await pause(sent.pauseMs)
  }
  for (const { operation, sentence } of unplanned) notJudged.add(operation, 'not-probed', sentence)
  return {
    samples,
    expected: new Set(probes.map(({ operation }) => operation.id)),
    notJudged: notJudged.list(),
    howToGetMore: 'Give ids that the service knows (--ids), or a smaller --samples.',
  }
}

/** Returns true if further probes would fail in the same way: no token, trusted certificate, host or service. */
function isHopeless(samples: readonly TrafficSample[], responded: number): boolean {
  const last = samples.at(-1)?.response
  if (!last) return false
  if (!('problem' in last)) return last.status === 401
  const { problem } = last
  return problem === 'certificate' || problem === 'redirect' || (problem === 'connection' && responded === 0)
}

/** Returns true for a 304: a browser asked if the response in its cache has changed, which says nothing. */
const isUnchanged = ({ response }: TrafficSample) => 'status' in response && response.status === 304

/**
 * Finds the operations of recorded traffic. The error says that several services were recorded.
 * @param upstream the service that is meant; undefined: whatever has the paths of the contract
 */
export function gatherFromRecording(
  contract: Contract,
  recordings: readonly ReadTraffic[],
  upstream: Upstream | undefined,
): Result<GatheredTraffic> {
  const matched = recordings
    .flatMap(({ samples }) => samples)
    .filter(({ origin }) => !upstream || (origin ?? upstream.origin) === upstream.origin)
    .flatMap((sample) => {
      const basePath = sample.origin === undefined ? undefined : upstream?.basePath
      return matchSample(contract, sample, basePath) ?? []
    })
  const origins = new Set(matched.flatMap(({ sample }) => sample.origin ?? []))
  if (origins.size > 1) return failure(describeOrigins([...origins], contract))
  const notJudged = new NotJudgedList()
  const unauthorized = 'A 401 is a response to a token, and says nothing about the contract.'
  const samples = matched.filter((one) => !isUnchanged(one.sample) && isJudged(one, notJudged, unauthorized))
  const expected = new Set(matched.map(({ operation }) => operation.id))
  for (const { id } of contract.operations)
    if (!expected.has(id)) notJudged.add(id, 'no-traffic', 'The recording has no request to it.')
  const omitted = recordings.reduce((sum, one) => sum + one.omitted, 0)
  if (omitted > 0) notJudged.add('', 'too-many-entries', describeOmitted(omitted))
  const howToGetMore = 'Record more traffic, with its bodies, or give a smaller --samples.'
  return success({ samples, expected, notJudged: notJudged.list(), howToGetMore })
}

const maxNamedOrigins = 5

function describeOrigins(origins: readonly string[], { basePath }: Contract): string {
  const more = origins.length - maxNamedOrigins
  const named = origins.slice(0, maxNamedOrigins).join(' and ') + (more > 0 ? ` and ${more} more` : '')
  const command = `convsim drift ${origins[0]}${basePath} --har FILE`
  const advice = 'Give the base URL of the service that is meant, too'
  return `The recording has such requests to ${named}. ${advice}: ${command}.`
}

/** Returns true for a response that can be judged, and lists any other. `unauthorized`: the sentence about a 401. */
function isJudged({ operation, sample }: MatchedSample, notJudged: NotJudgedList, unauthorized: string): boolean {
  const { response, origin = anyOrigin, method, target } = sample
  const request = `${method} ${target}`
  if ('problem' in response) notJudged.add(operation.id, response.problem, response.sentence, request)
  else if (response.status === 401) notJudged.add(operation.id, 'unauthorized', unauthorized, request)
  else if (findRedirect(response.status, response.headers['location'], `${origin}${target}`))
    notJudged.add(operation.id, 'redirect', recordedRedirect, request)
  else return true
  return false
}

/** Stands for the origin that a recording does not have, so that a relative address can be read. */
const anyOrigin = 'http://localhost'

const recordedRedirect =
  'The service redirects this request, which is no response to it. Record requests to the address that it redirects to.'
