import type { Operation } from '../../src/contract/contract.ts'
import { loadContract } from '../../src/contract/load.ts'
import { controlContract } from '../../src/fixtures/bundled.ts'

/** Returns the operations of `spec/control.openapi.yaml`. */
export async function controlOperations(): Promise<readonly Operation[]> {
  const loaded = await loadContract(controlContract, { responses: false })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error))
  return loaded.value.operations
}
