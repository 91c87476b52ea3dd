import { catalogueHandlers } from './catalogue.ts'
import { clockHandlers } from './clock.ts'
import type { ControlDeps } from './deps.ts'
import { explainHandlers } from './explain.ts'
import { ControlError, type ControlHandler, type ControlHandlers } from './handler.ts'
import { infoHandlers } from './info.ts'
import { metricsHandlers } from './metrics.ts'
import type { ControlOperationId } from './operation-ids.ts'
import { qualityHandlers } from './quality.ts'
import { reportHandlers } from './reports.ts'
import { requestHandlers } from './requests.ts'
import { retryHandlers } from './retries.ts'
import { sandboxHandlers } from './sandboxes.ts'
import { scenarioHandlers } from './scenarios.ts'
import { recordHandlers, snapshotHandlers } from './state.ts'
import { verifyHandlers } from './verify.ts'

/**
 * Returns the handlers of the control plane, one for each `operationId` of `spec/control.openapi.yaml`. Those of
 * features are with them: see `feature-controls.ts`.
 *
 * Steps to add an endpoint:
 * 1. Describe it in `spec/control.openapi.yaml`. The document checks parameters and body, and fills in defaults.
 * 2. Run `npm run generate`, which adds its `operationId` to `operation-ids.ts`. The code then compiles after step 3.
 * 3. Write its handler in the group that fits. A new dependency
 *    is a field of `ControlDeps`, which `simulator/simulator.ts` provides.
 * 4. Run `npm run readme`. An operation that needs a body or a certain path gets an entry in `test/sweeps.test.ts`.
 */
export function controlHandlers(deps: ControlDeps) {
  const handlers = {
    ...infoHandlers(deps),
    ...catalogueHandlers(deps),
    ...scenarioHandlers(deps),
    ...clockHandlers(deps),
    ...sandboxHandlers(deps),
    ...recordHandlers(deps),
    ...snapshotHandlers(deps),
    ...qualityHandlers(deps),
    ...requestHandlers(deps),
    ...verifyHandlers(deps),
    ...explainHandlers(deps),
    ...metricsHandlers(deps),
    ...reportHandlers(deps),
    ...retryHandlers(deps),
  }
  return markChanges(handlers, deps)
}

/** The operations that are no GET, and change nothing in a sandbox. */
const readOnly: ReadonlySet<string> = new Set<ControlOperationId>(['countRequests', 'verify', 'explain'])

/** Returns the handlers; those that change a sandbox also raise its revision. */
function markChanges<Handlers extends Partial<ControlHandlers>>(
  handlers: Handlers,
  { controlContract, sandboxes }: ControlDeps,
): Handlers {
  const mark =
    (handle: ControlHandler): ControlHandler =>
    async (request) => {
      const outcome = await handle(request)
      if (outcome instanceof ControlError) return outcome
      const { name } = request.parameters.path
      sandboxes.markChanged(typeof name === 'string' ? name : request.sandbox)
      return outcome
    }
  const changing = controlContract.operations.filter(({ id, method }) => method !== 'GET' && !readOnly.has(id))
  const marked = changing.flatMap(({ id }) => {
    const handle = handlers[id as ControlOperationId]
    return handle ? [[id, mark(handle)]] : []
  })
  return { ...handlers, ...Object.fromEntries(marked) }
}
