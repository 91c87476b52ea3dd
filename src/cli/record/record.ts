import { createInterface } from 'node:readline/promises'
import type { Settings } from '../../config/settings.ts'
import { failure, type Result, success } from '../../core/result.ts'
import { formatFinding } from '../../documents/finding.ts'
import { bundledFixtures } from '../../fixtures/bundled.ts'
import { loadInputs } from '../../simulator/loaded-inputs.ts'
import { type CollectedAnswers, collectAnswers } from './collect-answers.ts'
import { type FixturePlan, planAnswers, planPersonas } from './plan-fixtures.ts'
import { readTrafficSources } from './read-sources.ts'
import { findFolderProblem, writeFixtures } from './write-fixtures.ts'

/** The surroundings of `convsim record`. */
export interface RecordDeps {
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
  /** Asks a question on the terminal; undefined: there is none. */
  readonly ask: ((question: string) => Promise<string>) | undefined
}

/** Creates the function that asks on a terminal; undefined where input or output is none. */
export function createAsk(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): ((question: string) => Promise<string>) | undefined {
  if (!input.isTTY || !output.isTTY) return undefined
  return async (question) => {
    const terminal = createInterface({ input, output })
    const answer = await terminal.question(question)
    terminal.close()
    return answer
  }
}

/** Turns traffic into fixtures: lists them, and writes them if it may. Returns the exit code: 0, or 1 if there is nothing to write or a problem. */
export async function recordFixtures(
  sources: readonly string[],
  settings: Settings,
  deps: RecordDeps,
): Promise<number> {
  const done = await record(sources, settings, deps)
  if (!done.ok) deps.printError(`convsim record: ${done.error}`)
  return done.ok ? 0 : 1
}

async function record(
  sources: readonly string[],
  settings: Settings,
  deps: RecordDeps,
): Promise<Result<undefined>> {
  const folder = await findFolder(sources, settings)
  if (!folder.ok) return folder
  const plan = await planFixtures(sources, settings, deps)
  if (!plan.ok) return plan
  for (const line of plan.value.lines) deps.print(line)
  if (isEmpty(plan.value)) return failure('No exchange gives a fixture.')
  if (!(await mayWrite(settings, deps))) {
    deps.print('Nothing was written. To write it: the same command with --write.')
    return success(undefined)
  }
  const written = await writeFixtures(plan.value, folder.value, settings.fixtures ?? bundledFixtures)
  if (written.ok) deps.print(`${folder.value} is written. Serve it: convsim serve --fixtures ${folder.value}`)
  return written
}

/** Returns the folder to write, before anything is read. */
async function findFolder(sources: readonly string[], { out }: Settings): Promise<Result<string>> {
  if (sources.length === 0)
    return failure(
      'Name the traffic: the URL of a running proxy, a HAR file, or an export of GET /__sim/requests.',
    )
  if (out === undefined) return failure('Name the folder of fixtures to write: --out FOLDER.')
  const problem = await findFolderProblem(out)
  return problem === undefined ? success(out) : failure(problem)
}

async function planFixtures(
  sources: readonly string[],
  settings: Settings,
  { printError }: RecordDeps,
): Promise<Result<FixturePlan>> {
  const inputs = await loadInputs(settings)
  if (!inputs.ok) return failure(inputs.error.map(formatFinding).join('\n'))
  const samples = await readTrafficSources(sources, settings.controlToken)
  if (!samples.ok) return samples
  const { contract, fixtures } = inputs.value
  const collected = collectAnswers(samples.value, contract)
  for (const line of describeSkipped(collected)) printError(line)
  const { answers } = collected
  return success(
    settings.as === 'answers'
      ? planAnswers(answers, fixtures)
      : planPersonas(answers, fixtures, settings.seed),
  )
}

const isEmpty = ({ files, appended }: FixturePlan) => files.size === 0 && appended.personas.length === 0

function describeSkipped({ skipped }: CollectedAnswers): string[] {
  return [...skipped].map(([reason, count]) => `left out, ${count} of them: ${reason}`)
}

async function mayWrite({ write, out }: Settings, { ask }: RecordDeps): Promise<boolean> {
  if (write || !ask) return write
  return /^y(es)?$/i.test((await ask(`Write this to ${out}? [y/N] `)).trim())
}
