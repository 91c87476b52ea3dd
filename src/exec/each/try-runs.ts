import { type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import type { FindingsReport } from '../../reports/report.ts'
import type { SuiteGate } from '../parse-suite-fail-on.ts'
import type { PlannedRun } from '../plan/plan.ts'
import type { JudgedRun } from '../report/suite-report.ts'
import { isRed } from '../report/verdict.ts'
import { findTerminal, type SuiteAttempt } from './attempt.ts'
import { prepareRun } from './faulty-run.ts'
import { judgeRun, mustRepeat } from './judge-run.ts'
import { makeRuns } from './make-runs.ts'
import type { PlainRun } from './plain-runs.ts'
import { createProgress, type Progress } from './progress.ts'
import { repeatPlainRun } from './repeat-plain-run.ts'

/** The things that the runs with faults need. */
export interface TryContext {
  readonly attempt: SuiteAttempt
  readonly plain: PlainRun
  /** The conditions of `--fail-on`. */
  readonly failOn: readonly SuiteGate[]
  /** The time limit of a run, milliseconds. */
  readonly limitMs: number
  /** The time by `elapsed` after which no further run begins; undefined: none. */
  readonly deadline: number | undefined
}

/** The runs that were made, and the runs without faults between them. */
export interface TriedRuns {
  readonly judged: ReadonlyMap<PlannedRun, JudgedRun>
  /** The findings on the requests of every run. */
  readonly findings: readonly FindingsReport[]
  /** See `SuiteReport.changes`. */
  readonly changes: readonly string[]
  /** True: the command failed without faults, too, which ended the runs. */
  readonly endedByPlainRun: boolean
}

/** The number of runs with faults after which the command runs without faults. */
const batchSize = 20

/**
 * Makes the runs, with a run without faults after every twenty and at the end. The error lists the findings that
 * prevent the start of a simulator.
 */
export async function tryRuns(
  chosen: readonly PlannedRun[],
  context: TryContext,
): Promise<Result<TriedRuns, Findings>> {
  const trial = new Trial(chosen, context)
  for (let next = 0; next < chosen.length && !trial.isOver(); next += batchSize) {
    const tried = await trial.tryBatch(
      chosen.slice(next, next + batchSize),
      next + batchSize >= chosen.length,
    )
    if (!tried.ok) return tried
  }
  return success(trial.result)
}

/** The runs of a plan, batch by batch. */
class Trial {
  readonly #context: TryContext
  readonly #progress: Progress
  readonly #judged = new Map<PlannedRun, JudgedRun>()
  readonly #findings: FindingsReport[] = []
  readonly #changes: string[]
  #endedByPlainRun = false

  constructor({ length }: readonly PlannedRun[], context: TryContext) {
    const { deps } = context.attempt
    this.#context = context
    this.#changes = [...context.plain.changes]
    this.#progress = createProgress(findTerminal(deps), length, deps.elapsed, context.deadline)
  }

  get result(): TriedRuns {
    return {
      judged: this.#judged,
      findings: this.#findings,
      changes: this.#changes,
      endedByPlainRun: this.#endedByPlainRun,
    }
  }

  /** Returns true once no further run may begin. */
  readonly isOver = (): boolean => {
    const { attempt, deadline } = this.#context
    const isLate = deadline !== undefined && attempt.deps.elapsed() >= deadline
    return this.#endedByPlainRun || attempt.runDeps.isStopped() || isLate
  }

  /** Makes the runs of a batch, then one without faults. */
  async tryBatch(batch: readonly PlannedRun[], isLast: boolean): Promise<Result<undefined, Findings>> {
    const { runDeps } = this.#context.attempt
    const made = await this.#makeBatch(batch)
    if (!made.ok || runDeps.isStopped() || this.#judged.size === 0) return made
    const when = isLast || this.isOver() ? 'at the end' : `after ${this.#judged.size} runs`
    return this.#checkWithoutFaults(batch, when)
  }

  async #makeBatch(batch: readonly PlannedRun[]): Promise<Result<undefined, Findings>> {
    const { attempt, plain, failOn, limitMs } = this.#context
    this.#progress.update([...this.#judged.values()])
    const made = await makeRuns(batch, attempt.runDeps, {
      jobs: attempt.settings.jobs,
      limitMs,
      prepare: (run) => prepareRun(attempt.runDeps, run),
      isOver: this.isOver,
      mustRepeat: (run, ended) => {
        const isRepeated = mustRepeat(run, ended, plain)
        if (isRepeated) this.#progress.repeat()
        return isRepeated
      },
      onEnd: (run, ended, again) => {
        this.#judged.set(run, judgeRun(run, ended, again, plain, failOn))
        this.#findings.push(ended.findings, ...(again ? [again.findings] : []))
        this.#progress.update([...this.#judged.values()])
      },
    })
    this.#progress.clear()
    return made
  }

  /** Runs the command without faults. If it fails, the runs are over, and the red ones of the batch say nothing. */
  async #checkWithoutFaults(
    batch: readonly PlannedRun[],
    when: string,
  ): Promise<Result<undefined, Findings>> {
    const { attempt, plain, limitMs } = this.#context
    const check = await repeatPlainRun(attempt.runDeps, plain, limitMs, when)
    if (!check.ok) return check
    if (attempt.runDeps.isStopped()) return success(undefined)
    this.#changes.push(...check.value.changes)
    this.#endedByPlainRun = check.value.hasFailed
    if (this.#endedByPlainRun) for (const run of batch) if (this.#hasFailed(run)) this.#judged.delete(run)
    return success(undefined)
  }

  #hasFailed(run: PlannedRun): boolean {
    const { code, isTimedOut = false } = this.#judged.get(run) ?? {}
    return code !== undefined && isRed({ code, isTimedOut })
  }
}
