import { sleep } from '../../../base/core/timers.ts'
import type { UpstreamClient } from '../../../server/upstream/client.ts'
import { upstreamTokenVariable } from '../../../server/upstream/parse-upstream.ts'
import { sendWithRetries } from '../../../server/upstream/send.ts'
import { NotJudgedList } from '../judge/not-judged.ts'
import type { ProbePlan } from './plan-probes.ts'
import {
  type DriftContext,
  type GatheredTraffic,
  isRedirect,
  type MatchedSample,
  redactTarget,
  selectResponses,
} from './traffic.ts'

const maxPauseMs = 60_000

/** Sends the probes one after another, since they must not be a load. `ownToken` is redacted in requests. */
export async function sendProbes(
  client: UpstreamClient,
  { probes, unplanned }: ProbePlan,
  ownToken: string | undefined,
  { now, progress, printError }: DriftContext,
): Promise<GatheredTraffic> {
  const { token, basePath } = client.target
  const samples: MatchedSample[] = []
  const notJudged = new NotJudgedList()
  const pause = (ms: number) => {
    progress.clear()
    if (ms >= 2000) printError(`convsim drift: waiting ${Math.ceil(ms / 1000)} s, as the service asks.`)
    return sleep(ms)
  }
  const waiting = { now, maxPauseMs, sleep: pause }
  for (const [index, { operation, target, body, isRepeatable }] of probes.entries()) {
    progress.show('asking the service', index, probes.length)
    const { id, method } = operation
    const sent = await sendWithRetries(client, { method, target, body }, isRepeatable, waiting)
    samples.push(...sent.samples.map((sample) => ({ ...sample, operation })))
    const left = probes.length - index - 1
    if (isHopeless(samples) || left === 0) break
    if (sent.pauseMs > maxPauseMs) {
      const sentence =
        `The service asks to wait ${Math.ceil(sent.pauseMs / 1000)} s; ` +
        `${left} probes were not sent. Run it again after that, or with fewer --ids.`
      notJudged.add(id, 'rate-limited', sentence, `${method} ${redactTarget(operation, basePath + target)}`)
      break
    }
    if (sent.pauseMs > 0) await pause(sent.pauseMs)
  }
  for (const { operation, sentence } of unplanned) notJudged.add(operation, 'not-probed', sentence)
  const unauthorized =
    token === undefined
      ? `The service asks for a token (401). Set ${upstreamTokenVariable}.`
      : `The service does not accept the token in ${upstreamTokenVariable} (401). Set a valid one.`
  return {
    responses: selectResponses(samples, notJudged, unauthorized, ownToken),
    expected: new Set(probes.map(({ operation }) => operation.id)),
    notJudged: notJudged.list(),
    howToGetMore: 'Give ids that the service knows (--ids), or a smaller --samples.',
  }
}

/** Returns true if further probes would fail in the same way: no token, trusted certificate, host or service. */
function isHopeless(samples: readonly MatchedSample[]): boolean {
  const response = samples.at(-1)?.response
  if (!response) return false
  if (!('problem' in response)) return response.status === 401 || isRedirect(response)
  const isUnreachable = samples.every((sample) => 'problem' in sample.response)
  return response.problem === 'certificate' || (response.problem === 'connection' && isUnreachable)
}
