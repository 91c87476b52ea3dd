import { failure, type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import { loadInputs } from '../../simulator/loaded-inputs.ts'
import { type NamedRun, parseRunName, pickNamedRuns } from '../plan/choose-runs.ts'
import { type Fault, parseFaultSet } from '../plan/fault-set.ts'
import { planRuns, type SuitePlan } from '../plan/plan.ts'
import type { RecordedRequest } from '../plan/recorded-request.ts'
import { describeNoPlace } from '../plan/untestable-suite.ts'
import type { ExecSettings } from '../settings.ts'

/** The faults to try, and the run that `--only` names. */
export interface LoadedFaults {
  readonly faults: readonly Fault[]
  readonly only: NamedRun | undefined
}

/** Parses `--each` and `--only` against the contract and its scenarios. The error lists the findings on them, and on the files of the settings. */
export async function loadFaults(settings: ExecSettings): Promise<Result<LoadedFaults, Findings>> {
  const inputs = await loadInputs(settings)
  if (!inputs.ok) return inputs
  const { contract, catalogue } = inputs.value
  const context = { catalogue, operations: contract.operations }
  if (settings.only !== undefined) {
    const only = parseRunName(settings.only, context)
    if (!only.ok) return failure([{ severity: 'error', place: '--only', message: only.error }])
    return success({ faults: [only.value.fault], only: only.value })
  }
  const faults = parseFaultSet(settings.each ?? '', context)
  if (!faults.ok) return failure([{ severity: 'error', place: '--each', message: faults.error }])
  return success({ faults: faults.value, only: undefined })
}

/** Plans the runs for the requests of the run without faults. The error is a sentence: no request can meet a fault, or not that of `--only`. */
export function planSuite(
  requests: readonly RecordedRequest[],
  { faults, only }: LoadedFaults,
): Result<SuitePlan> {
  const noPlace = describeNoPlace(requests)
  if (noPlace !== undefined) return failure(noPlace)
  const plan = planRuns(requests, faults, { strikesAll: only !== undefined })
  if (!only) return success(plan)
  const runs = pickNamedRuns(plan.runs, only)
  return runs.ok ? success({ ...plan, runs: runs.value }) : runs
}
