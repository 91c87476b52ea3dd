import { failure, type Result, success } from '../../../base/core/result.ts'
import type { Upstream } from '../../../server/upstream/parse-upstream.ts'
import { readTrafficFile } from '../../../server/upstream/traffic/read-traffic-file.ts'
import { describeOmitted, type ReadTraffic, type TrafficSample } from '../../../server/upstream/traffic/sample.ts'
import type { Contract } from '../../../service/contract/contract.ts'
import { NotJudgedList } from '../judge/finding.ts'
import type { DriftSettings } from '../settings.ts'
import type { DriftContext, GatheredTraffic, MatchedSample } from './gather.ts'

/** Reads recorded traffic of a service; `upstream` undefined: of the only one that has the paths of the contract. */
export async function readRecordings(
  { har, journal }: Pick<DriftSettings, 'har' | 'journal'>,
  contract: Contract,
  upstream: Upstream | undefined,
  { progress }: DriftContext,
): Promise<Result<GatheredTraffic>> {
  const recordings: ReadTraffic[] = []
  const files = [['har', har] as const, ['journal', journal] as const]
  for (const [form, file = ''] of files.filter(([, file]) => file !== undefined)) {
    const onProgress = (done: number, all: number) => progress.show('reading exchanges', done, all)
    const read = await readTrafficFile(file, form, { accepted: ['upstream'], onProgress })
    if (!read.ok) return read
    recordings.push(read.value)
  }
  const samples = recordings.flatMap((recording) => recording.samples)
  const matched = samples.flatMap((sample) => {
    const { origin } = sample
    if (upstream && (origin ?? upstream.origin) !== upstream.origin) return []
    return matchSample(contract, sample, origin && upstream?.basePath) ?? []
  })
  const origins = [...new Set(matched.flatMap(({ sample }) => sample.origin ?? []))]
  if (origins.length > 1) return failure(describeOrigins(origins, contract))
  const expected = new Set(matched.map(({ operation }) => operation.id))
  const unused = contract.operations.filter(({ id }) => !expected.has(id))
  const notJudged = new NotJudgedList()
  for (const { id } of unused) notJudged.add(id, 'no-traffic', 'The recording has no request to it.')
  const omitted = recordings.reduce((sum, recording) => sum + recording.omitted, 0)
  if (omitted > 0) notJudged.add('', 'too-many-entries', describeOmitted(omitted))
  return success({
    samples: matched.filter(({ sample }) => !isUnchanged(sample)),
    unauthorized: 'A 401 is a response to a token, and says nothing about the contract.',
    expected,
    notJudged: notJudged.list(),
    howToGetMore: 'Record more traffic, with its bodies, or give a smaller --samples.',
  })
}

/** Returns true for a 304: a browser asked if the response in its cache has changed, which says nothing. */
const isUnchanged = ({ response }: TrafficSample) => 'status' in response && response.status === 304

const maxNamedOrigins = 5

function describeOrigins(origins: readonly string[], { basePath }: Contract): string {
  const more = origins.length - maxNamedOrigins
  const named = origins.slice(0, maxNamedOrigins).join(' and ') + (more > 0 ? ` and ${more} more` : '')
  const command = `convsim drift ${origins[0]}${basePath} --har FILE`
  return `The recording has such requests to ${named}. Give the base URL of the service that is meant, too: ${command}.`
}

/** Finds a sample's operation. `basePath`: by default that of the contract, also behind a gateway: `/gateway/v1`. */
function matchSample(contract: Contract, sample: TrafficSample, basePath?: string): MatchedSample | undefined {
  const [path = '', ...query] = sample.target.split('?')
  for (const below of listPathsBelow(path, contract.basePath, basePath)) {
    const match = contract.match(sample.method, contract.basePath + below)
    if (match.kind === 'operation') return { sample, operation: match.operation, target: [below, ...query].join('?') }
  }
  return undefined
}

/** The most segments that a gateway adds before the base path of the contract: `/gateway/v1` has one. */
const maxGatewaySegments = 10

/** Lists the paths that may be those of the contract: the rest of `path` after each place where a base path can end. */
function listPathsBelow(path: string, contractBase: string, basePath: string | undefined): string[] {
  if (basePath !== undefined) return path.startsWith(`${basePath}/`) ? [path.slice(basePath.length)] : []
  const paths: string[] = []
  for (let at = path.indexOf('/'), count = 0; at >= 0 && count <= maxGatewaySegments; count += 1) {
    if (path.startsWith(`${contractBase}/`, at)) paths.push(path.slice(at + contractBase.length))
    at = path.indexOf('/', at + 1)
  }
  return paths
}
