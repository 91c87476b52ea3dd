import { failure, type Result, success } from '../../../base/core/result.ts'
import type { Upstream } from '../../../server/upstream/parse-upstream.ts'
import { readTrafficFile } from '../../../server/upstream/traffic/read-traffic-file.ts'
import type { TrafficSample } from '../../../server/upstream/traffic/sample.ts'
import type { Contract, Operation } from '../../../service/contract/contract.ts'
import { NotJudgedList } from '../judge/not-judged.ts'
import { type GatheredTraffic, selectResponses } from './traffic.ts'

/** Reads recorded traffic of a service; `upstream` undefined: of the only one that has the paths of the contract. */
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
    if (!expected.has(id)) notJudged.add(id, 'no-traffic', 'The recording has no request to it.')
  const unauthorized = 'A 401 is a response to a token, and says nothing about the contract.'
  const samples = matched.filter((sample) => !isUnchanged(sample))
  return success({
    responses: selectResponses(samples, notJudged, unauthorized, token),
    expected,
    notJudged: notJudged.list(),
    howToGetMore: 'Record more traffic, with its bodies, or give a smaller --samples.',
  })
}

/** Returns true for a 304: a browser asked if the response in its cache has changed, which says nothing. */
const isUnchanged = ({ response }: TrafficSample) => 'status' in response && response.status === 304

function describeOrigins(origins: readonly string[], { basePath }: Contract): string {
  const more = origins.length > 5 ? ` and ${origins.length - 5} more` : ''
  const named = origins.slice(0, 5).join(' and ') + more
  const command = `convsim drift ${origins[0]}${basePath} --har FILE`
  return `The recording has such requests to ${named}. Give the base URL of the service that is meant, too: ${command}.`
}

/** Finds a sample's operation. `basePath`: by default that of the contract, also behind a gateway: `/gateway/v1`. */
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
