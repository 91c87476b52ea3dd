import type { Operation } from '../../src/service/contract/contract.ts'
import { loadContract } from '../../src/service/contract/load.ts'
import { controlContract } from '../../src/service/fixtures/bundled.ts'

/** Returns the operations of `spec/control.openapi.yaml`. */
export async function controlOperations(): Promise<readonly Operation[]> {
  const loaded = await loadContract(controlContract, { responses: false })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error))
  return loaded.value.operations
}
