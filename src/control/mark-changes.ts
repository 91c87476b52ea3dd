import type { Contract } from '../contract/contract.ts'
import type { Journal } from '../journal/journal.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import { ControlError, type ControlHandler, type ControlHandlers, type ControlRequest } from './handler.ts'
import type { ControlOperationId } from './operation-ids.ts'
import { type RecordChangeDeps, recordChange } from './record-changes.ts'

/** The operations that are no GET, and change nothing in a sandbox. */
const readOnly: ReadonlySet<string> = new Set<ControlOperationId>(['countRequests', 'verify', 'explain'])

/** Dependencies of `markChanges`. */
export interface MarkChangesDeps extends RecordChangeDeps {
  readonly controlContract: Contract
  readonly sandboxes: Sandboxes
  readonly journal: Pick<Journal, 'takeOrder'>
}

/**
 * Returns the handlers, of which those that change a sandbox also raise its revision, so that other clients notice the change, and record
 * the change in its history.
 */
export function markChanges(
  handlers: ControlHandlers,
  { controlContract, sandboxes, journal, ...history }: MarkChangesDeps,
): ControlHandlers {
  const mark =
    (operation: string, handle: ControlHandler): ControlHandler =>
    async (request) => {
      const order = journal.takeOrder()
      const outcome = await handle(request)
      if (outcome instanceof ControlError) return outcome
      const sandbox = findSandbox(request)
      sandboxes.markChanged(sandbox)
      await recordChange(history, { operation, sandbox, request, order })
      return outcome
    }
  const changing = controlContract.operations.filter(
    ({ id, method }) => method !== 'GET' && !readOnly.has(id),
  )
  const marked = changing.map(({ id }) => [id, mark(id, handlers[id as ControlOperationId])])
  return { ...handlers, ...Object.fromEntries(marked) }
}

/** Returns the sandbox that a request names in its path or query. */
function findSandbox({ parameters, sandbox }: ControlRequest): string {
  const name = parameters.path['name']
  return typeof name === 'string' ? name : sandbox
}
