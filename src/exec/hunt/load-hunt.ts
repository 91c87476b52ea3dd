import { failure, type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import type { Catalogue } from '../../scenarios/definition.ts'
import { loadInputs } from '../../simulator/loaded-inputs.ts'
import { type Fault, parseFaultSet } from '../plan/fault-set.ts'
import type { ExecSettings } from '../settings.ts'
import { findHuntFileProblem } from './hunt-file.ts'

/** The faults and extreme answers that a hunt draws from. */
export interface LoadedHunt {
  readonly faults: readonly Fault[]
  readonly catalogue: Catalogue
}

/** Parses `--hunt`, and checks that its file can be written. The error lists the findings on them, and on the files of the settings. */
export async function loadHunt(settings: ExecSettings): Promise<Result<LoadedHunt, Findings>> {
  const unwritable = await findHuntFileProblem()
  if (unwritable !== undefined) return refuse('--hunt', unwritable)
  const inputs = await loadInputs(settings)
  if (!inputs.ok) return inputs
  const { contract, catalogue } = inputs.value
  const faults = parseFaultSet(settings.hunt ?? '', { catalogue, operations: contract.operations })
  if (!faults.ok) return refuse('--hunt', faults.error)
  const wrong = faults.value.find(({ question }) => question === 'notice')
  if (wrong)
    return refuse(
      '--hunt',
      `"${wrong.scenario.text}" has a wrong or final answer, under which tests should fail; a hunt needs faults that a good client survives. --each tries it.`,
    )
  return success({ faults: faults.value, catalogue })
}

const refuse = (place: string, message: string) => failure([{ severity: 'error' as const, place, message }])
