import { sleep } from '../../../base/core/timers.ts'
import { type UpstreamAccess, upstreamTokenVariable } from '../../../server/upstream/parse-upstream.ts'
import { sendWithRetries } from '../../../server/upstream/send-with-retries.ts'
import type { TrafficSample } from '../../../server/upstream/traffic/sample.ts'
import { type GatheredTraffic, Gathering, redactTarget } from './gather.ts'
import type { ProbePlan } from './plan-probes.ts'

/** The longest wait that the real service can ask for, milliseconds. */
const maxPauseMs = 60_000

/** Sends the probes one after another, since they must not be a load. `announce` says that a wait is long. */
export async function sendProbes(
  access: UpstreamAccess,
  { probes, unplanned }: ProbePlan,
  now: () => number,
  announce: (text: string) => unknown,
  onProgress: (sent: number, all: number) => void,
): Promise<GatheredTraffic> {
  const unauthorized =
    access.token === undefined
      ? `The service asks for a token (401). Set ${upstreamTokenVariable}.`
      : `The service does not accept the token in ${upstreamTokenVariable} (401). Set a valid one.`
  const gathering = new Gathering(unauthorized)
  const { responses, notJudged } = gathering
  const pause = (ms: number) => {
    if (ms >= 2000) announce(`convsim drift: waiting ${Math.ceil(ms / 1000)} s, as the service asks.`)
    return sleep(ms)
  }
  for (const [index, { operation, target, body, isRepeatable }] of probes.entries()) {
    onProgress(index, probes.length)
    const request = { method: operation.method, target, body }
    const sent = await sendWithRetries(access, request, isRepeatable, { now, maxPauseMs, sleep: pause })
    for (const sample of sent.samples) gathering.add(operation, sample, target)
    const left = probes.length - index - 1
    if (isHopeless(sent.samples.at(-1), responses.length) || left === 0) break
    if (sent.pauseMs > maxPauseMs) {
      const sentence =
        `The service asks to wait ${Math.ceil(sent.pauseMs / 1000)} s; ` +
        `${left} probes were not sent. Run it again after that, or with fewer --ids.`
      const path = redactTarget(operation, access.basePath + target)
      notJudged.add(operation.id, 'rate-limited', sentence, `${operation.method} ${path}`)
      break
    }
    if (sent.pauseMs > 0) await pause(sent.pauseMs)
  }
  for (const { operation, sentence } of unplanned) notJudged.add(operation, 'not-probed', sentence)
  return {
    responses,
    expected: new Set(probes.map(({ operation }) => operation.id)),
    notJudged: notJudged.list(),
    howToGetMore: 'Give ids that the service knows (--ids), or a smaller --samples.',
  }
}

/** Returns true if further probes would fail in the same way: no token, trusted certificate, host or service. */
function isHopeless(last: TrafficSample | undefined, responded: number): boolean {
  if (!last) return false
  const { response } = last
  if (!('problem' in response)) return response.status === 401
  return (
    ['certificate', 'redirect'].includes(response.problem) || (response.problem === 'connection' && responded === 0)
  )
}
