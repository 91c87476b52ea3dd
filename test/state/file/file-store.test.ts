import { conformance } from '../conformance.ts'
import { openOrFail, statePath } from './open-file.ts'

conformance('the store in a file', async () => (await openOrFail(statePath())).store)

// A checkpoint as often as can be: whatever it breaks, it breaks here.
conformance('the store in a file that is folded all the time', async () => {
  return (await openOrFail(statePath(), { checkpointFrom: 1 })).store
})
