import { mapInChunks } from '../../core/map-in-chunks.ts'
import type { StateData } from '../memory/state-data.ts'
import { summarizeSandbox } from '../queries.ts'
import type { SandboxSummary } from '../store.ts'
import type { Refresher } from './refresher.ts'

/** The number of sandboxes that are read at once, so that other commands wait behind these only. */
const SANDBOXES_AT_ONCE = 16

/** Summarizes those of the sandboxes that hold data, each as it is when it is read. */
export async function summarizeSandboxes(
  names: readonly string[],
  state: StateData,
  refresher: Refresher,
): Promise<readonly SandboxSummary[]> {
  const found = await mapInChunks(names, SANDBOXES_AT_ONCE, async (name) => {
    await refresher.refresh(name)
    const entry = state.sandboxes.get(name)
    return entry === undefined ? [] : [summarizeSandbox(name, entry)]
  })
  return found.flat()
}
