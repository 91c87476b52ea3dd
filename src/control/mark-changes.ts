import type { Contract } from '../contract/contract.ts'
import type { SimRequest } from '../exchange/request.ts'
import type { Journal } from '../journal/journal.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import { ControlError, type ControlHandler, type ControlHandlers, type ControlRequest } from './handler.ts'
import type { ControlOperationId } from './operation-ids.ts'

/** The operations that are no GET, and change nothing in a sandbox. */
const readOnly: ReadonlySet<string> = new Set<ControlOperationId>(['countRequests', 'verify', 'explain'])

/** A change of a sandbox that the control plane has made. */
interface MadeChange {
  readonly operation: string
  readonly sandbox: string
  readonly request: SimRequest
  /** The position in the order of `Journal.takeOrder`, taken before the change began. */
  readonly order: number
}

/** A function that the control plane calls after each change, and waits for before it replies. */
export type ChangeListener = (change: MadeChange) => Promise<void>

/** Dependencies of `markChanges`. */
interface MarkChangesDeps {
  readonly controlContract: Contract
  readonly sandboxes: Sandboxes
  readonly journal: Pick<Journal, 'takeOrder'>
  readonly onChange: ChangeListener
}

/**
 * Returns the handlers, of which those that change a sandbox also raise its revision, so that other clients notice the
 * change, and call `onChange`.
 */
export function markChanges(
  handlers: ControlHandlers,
  { controlContract, sandboxes, journal, onChange }: MarkChangesDeps,
): ControlHandlers {
  const mark =
    (operation: string, handle: ControlHandler): ControlHandler =>
    async (request) => {
      const order = journal.takeOrder()
      const outcome = await handle(request)
      if (outcome instanceof ControlError) return outcome
      const sandbox = findSandbox(request)
      sandboxes.markChanged(sandbox)
      await onChange({ operation, sandbox, request: request.source, order })
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
