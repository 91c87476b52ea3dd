/** Recorded traffic as a folder of fixtures. */
import { createInterface } from 'node:readline/promises'
import { failure, type Result, success } from '../../base/core/result.ts'
import { formatFinding } from '../../base/documents/finding.ts'
import type { CommandContext } from '../../command-line/process/command.ts'
import { createCountProgress } from '../../command-line/process/count-progress.ts'
import { defaultSettings } from '../../server/settings/settings.ts'
import { loadInputs } from '../../server/simulator/loaded-inputs.ts'
import { describeOmitted } from '../../server/upstream/traffic/sample.ts'
import { bundledFixtures } from '../../service/fixtures/bundled.ts'
import { collectResponses } from './collect-responses.ts'
import { type FixturePlan, planResponses } from './plan-fixtures.ts'
import { readTrafficSources } from './read-sources.ts'
import type { RecordSettings } from './settings.ts'
import { findTargetFolderProblem, writeFixtures } from './write-fixtures.ts'

/** Creates the function that asks on the terminal of a process; undefined where its input or output is none. */
export function createAsk(
  host: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'kill' | 'pid'>,
): ((question: string) => Promise<string>) | undefined {
  const { stdin: input, stdout: output } = host
  if (!input.isTTY || !output.isTTY) return undefined
  return async (question) => {
    const terminal = createInterface({ input, output })
    // While a line is edited, the terminal sends Ctrl-C as a key, and readline would reject with a stack.
    terminal.once('SIGINT', () => host.kill(host.pid, 'SIGINT'))
    const response = await terminal.question(question)
    terminal.close()
    return response
  }
}

/** Turns traffic into fixtures: lists them, and writes them if it may. Returns the exit code. */
export async function recordFixtures(
  sources: readonly string[],
  settings: RecordSettings,
  deps: CommandContext,
): Promise<number> {
  const done = await recordTraffic(sources, settings, deps)
  if (!done.ok) deps.printError(`convsim record: ${done.error}`)
  return done.ok ? 0 : 1
}

async function recordTraffic(
  sources: readonly string[],
  settings: RecordSettings,
  deps: CommandContext,
): Promise<Result<undefined>> {
  const folder = await findFolder(sources, settings)
  if (!folder.ok) return folder
  const plan = await planFixtures(sources, settings, deps)
  if (!plan.ok) return plan
  for (const line of plan.value.lines) deps.print(line)
  if (!(await mayWrite(settings, deps))) {
    deps.print('Nothing was written. To write it: the same command with --write.')
    return success(undefined)
  }
  const base = settings.fixtures ?? bundledFixtures
  const written = await deps.signals.finish(() => writeFixtures(plan.value, folder.value, base))
  if (written.ok) deps.print(`${folder.value} is written. Serve it: convsim serve --fixtures ${folder.value}`)
  return written
}

/** Returns the folder to write, before anything is read. */
async function findFolder(sources: readonly string[], { out }: RecordSettings): Promise<Result<string>> {
  if (sources.length === 0)
    return failure('Name the traffic: the URL of a running proxy, a HAR file, or an export of GET /__sim/requests.')
  if (out === undefined) return failure('Name the folder of fixtures to write: --out FOLDER.')
  const problem = await findTargetFolderProblem(out)
  return problem === undefined ? success(out) : failure(problem)
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
  const show = (title: string) => (done: number, all: number) => progress.show(title, done, all)
  const traffic = await readTrafficSources(sources, settings.controlToken, show('reading exchanges'))
  const samples = traffic.ok ? traffic.value.flatMap((one) => one.samples) : []
  const { responses, skipped } = collectResponses(samples, contract, show('checking responses'))
  progress.clear()
  if (!traffic.ok) return traffic
  for (const { omitted } of traffic.value) if (omitted > 0) printError(describeOmitted(omitted))
  for (const line of describeSkippedTraffic(skipped)) printError(line)
  return responses.length === 0 ? failure('No exchange gives a fixture.') : success(planResponses(responses, fixtures))
}

/** The most reasons that are listed: each response can break the contract at a place of its own. */
const maxReasons = 50

function describeSkippedTraffic(skipped: ReadonlyMap<string, number>): string[] {
  const lines = [...skipped].map(([reason, count]) => `left out, ${count} of them: ${reason}`)
  const more = lines.length - maxReasons
  return more > 0 ? [...lines.slice(0, maxReasons), `left out, for ${more} more reasons`] : lines
}

async function mayWrite({ write, out }: RecordSettings, { host }: CommandContext): Promise<boolean> {
  const ask = createAsk(host)
  if (write || !ask) return write
  return /^y(es)?$/i.test((await ask(`Write this to ${out}? [y/N] `)).trim())
}
