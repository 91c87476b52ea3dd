import { failure, type Result, success } from '../../../base/core/result.ts'
import { sleep } from '../../../base/core/timers.ts'
import { redactNamed, redactText } from '../../../base/redaction/redact.ts'
import type { CommandContext, CountProgress } from '../../../command-line/process/command.ts'
import type { UpstreamClient } from '../../../server/upstream/client.ts'
import { type Upstream, upstreamTokenVariable } from '../../../server/upstream/parse-upstream.ts'
import { sendWithRetries } from '../../../server/upstream/send.ts'
import { readTrafficFile } from '../../../server/upstream/traffic/read-traffic-file.ts'
import type { TrafficResponse, TrafficSample } from '../../../server/upstream/traffic/sample.ts'
import type { Contract, Operation } from '../../../service/contract/contract.ts'
import { type DriftInput, type JudgedResponse, NotJudgedList } from '../judge/judge.ts'
import type { ProbePlan } from './plan-probes.ts'

export type DriftContext = CommandContext & { readonly progress: CountProgress }

interface MatchedSample extends TrafficSample {
  readonly operation: Operation
}

/** The real service's traffic. `notJudged` lists the operations and requests without a response to judge. */
type GatheredTraffic = Pick<DriftInput, 'responses' | 'notJudged' | 'expected' | 'howToGetMore'>

/** Returns the responses to judge, and adds other samples to `notJudged`. `unauthorized` is the sentence for a 401. */
function selectResponses(
  samples: readonly MatchedSample[],
  notJudged: NotJudgedList,
  unauthorized: string,
  token: string | undefined,
): JudgedResponse[] {
  const responses: JudgedResponse[] = []
  for (const sample of samples) {
    const { operation, method, target } = sample
    const request = `${method} ${redactTarget(operation, target, token)}`
    const response = classifyResponse(sample, unauthorized)
    if ('problem' in response) notJudged.add(operation.id, response.problem, response.sentence, request)
    else responses.push({ ...response, operation: operation.id, request })
  }
  return responses
}

function classifyResponse({ response }: TrafficSample, unauthorized: string) {
  if ('problem' in response) return response
  if (response.status === 401) return { problem: 'unauthorized', sentence: unauthorized } as const
  return isRedirect(response) ? ({ problem: 'redirect', sentence: redirected } as const) : response
}

const isRedirect = ({ status, headers }: TrafficResponse) =>
  [301, 302, 303, 307, 308].includes(status) && headers['location'] !== undefined

const redirected =
  'The service redirects this request, and the redirect was not followed. ' +
  'Use the target of the redirect as the base URL, or record requests to the target.'

/** Redacts the credentials in a request target, including query parameters that the contract declares as API keys. */
export function redactTarget({ queryApiKeys }: Operation, target: string, token?: string): string {
  const [path = '', ...rest] = redactText(target, token).split('?')
  if (rest.length === 0) return path
  const names = queryApiKeys.map((name) => name.toLowerCase())
  return `${path}?${redactNamed({ path, query: rest.join('?'), headers: {} }, names).query}`
}

const maxPauseMs = 60_000

/** Sends the probes one after another, to keep the load low. `ownToken` is redacted in reported requests. */
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
    if (ms >= 2000) printError(`convsim drift: waiting ${Math.ceil(ms / 1000)} s, as requested by the service.`)
    return sleep(ms)
  }
  const pacing = { now, maxPauseMs, sleep: pause }
  for (const [index, { operation, target, body, isRepeatable }] of probes.entries()) {
    progress.show('sending probes', index, probes.length)
    const { id, method } = operation
    const sent = await sendWithRetries(client, { method, target, body }, isRepeatable, pacing)
    samples.push(...sent.samples.map((sample) => ({ ...sample, operation })))
    const left = probes.length - index - 1
    if (isHopeless(samples) || left === 0) break
    if (sent.pauseMs > maxPauseMs) {
      const sentence =
        `The service requires a wait of ${Math.ceil(sent.pauseMs / 1000)} s, so the remaining ` +
        `probes (${left}) were not sent. Run the command again after the wait, or use fewer IDs (--ids).`
      notJudged.add(id, 'rate-limited', sentence, `${method} ${redactTarget(operation, basePath + target, ownToken)}`)
      break
    }
    if (sent.pauseMs > 0) await pause(sent.pauseMs)
  }
  for (const { operation, sentence } of unplanned) notJudged.add(operation, 'not-probed', sentence)
  const unauthorized =
    token === undefined
      ? `The service requires a token (401). Set ${upstreamTokenVariable}.`
      : `The service does not accept the token in ${upstreamTokenVariable} (401). Set a valid token.`
  return {
    responses: selectResponses(samples, notJudged, unauthorized, ownToken),
    expected: new Set(probes.map(({ operation }) => operation.id)),
    notJudged: notJudged.toArray(),
    howToGetMore: 'Pass IDs that exist in the service (--ids), or reduce --samples.',
  }
}

/** Returns true if the token, a redirect, the certificate or the connection would make all further probes fail. */
function isHopeless(samples: readonly MatchedSample[]): boolean {
  const response = samples.at(-1)?.response
  if (!response) return false
  if (!('problem' in response)) return response.status === 401 || isRedirect(response)
  const isUnreachable = samples.every((sample) => 'problem' in sample.response)
  return response.problem === 'certificate' || (response.problem === 'connection' && isUnreachable)
}

/** Reads the recorded traffic to `upstream`. Without `upstream`, all matching requests must be to the same service. */
export async function readRecording(
  har: string,
  contract: Contract,
  upstream: Upstream | undefined,
  token: string | undefined,
): Promise<Result<GatheredTraffic>> {
  const notJudged = new NotJudgedList()
  const read = await readTrafficFile(har)
  if (!read.ok) return read
  const matched = read.value.flatMap((sample) => {
    const { origin } = sample
    if (upstream && origin !== undefined && origin !== upstream.origin) return []
    const operation = findOperation(contract, sample, origin && upstream?.basePath)
    return operation ? { ...sample, operation } : []
  })
  const origins = [...new Set(matched.flatMap(({ origin }) => origin ?? []))]
  if (origins.length > 1) return failure(describeOrigins(origins, contract))
  const expected = new Set(matched.map(({ operation }) => operation.id))
  for (const { id } of contract.operations)
    if (!expected.has(id)) notJudged.add(id, 'no-traffic', 'The recording has no request for this operation.')
  const unauthorized = 'A 401 is about the token, not about the contract. Record the traffic with a valid token.'
  const samples = matched.filter((sample) => !isUnchanged(sample))
  return success({
    responses: selectResponses(samples, notJudged, unauthorized, token),
    expected,
    notJudged: notJudged.toArray(),
    howToGetMore: 'Record more traffic, including the bodies, or reduce --samples.',
  })
}

/** Returns true for a 304, which only says that a browser's cached response is still current. */
const isUnchanged = ({ response }: TrafficSample) => 'status' in response && response.status === 304

function describeOrigins(origins: readonly string[], { basePath }: Contract): string {
  const more = origins.length > 5 ? ` and ${origins.length - 5} more` : ''
  const named = origins.slice(0, 5).join(', ') + more
  const command = `convsim drift ${origins[0]}${basePath} --har FILE`
  return `The recording has requests to several origins: ${named}. Also pass the base URL of the service: ${command}.`
}

/** Finds a sample's operation. Without `basePath`, the contract's base path can follow a prefix (`/gateway/v1`). */
function findOperation(
  contract: Contract,
  { method, target }: TrafficSample,
  basePath: string | undefined,
): Operation | undefined {
  const path = target.replace(/\?.*/s, '')
  const base = `${basePath ?? contract.basePath}/`
  const at = path.indexOf(base)
  if (at < 0 || (basePath !== undefined && at > 0)) return undefined
  const match = contract.match(method, `${contract.basePath}/${path.slice(at + base.length)}`)
  return match.kind === 'operation' ? match.operation : undefined
}
