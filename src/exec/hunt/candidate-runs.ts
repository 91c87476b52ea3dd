import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Result } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import type { TempFolder } from '../../process/temp-folder.ts'
import { type EndedRun, executeRun, type PreparedRun, prepareRun, type RunDeps } from '../each/faulty-run.ts'
import { type Candidate, keyOf } from './candidate.ts'
import { renderRules } from './hunt-file.ts'

/** Runs of the command under candidates, each with a file of scenarios like the one that repeats it. */
export class CandidateRuns {
  readonly #deps: RunDeps
  readonly #limitMs: number
  readonly #folder: TempFolder
  #files = 0

  /** `limitMs`: the time limit of a run. `folder`: for the files of scenarios. */
  constructor(deps: RunDeps, limitMs: number, folder: TempFolder) {
    this.#deps = deps
    this.#limitMs = limitMs
    this.#folder = folder
  }

  /** Starts the simulator of a run. */
  readonly prepare = async (candidate: Candidate): Promise<Result<PreparedRun, Findings>> => {
    this.#files += 1
    const scenarios = join(this.#folder.path, `${this.#files}.yaml`)
    await writeFile(scenarios, renderRules(candidate))
    const prepared = await prepareRun(
      { ...this.#deps, settings: { ...this.#deps.settings, scenarios } },
      undefined,
    )
    await rm(scenarios)
    return prepared
  }

  /** Runs the command once. An exception is a bug: the start was checked before. */
  async run(candidate: Candidate): Promise<EndedRun> {
    const prepared = await this.prepare(candidate)
    if (!prepared.ok) throw new Error(`${keyOf(candidate)}: ${JSON.stringify(prepared.error)}`)
    return executeRun(this.#deps, prepared.value, this.#limitMs)
  }
}

/** Returns true for a run that broke or hung. */
export function isBroken({ code, isTimedOut }: EndedRun): boolean {
  return isTimedOut || code !== 0
}
