import type { Contract } from '../contract/contract.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import { ControlError, type ControlHandler, type ControlHandlers, type ControlRequest } from './handler.ts'
import type { ControlOperationId } from './operation-ids.ts'

/** The operations that are no GET, and change nothing in a sandbox. */
const readOnly: ReadonlySet<string> = new Set<ControlOperationId>([
  'countRequests',
  'verify',
  'explain',
  'wiremockCount',
  'wiremockFind',
])

/** Dependencies of `markChanges`. */
export interface MarkChangesDeps {
  readonly controlContract: Contract
  readonly sandboxes: Sandboxes
}

/** Returns the handlers, of which those that change a sandbox also raise its revision, so that other clients notice the change. */
export function markChanges(
  handlers: ControlHandlers,
  { controlContract, sandboxes }: MarkChangesDeps,
): ControlHandlers {
  const mark =
    (handle: ControlHandler): ControlHandler =>
    async (request) => {
      const outcome = await handle(request)
      if (!(outcome instanceof ControlError)) sandboxes.markChanged(findSandbox(request))
      return outcome
    }
  const changing = controlContract.operations.filter(
    ({ id, method }) => method !== 'GET' && !readOnly.has(id),
  )
  const marked = changing.map(({ id }) => [id, mark(handlers[id as ControlOperationId])])
  return { ...handlers, ...Object.fromEntries(marked) }
}

/** Returns the sandbox that a request names in its path or query. */
function findSandbox({ parameters, sandbox }: ControlRequest): string {
  const name = parameters.path['name']
  return typeof name === 'string' ? name : sandbox
}
