import { defaultSettings } from '../../src/server/settings/settings.ts'
import { loadInputs } from '../../src/server/simulator/loaded-inputs.ts'

const loaded = await loadInputs(defaultSettings())
if (!loaded.ok) throw new Error(JSON.stringify(loaded.error))

/** The simulator's inputs with default settings, loaded once. */
export const inputs = loaded.value

/** Returns the contract's operation with this ID. Throws if there is none. */
export function operationOf(id: string) {
  const operation = inputs.contract.operations.find((candidate) => candidate.id === id)
  if (!operation) throw new Error(`the contract has no operation ${id}`)
  return operation
}
