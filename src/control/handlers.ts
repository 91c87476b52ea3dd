import { catalogueHandlers } from './catalogue.ts'
import { clockHandlers } from './clock.ts'
import type { ControlDeps } from './deps.ts'
import { explainHandlers } from './explain.ts'
import type { ControlHandlers } from './handler.ts'
import { infoHandlers } from './info.ts'
import { markChanges } from './mark-changes.ts'
import { metricsHandlers } from './metrics.ts'
import { qualityHandlers } from './quality.ts'
import { reportHandlers } from './reports.ts'
import { requestHandlers } from './requests.ts'
import { retryHandlers } from './retries.ts'
import { sandboxHandlers } from './sandboxes.ts'
import { scenarioHandlers } from './scenarios.ts'
import { recordHandlers, snapshotHandlers } from './state.ts'
import { verifyHandlers } from './verify.ts'

/**
 * Returns the handlers of the control plane, one for each `operationId` of `spec/control.openapi.yaml`.
 *
 * Steps to add an endpoint:
 * 1. Describe it in `spec/control.openapi.yaml`. The document checks parameters and body, and fills in defaults.
 * 2. Run `npm run generate`, which adds its `operationId` to `operation-ids.ts`. The code does not compile until step 3 is done.
 * 3. Write its handler in the group that fits, and add the `operationId` to the group's return type. A new dependency is a field of
 *    `ControlDeps`, which `simulator/simulator.ts` provides.
 * 4. Run `npm run readme`. `test/sweeps.test.ts` asks every operation; one that needs a body or a certain path gets an entry in `controls` there.
 */
export function controlHandlers(deps: ControlDeps): ControlHandlers {
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
    ...deps.bundles.handlers,
  }
  return markChanges(handlers, { ...deps, onChange: deps.bundles.onChange })
}
