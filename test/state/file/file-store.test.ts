import { conformance } from '../conformance.ts'
import { openOrFail, statePath } from './open-file.ts'

conformance('the store in a file', async () => (await openOrFail(statePath())).store)

conformance('the store in a file with frequent checkpoints', async () => {
  return (await openOrFail(statePath(), { checkpointMs: 0 })).store
})
