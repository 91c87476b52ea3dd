import { conformance } from '../conformance.ts'
import { openOrFail, statePath } from './open-file.ts'

conformance('the store in a file', async () => (await openOrFail(statePath())).store)

// Frequent checkpoints show the errors that they cause.
conformance('the store in a file with a checkpoint after every change', async () => {
  return (await openOrFail(statePath(), { checkpointFrom: 1 })).store
})
