/** `features/record/`: turns recorded traffic into a folder of fixtures. */
import type { Json } from '../../base/core/json.ts'
import { valueAt } from '../../base/core/json-pointer.ts'
import { failure, type Result, reasonOf, success } from '../../base/core/result.ts'
import { formatFinding } from '../../base/documents/source.ts'
import { type CommandContext, createCountProgress } from '../../command-line/process/command.ts'
import { defaultSettings, type Settings } from '../../server/settings/settings.ts'
import { loadInputs } from '../../server/simulator/loaded-inputs.ts'
import { readHar } from '../../server/upstream/traffic/read-har.ts'
import { readTrafficFile } from '../../server/upstream/traffic/read-traffic-file.ts'
import type { TrafficSample } from '../../server/upstream/traffic/sample.ts'
import { bundledFixtures } from '../../service/fixtures/bundled.ts'
import { collectResponses } from './collect-responses.ts'
import { type FixturePlan, findFolderProblem, planFolder, writeFolder } from './fixture-folder.ts'

interface RecordSettings extends Pick<Settings, 'contract' | 'fixtures' | 'controlToken'> {
  readonly out: string | undefined
  readonly write: boolean
}

export async function recordTraffic(
  sources: readonly string[],
  settings: RecordSettings,
  context: CommandContext,
): Promise<string | undefined> {
  const { out, write, fixtures = bundledFixtures } = settings
  const { print, signals } = context
  if (sources.length === 0) return 'Pass a source: the URL of a running proxy or simulator, or a HAR file.'
  if (out === undefined) return 'Specify the folder to write the fixtures to: --out FOLDER.'
  const problem = await findFolderProblem(out)
  if (problem !== undefined) return problem
  const plan = await planFixtures(sources, settings, context)
  if (!plan.ok) return plan.error
  for (const line of plan.value.lines) print(line)
  if (!write) {
    print('Nothing was written. To write the fixtures, repeat the command with --write.')
    return undefined
  }
  const writeProblem = await signals.finish(() => writeFolder(plan.value, out, fixtures))
  if (writeProblem === undefined) print(`Wrote ${out}. To serve it, run: convsim serve --fixtures ${out}`)
  return writeProblem
}

async function planFixtures(
  sources: readonly string[],
  settings: RecordSettings,
  { host, printError, now }: CommandContext,
): Promise<Result<FixturePlan>> {
  const inputs = await loadInputs({ ...defaultSettings(), ...settings })
  if (!inputs.ok) return failure(inputs.error.map(formatFinding).join('\n'))
  const { contract, fixtures } = inputs.value
  const progress = createCountProgress(host.stderr, 'record', now)
  const traffic = await readSources(sources, settings.controlToken)
  if (!traffic.ok) return traffic
  const onProgress = (done: number, all: number) => progress.show('checking responses', done, all)
  const { responses, skipped } = collectResponses(traffic.value, contract, onProgress)
  progress.clear()
  for (const [reason, count] of skipped) printError(`skipped requests (${count}): ${reason}`)
  return responses.length === 0 ? failure('No usable response was found.') : success(planFolder(responses, fixtures))
}

/** The accepted origins: the real and the simulated service. Responses that a scenario sent or changed are skipped. */
const acceptedOrigins = ['upstream', 'contract'] as const

/** Reads the samples from all sources (URLs of running simulators, and HAR files), in the order of the sources. */
async function readSources(
  sources: readonly string[],
  controlToken: string | undefined,
): Promise<Result<TrafficSample[]>> {
  const traffic: TrafficSample[][] = []
  for (const source of sources) {
    const read = /^https?:\/\//i.test(source)
      ? await readSimulator(source, controlToken)
      : await readTrafficFile(source, acceptedOrigins)
    if (!read.ok) return read
    traffic.push(read.value)
  }
  return success(traffic.flat())
}

async function readSimulator(url: string, controlToken: string | undefined): Promise<Result<TrafficSample[]>> {
  if (!URL.canParse(url)) return failure(`"${url}" is not a valid URL. Pass the URL of a running simulator.`)
  const { origin } = new URL(url)
  const headers = controlToken === undefined ? {} : { authorization: `Bearer ${controlToken}` }
  const entries: Json[] = []
  for (let cursorQuery = ''; ; ) {
    const page = await readPage(origin, cursorQuery, headers)
    if (!page.ok) return page
    entries.push(valueAt(page.value, '/log/entries') ?? [])
    const next = valueAt(page.value, '/log/_next')
    if (typeof next !== 'number') break
    cursorQuery = `&cursor=${next}`
  }
  const read = readHar({ log: { entries: entries.flat() } }, acceptedOrigins)
  return read.ok ? read : failure(`The traffic from the simulator at ${origin} ${read.error}`)
}

async function readPage(origin: string, cursorQuery: string, headers: Record<string, string>): Promise<Result<Json>> {
  try {
    const page = await fetch(`${origin}/__sim/requests?sandbox=*&format=har&limit=200${cursorQuery}`, { headers })
    if (page.ok) return success((await page.json()) as Json)
    const hint = page.status === 401 ? ' Pass the control token of the simulator with --control-token.' : ''
    return failure(`The simulator at ${origin} returned ${page.status} for its list of requests.${hint}`)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return failure(
      `The requests recorded by the simulator at ${origin} cannot be read: ${reasonOf(cause)}. ` +
        'Pass the URL of a running "convsim proxy" or "convsim serve".',
    )
  }
}
